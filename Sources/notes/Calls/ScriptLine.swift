import Foundation

/// One line of a script, as it is written.
struct ScriptLine: Decodable {
  /// Why a line cannot be played.
  struct Problem: Error, Hashable {
    let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  private var at: Double?
  private var call: String?
  private var id: Double?
  private var text: String?
  private var takes: Double?

  static func parse(_ bytes: Data, line: Int) throws(Problem) -> TimedCall {
    guard String(data: bytes, encoding: .utf8) != nil else { throw Problem("not UTF-8") }
    do {
      let written = try JSONDecoder().decode(ScriptLine.self, from: bytes)
      return try written.timedCall(line: line)
    } catch let problem as Problem {
      throw problem
    } catch DecodingError.typeMismatch {
      throw Problem("not a JSON object")
    } catch { throw Problem("not valid JSON") }
  }
}

// MARK: - From JSON

extension ScriptLine {
  private enum Field: String, CaseIterable {
    case at, call, id, text, takes
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let object = try decoder.container(keyedBy: Key.self)
    let unknown = object.allKeys.map(\.stringValue).filter { Field(rawValue: $0) == nil }.sorted()
    if let first = unknown.first {
      throw Problem("unknown field “\(first)”; there are \(Field.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    func value<Value: Decodable>(_ field: Field, _ what: String) throws -> Value? {
      do {
        return try object.decodeIfPresent(Value.self, forKey: Key(stringValue: field.rawValue))
      } catch { throw Problem("“\(field.rawValue)” must be \(what)") }
    }
    at = try value(.at, "a number of seconds")
    call = try value(.call, "a string")
    id = try value(.id, "a whole number")
    text = try value(.text, "a string")
    takes = try value(.takes, "a number of seconds")
  }
}

// MARK: - Into a call

extension ScriptLine {
  /// Longer than anybody waits; it also keeps times inside what a `Duration` can hold.
  private static let longest = 86_400.0
  /// Above this a JSON number no longer tells two whole numbers apart.
  private static let largestID = 9_007_199_254_740_991.0

  private func timedCall(line: Int) throws(Problem) -> TimedCall {
    let call = try self.call(named: self.call)
    return TimedCall(
      at: try Self.duration(at, "at"), call: call, takes: try Self.duration(takes, "takes"), line: line)
  }

  private func call(named name: String?) throws(Problem) -> Call {
    guard let name else { throw Problem("“call” is missing") }
    switch name {
    case "read": return .read(try neededID(name))
    case "readAll": return .readAll
    case "add": return .add(try neededID(name), text: try neededText(name))
    case "update": return .update(try neededID(name), text: try neededText(name))
    case "delete": return .delete(try neededID(name))
    default: throw Problem("unknown call “\(name)”; there are read, readAll, add, update, delete")
    }
  }

  private func neededID(_ call: String) throws(Problem) -> Int {
    guard let id else { throw Problem("“\(call)” needs an “id”") }
    guard id == id.rounded(), id >= 0 else { throw Problem("“id” must be a whole number, not negative") }
    guard id <= Self.largestID else { throw Problem("“id” must be at most \(Int(Self.largestID))") }
    return Int(id)
  }

  private func neededText(_ call: String) throws(Problem) -> String {
    guard let text else { throw Problem("“\(call)” needs a “text”") }
    return text
  }

  private static func duration(_ seconds: Double?, _ field: String) throws(Problem) -> Duration {
    let seconds = seconds ?? 0
    guard seconds.isFinite else { throw Problem("“\(field)” must be finite") }
    guard seconds >= 0 else { throw Problem("“\(field)” must not be negative") }
    guard seconds <= longest else { throw Problem("“\(field)” must be at most 86400 seconds, a day") }
    return .seconds(seconds)
  }
}
