import Comparing

/// All contests of the program.
struct Grid {
  let depths: [Int]
  let contexts: [Context]
  let isQuick: Bool
  let isDeep: Bool

  init(options: Options) {
    depths = options.depths
    contexts = options.contexts
    isQuick = options.quick
    isDeep = options.deep
  }

  private static let contenders: [any Contender.Type] =
    [
      UnorderedGroup.self, BareTask.self, ParkedCaller.self, Library.self, DetachedLibrary.self, StreamQueue.self,
      ContinuationQueue.self, SemaphoreByHand.self, TaskChain.self, GCDQueue.self, OneOperationAtATime.self,
    ] + peers

  var contests: [Contest] {
    var all: [Contest] = []
    for context in contexts {
      for kind in JobKind.allCases {
        let depths = depths.filter { $0 <= kind.limit(quick: isQuick, deep: isDeep) }
        all += depths.map {
          enqueueing(Setting(workload: "enqueue", jobKind: kind.rawValue, context: context, depth: $0), kind)
        }
        all += depths.map {
          submitting(Setting(workload: "submit", jobKind: kind.rawValue, context: context, depth: $0), kind)
        }
        if kind == .spins { continue }
        all += depths.map {
          keyed(Setting(workload: "keyed", jobKind: kind.rawValue, context: context, depth: $0), kind)
        }
      }
      all += depths.map { leaving(Setting(workload: "leave", jobKind: nil, context: context, depth: $0)) }
    }
    return all
  }
}

/// What becomes of a contender in a contest.
private enum Part {
  case plays(Entry)
  case cannot(String)
  /// It is the floor of other contests, and none of this one.
  case notAsked
}

extension Grid {
  private func enqueueing(_ setting: Setting, _ kind: JobKind) -> Contest {
    contest(setting, floor: UnorderedGroup.self) { type in
      if type == ParkedCaller.self || type == DetachedLibrary.self { return .notAsked }
      if kind == .suspends && !type.jobsMaySuspend { return .cannot("its jobs cannot suspend") }
      return .plays(Entry(enqueueing: type, setting, kind))
    }
  }

  private func submitting(_ setting: Setting, _ kind: JobKind) -> Contest {
    contest(setting, floor: BareTask.self) { type in
      if type == ParkedCaller.self || type == UnorderedGroup.self { return .notAsked }
      if kind == .suspends && !type.jobsMaySuspend { return .cannot("its jobs cannot suspend") }
      guard let type = type as? any Submitting.Type else { return .cannot("no ordered way in from synchronous code") }
      return .plays(Entry(submitting: type, setting, kind))
    }
  }

  private func keyed(_ setting: Setting, _ kind: JobKind) -> Contest {
    contest(setting, floor: UnorderedGroup.self) { type in
      if type == ParkedCaller.self || type == BareTask.self || type == DetachedLibrary.self { return .notAsked }
      if kind == .suspends && !type.jobsMaySuspend { return .cannot("its jobs cannot suspend") }
      return .plays(Entry(keyed: type, setting, kind))
    }
  }

  private func leaving(_ setting: Setting) -> Contest {
    contest(setting, floor: ParkedCaller.self) { type in
      if let type = type as? any Leavable.Type { return .plays(Entry(leaving: type, setting)) }
      if type == DetachedLibrary.self || type is any Peer.Type { return .notAsked }
      return type.keepsOrder ? .cannot("who waits cannot leave") : .notAsked
    }
  }

  private func contest(
    _ setting: Setting, floor: any Contender.Type, _ part: (any Contender.Type) -> Part
  ) -> Contest {
    var contest = Contest(setting, floor: floor.title, entries: [])
    for type in Grid.contenders {
      switch part(type) {
      case .plays(let entry): contest.entries.append(entry)
      case .cannot(let why): contest.absent.append(Absence(type.title, why))
      case .notAsked: break
      }
    }
    return contest
  }
}
