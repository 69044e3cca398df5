import Dispatch
import Foundation
import Synchronization

/// Ctrl-C: the first ends the run after what is being measured now, the second ends the program.
package struct Interruption {
  private static let asked = Atomic(false)
  private let source: any DispatchSourceSignal

  package init() {
    // Otherwise the signal would end the program before the source hears of it.
    signal(SIGINT, SIG_IGN)
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler {
      if Interruption.asked.exchange(true, ordering: .relaxed) { exit(130) }
      FileHandle.standardError.write(Data("\ninterrupted; writing what there is (again to give it up)\n".utf8))
    }
    source.resume()
  }

  package var wasAsked: Bool { Interruption.asked.load(ordering: .relaxed) }
}
