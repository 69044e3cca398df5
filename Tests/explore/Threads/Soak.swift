enum Soak { static func run(minutes: Double, seed: UInt64) -> Int32 { 0 } }
enum Million { static func run(seed: UInt64) -> Int32 { 0 } }
