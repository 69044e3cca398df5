#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Android)
  import Android
#elseif canImport(Darwin)
  import Darwin
#endif

do {
  exit(try Options(CommandLine.arguments.dropFirst()).run())
} catch {
  complain("explore: \(error)\nexplore --help says what there is.")
  exit(2)
}
