#if !os(Windows) && !os(WASI)
  import Foundation
  import TestWatch
  import Testing
  import fenced_worker

  /// Processes of `Tests/fenced-worker` that share a folder of locks and a store.
  struct Processes {
    let folder: Folder

    init() throws { folder = try Folder() }

    var locks: String { "folder:\(folder.locks)" }

    /// Grants that expire.
    var leases: String { "leases:300:\(folder.locks)" }

    /// What `SERIALTASKS_LONG=1` makes ten times as much.
    static func size(_ short: Int) -> Int {
      ProcessInfo.processInfo.environment["SERIALTASKS_LONG"] == "1" ? 10 * short : short
    }

    func start(_ what: String, _ engine: String, _ name: String, _ arguments: String...) throws -> TestProcess {
      try TestProcess("fenced-worker", [what, engine, folder.store, name] + arguments)
    }

    /// Another process runs a job of key0.
    func expectOtherRuns(_ engine: String) async throws {
      let other = try start("run", engine, "other", "1", "1", "1")
      #expect(await other.end().lines == ["other-0"])
    }

    func records(_ key: Int = 0) -> [Store.Record] { Store(folder.store).records(of: "key\(key)") }

    /// What is in the store: on each key no count twice and fences that never fall; each acknowledged job on so many keys; and of two
    /// jobs the same is first on both, if they have both in common.
    func check(_ acknowledged: [String], keys: Int, ofEach count: Int) {
      var places: [String: [Int: Int]] = [:]
      for key in 0..<keys {
        let records = records(key)
        #expect(records.map(\.count) == Array(1..<(records.count + 1)), "jobs have overlapped")
        #expect(zip(records, records.dropFirst()).allSatisfy { $0.number <= $1.number }, "a fence has fallen")
        for (place, record) in records.enumerated() {
          #expect(places[record.job, default: [:]].updateValue(place, forKey: key) == nil, "a job has run twice")
        }
      }
      #expect(places.values.allSatisfy { $0.count <= count }, "a job has run twice")
      #expect(acknowledged.allSatisfy { places[$0]?.count == count }, "an acknowledged job is lost")
      for first in 0..<keys {
        for second in first + 1..<keys {
          let both = places.values.compactMap { place in place[first].flatMap { one in place[second].map { (one, $0) } }
          }
          let inOrder = both.sorted { $0.0 < $1.0 }.map(\.1)
          #expect(inOrder == inOrder.sorted(), "two jobs have run in two orders")
        }
      }
    }
  }

  extension TestProcess {
    /// The numbers of the holder's fences, which has read by then.
    func fences() async throws -> [UInt64] {
      try #require(await next(1).first).split(separator: ",").compactMap { UInt64($0) }
    }

    /// Lets the holder go on.
    func writeLine() throws { try write("\n") }
  }
#endif
