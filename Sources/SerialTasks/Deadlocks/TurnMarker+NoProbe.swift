#if SERIALTASKS_NO_PROBE
  /// The task-local mark of a turn where the storage probe is turned off: certain only in the very task that holds the turn.
  ///
  /// Costs an allocation a turn, and child tasks of a job queue like strangers.
  @usableFromInline
  package struct TurnMarker: Sendable {
    fileprivate let box: Box?

    @usableFromInline static let key = TaskLocal(wrappedValue: TurnMarker())

    private init() { box = nil }

    @usableFromInline
    init(holder: borrowing TurnHolder) {
      box = Box(holder: copy holder, task: TurnMarker.currentTask, enclosing: TurnMarker.innermost?.box)
    }

    @usableFromInline static func settle() {}

    @usableFromInline func end() { box?.hasEnded.withLock { $0 = true } }

    fileprivate static var currentTask: Int { withUnsafeCurrentTask { $0?.hashValue ?? 0 } }
  }

  extension TurnMarker {
    fileprivate final class Box: Sendable {
      let holder: TurnHolder
      let task: Int
      let enclosing: Box?
      /// A task that outlives the job keeps its marker; the next task may have the first one's address.
      let hasEnded = Lock(false)

      init(holder: TurnHolder, task: Int, enclosing: Box?) {
        self.holder = holder
        self.task = task
        self.enclosing = enclosing
      }
    }

    struct Certain {
      fileprivate let box: Box

      fileprivate init?(_ box: Box?) {
        guard let box, box.task == TurnMarker.currentTask, !box.hasEnded.withLock({ $0 }) else { return nil }
        self.box = box
      }

      var holder: TurnHolder { box.holder }
      var outer: Certain? { Certain(box.enclosing) }
    }

    static var innermost: Certain? { Certain(key.get().box) }
  }
#endif
