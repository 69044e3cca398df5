/// What `--help` prints.
enum Help {
  static var text: String {
    """
    notes: calls to a store of notes, first in any order and then in theirs.

    USAGE
      swift run notes [--act NAME]... [--store DIR] [--html FILE]
      swift run notes --example NAME [--through WAY] [--store DIR] [--html FILE]
      swift run notes --script FILE [--through WAY] [--store DIR] [--html FILE]

    Without arguments it plays all acts, in this order, and draws and checks each:
    \(acts)
    Ctrl-C ends it: what was played is shown, checked and written; again, it ends at once.

    OPTIONS
      --act NAME     Play this act only. May be given several times, for several acts in this order; not with --example
                     or --script.
      --example NAME Play a script that comes with the program (Sources/notes/Examples):
    \(examples)
      --script FILE  Play the calls in FILE, or from standard input if it is -.
      --through WAY  The way the calls of a script take to the repository:
    \(ways)
      --store DIR    Keep the notes in DIR, one JSON file a note; it is made if it is missing. Notes that are there
                     already stay, are what the calls begin with, and are part of what is checked; a DIR that holds
                     anything else but hidden files is refused. Without it: a temporary folder, which is removed at the
                     end. The plain actor never touches DIR: it plays on a copy. Not with acts that keep no notes.
      --html FILE    Also write the timelines as one page that needs nothing else. FILE is replaced if it is there.
      --help, -h     Print this.

      Each option but --act may be given once, as --option VALUE or --option=VALUE.

    SCRIPTS
      One JSON object a line:
        {"at": seconds, "call": "read"|"readAll"|"add"|"update"|"delete", "id": n, "text": "…", "takes": seconds}

      at     when the call is asked for, from the beginning; 0 if it is not given
      call   what is asked for
      id     the note, a whole number of at least 0; needed by all but readAll
      text   what the note says; needed by add and update
      takes  how long the call takes once it runs; 0 if it is not given

      The calls have their places in the order of “at”, and of lines where that is equal; those of one moment are all
      asked for before any of them ends. Equal reads should take equally long: if they merge, the first of them counts.
      Fields that a call does not need are ignored, others are not known and refused. Times are at most 86400 seconds.
      Lines that are empty or begin with # are skipped. Every bad line is named before anything is played.
      To read, update or delete a note that is missing, or to add one that is there, is a call that fails: it is
      reported, and is what must happen.
      Those in Sources/notes/Examples say what they show; they are a beginning for your own.

    AFTERWARDS
      The store is read back and compared, and so is what each call answered, with what the calls in their order must
      have produced. No two calls may have run together that must not, none may have waited with nothing to wait for, and a
      read may have joined only an equal one with no write between the two that touches what it reads. The summary of a
      script counts calls, reads that the repository was asked for and that it was saved, and calls that waited for their
      turn. The backend of the screens counts its calls, and they are compared too. All of it decides the exit status but
      what the plain actor did, which is only shown.

    EXIT STATUS
    \(statuses)

    ENVIRONMENT
      NO_COLOR  If it is set and not empty, nothing is coloured. Output that is not a terminal never is.
      TMPDIR    Where the temporary folder is made; nothing of it is left behind.

    """
  }

  private static var acts: String { list(ActName.allCases.map { ($0.rawValue, $0.meaning) }, indent: 2) }

  private static var examples: String { list(Example.allCases.map { ($0.rawValue, $0.meaning) }) }

  private static var ways: String { list(Way.allCases.map { ($0.rawValue, $0.meaning) }) }

  /// Names and what they mean, below what they belong to.
  private static func list(_ names: [(name: String, meaning: String)], indent: Int = 19) -> String {
    let width = 2 + max(10, names.map(\.name.count).max() ?? 0)
    return names.map { name, meaning in
      "\(String(repeating: " ", count: indent))\(name)\(String(repeating: " ", count: width - name.count))\(meaning)"
    }.joined(separator: "\n")
  }

  private static var statuses: String {
    Status.allCases.map { status in
      let number = String(status.rawValue)
      return "  \(number)\(String(repeating: " ", count: 4 - number.count))\(status.meaning)"
    }.joined(separator: "\n")
  }
}
