// What the tests are made of: what users of the library have too, and a log and a patient `until` beside it.
@_exported import SerialTasksTesting
@_exported import TestWatch
