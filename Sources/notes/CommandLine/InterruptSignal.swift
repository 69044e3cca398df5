import Dispatch
import Foundation

/// Ctrl-C: the first ends the program with what was played, the second ends it at once.
struct InterruptSignal {
  private let source: any DispatchSourceSignal

  /// Listens from now on, and ends the program.
  init(to program: Program) {
    // Otherwise the signal would end the process before the source hears of it.
    signal(SIGINT, SIG_IGN)
    let (interruption, scratch) = (program.interruption, program.scratch)
    source = DispatchSource.makeSignalSource(signal: SIGINT, queue: .global())
    source.setEventHandler {
      guard interruption.ask() else {
        let words = "\nnotes: interrupted; ending with what was played (again: at once)\n"
        return FileHandle.standardError.write(Data(words.utf8))
      }
      StoreOpening.removeTemporary(scratch)
      exit(Status.interrupted.rawValue)
    }
    source.resume()
  }
}
