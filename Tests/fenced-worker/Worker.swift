import SerialTasksFenced

@main enum Worker {
  static func main() async throws {}
}
