// Names every public symbol without documentation: swift .ci/undocumented.swift SYMBOL-GRAPH [AT-LEAST-SO-MANY]
import Foundation

struct Graph: Decodable { let symbols: [Symbol] }
struct Comment: Decodable {}
struct Identifier: Decodable { let precise: String }

struct Symbol: Decodable {
  let identifier: Identifier
  let pathComponents: [String]
  let docComment: Comment?
}

guard CommandLine.arguments.count >= 2, let data = FileManager.default.contents(atPath: CommandLine.arguments[1]) else {
  fatalError("usage: swift undocumented.swift SYMBOL-GRAPH")
}
let symbols = try JSONDecoder().decode(Graph.self, from: data).symbols
// What the compiler writes (`==` of an enum, say) has nowhere to be documented.
let own = symbols.filter { !$0.identifier.precise.contains("::SYNTHESIZED::") }
let bare = own.filter { $0.docComment == nil }.map { $0.pathComponents.joined(separator: ".") }
let least = CommandLine.arguments.count > 2 ? Int(CommandLine.arguments[2])! : 100
guard own.count > least else { fatalError("only \(own.count) symbols: is this the symbol graph of the library?") }
for name in bare.sorted() { print("not documented: \(name)") }
print("\(own.count) public symbols, \(bare.count) without documentation")
exit(bare.isEmpty ? 0 : 1)
