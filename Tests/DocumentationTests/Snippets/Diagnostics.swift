// The blocks of the article on seeing what happens.
import Foundation
import SerialTasks

#if canImport(os)
  import os
#endif

enum DiagnosticsUse {
  static func printed() -> SerialTaskExecutor {
    let orders = SerialTaskExecutor(name: "orders") { event in
      print(event)
    }
    return orders
  }

  static func logged(_ log: Log) -> SerialTaskExecutor {
    let orders = SerialTaskExecutor(name: "orders") { event in
      switch event.kind {
      case .failed, .rejected, .stalled: log("error: \(event)")
      default: log("debug: \(event)")
      }
    }
    return orders
  }

  #if canImport(os)
    static func signposted() -> SerialTaskExecutor {
      let signposter = OSSignposter(subsystem: "com.example.shop", category: "orders")
      let orders = SerialTaskExecutor(name: "orders") { event in
        let text = event.description
        signposter.emitEvent("job", "\(text, privacy: .public)")
      }
      return orders
    }

    static func systemLogged() -> SerialTaskExecutor {
      let logger = Logger(subsystem: "com.example.shop", category: "orders")
      let orders = SerialTaskExecutor(name: "orders") { event in
        logger.debug("\(event.description, privacy: .public)")
      }
      return orders
    }
  #endif

  static func taskName(_ orders: SerialTaskExecutor) async throws -> String? {
    let job = orders.submit(name: "ship 17") { Task.name }  // "ship 17", in Instruments and in the debugger too
    return try await job.value
  }

  static func rejected(_ orders: SerialTaskExecutor, _ ship: @escaping @Sendable () async throws -> Void, _ log: Log)
    async
  {
    func print(_ error: any Error) { log("\(error)") }
    do {
      try await orders.enqueue { try await ship() }
    } catch {
      print(error)  // "The job was rejected: the executor is closed."
    }
  }
}
