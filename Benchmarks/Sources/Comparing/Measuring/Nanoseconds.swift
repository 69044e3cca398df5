/// How long it took, in nanoseconds.
package func nanoseconds(
  isolation: isolated (any Actor)? = #isolation, _ body: () async -> Void
) async -> Double {
  let (seconds, attoseconds) = await ContinuousClock().measure(body).components
  return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
}

/// How many jobs a round has at least: short ones are repeated until there is something to see.
package let jobsOfShortRound = 1_000

/// The cost of each job, as the mean over as many repetitions as make a round.
package func nanosecondsPerJob(
  depth: Int, jobsOfRound: Int = jobsOfShortRound, _ once: () async -> Double
) async -> Double {
  let times = max(1, jobsOfRound / depth)
  var sum = 0.0
  for _ in 0..<times { sum += await once() }
  return sum / Double(times * depth)
}
