extension Example {
  static let busyScreenScript = """
    # A busy screen: swift run notes --example a-busy-screen
    # Three notes are made. Then a list, its badge, a widget and two open notes all load at the same moment, an edit of note 1
    # is saved, and they load once more. Then note 3 is deleted, and the lists load again.
    # What it should show:
    #   --through coalescing  22 calls, 17 reads and 5 writes; 6 backend reads, 11 saved. Equal reads are one, but never across
    #                         the edit: a read after it is a new read, and sees it. Store and answers are right.
    #   --through touching    The same counts: the edit is one of note 1, and only that note and the list are read behind it.
    #   --through apart       22 calls, 17 reads and 5 writes; 16 backend reads, 1 saved. The three notes are made at the same
    #                         moment, but each list is read alone: with so many lists, much slower.
    #   --through serial      22 calls, 17 reads and 5 writes; 17 backend reads, 0 saved. Right too, and much slower.
    #   --through actor       17 backend reads, 0 saved, and reads that were asked for after the edit or the deletion miss it:
    #                         answers are wrong, as expected.
    {"at": 0.0, "call": "add", "id": 1, "text": "Pack", "takes": 0.05}
    {"at": 0.0, "call": "add", "id": 2, "text": "Buy the tickets", "takes": 0.05}
    {"at": 0.0, "call": "add", "id": 3, "text": "Call Ann", "takes": 0.05}
    {"at": 0.3, "call": "readAll", "takes": 0.3}
    {"at": 0.3, "call": "readAll", "takes": 0.3}
    {"at": 0.3, "call": "read", "id": 1, "takes": 0.2}
    {"at": 0.3, "call": "read", "id": 2, "takes": 0.2}
    {"at": 0.3, "call": "readAll", "takes": 0.3}
    {"at": 0.3, "call": "read", "id": 1, "takes": 0.2}
    {"at": 0.3, "call": "read", "id": 1, "takes": 0.2}
    {"at": 0.3, "call": "readAll", "takes": 0.3}
    {"at": 0.3, "call": "update", "id": 1, "text": "Pack the small tent", "takes": 0.25}
    {"at": 0.3, "call": "readAll", "takes": 0.3}
    {"at": 0.3, "call": "read", "id": 1, "takes": 0.2}
    {"at": 0.3, "call": "readAll", "takes": 0.3}
    {"at": 0.3, "call": "read", "id": 1, "takes": 0.2}
    {"at": 0.3, "call": "readAll", "takes": 0.3}
    {"at": 0.3, "call": "read", "id": 1, "takes": 0.2}
    {"at": 1.4, "call": "delete", "id": 3, "takes": 0.2}
    {"at": 1.4, "call": "readAll", "takes": 0.3}
    {"at": 1.4, "call": "readAll", "takes": 0.3}
    {"at": 1.4, "call": "readAll", "takes": 0.3}

    """
}
