import SerialTasks

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

do {
  // Time is virtual here, and nobody would be told of a stall in time.
  exit(try StallWatch.$current.withValue(nil) { try Options(CommandLine.arguments.dropFirst()).run() })
} catch {
  complain("explore: \(error)\nexplore --help says what there is.")
  exit(2)
}
