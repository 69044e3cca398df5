import SerialTasksTesting
import Testing
@Test func x() async {}
