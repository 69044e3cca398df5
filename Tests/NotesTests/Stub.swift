@testable import notes
