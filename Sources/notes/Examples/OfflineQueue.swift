extension Example {
  static let offlineQueueScript = """
    # An offline queue is replayed: swift run notes --example an-offline-queue
    # A phone comes back online and sends, all at once, what was done on the train; each line needs what the lines before it have
    # done, and those that come later take less and less time. The list that is loaded at the end must have all of it.
    # What it should show:
    #   --through coalescing  12 calls, 2 reads and 10 writes; 1 backend read, 1 saved; 10 waits for a turn; 1 failed. The writes run
    #                         one after the other, in their order; the second reader joins the first. Note 2 was deleted before its
    #                         last edit, so that edit must fail. The store holds 2 notes.
    #   --through touching    The same counts: every write touches the list, so one write waits for another.
    #   --through apart       12 calls, 2 reads and 10 writes; 2 backend reads, 0 saved; 9 waits for a turn; 1 failed. The edits of
    #                         each note stay in order, and those of different notes run at the same time. The same store.
    #   --through serial      12 calls, 2 reads and 10 writes; 2 backend reads, 0 saved; 11 waits for a turn; 1 failed. The same store.
    #   --through actor       Everything at once: most edits find no note to edit yet, and the store is wrong, as
    #                         expected.
    {"call": "add", "id": 1, "text": "Pack", "takes": 0.30}
    {"call": "add", "id": 2, "text": "Buy the tickets", "takes": 0.28}
    {"call": "update", "id": 1, "text": "Pack the tent", "takes": 0.26}
    {"call": "update", "id": 1, "text": "Pack the small tent", "takes": 0.24}
    {"call": "update", "id": 2, "text": "Buy the tickets (done)", "takes": 0.22}
    {"call": "delete", "id": 2, "takes": 0.20}
    {"call": "update", "id": 2, "text": "Print the tickets", "takes": 0.18}
    {"call": "add", "id": 3, "text": "Call Ann", "takes": 0.16}
    {"call": "update", "id": 3, "text": "Call Ann from the train", "takes": 0.14}
    {"call": "update", "id": 1, "text": "Pack the small tent and the stove", "takes": 0.12}
    {"call": "readAll", "takes": 0.20}
    {"call": "readAll", "takes": 0.20}

    """
}
