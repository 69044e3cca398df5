extension Example {
  static let busyMinuteScript = """
    # A busy minute in three seconds: swift run notes --example a-busy-minute
    # Two notes are made. Then edits of one of them are asked for faster than they can be written, a screen reads in between, and
    # the note is deleted while edits of it still wait. The last edit comes too late, and fails.
    {"at": 0.0, "call": "add", "id": 1, "text": "Pack", "takes": 0.2}
    {"at": 0.0, "call": "add", "id": 2, "text": "Buy the tickets", "takes": 0.2}
    {"at": 0.1, "call": "readAll", "takes": 0.3}
    {"at": 0.5, "call": "update", "id": 1, "text": "Pack the tent", "takes": 0.4}
    {"at": 0.6, "call": "update", "id": 1, "text": "Pack the tent and the stove", "takes": 0.3}
    {"at": 0.7, "call": "read", "id": 1, "takes": 0.1}
    {"at": 0.8, "call": "update", "id": 1, "text": "Pack the small tent", "takes": 0.3}
    {"at": 0.9, "call": "delete", "id": 1, "takes": 0.2}
    {"at": 0.9, "call": "update", "id": 2, "text": "Buy the tickets (done)", "takes": 0.2}
    {"at": 1.0, "call": "readAll", "takes": 0.2}
    {"at": 1.0, "call": "update", "id": 1, "text": "Pack the stove only", "takes": 0.3}
    {"at": 2.9, "call": "read", "id": 2, "takes": 0.1}

    """
}
