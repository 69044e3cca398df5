extension Options {
  static let help = """
    Runs small systems of tasks on one thread, under schedules of its own choosing, and checks the library's promises.

    swift run --package-path Tests/explore -c release explore [options]

      --schedules N     how many schedules, shared by the models (200 000, two minutes: what CI runs)
      --model NAME      only this model; --list names them, and `programs` is those of all types
      --strategy NAME   mixed       every eighth schedule exhaustive, the others random or pct1…3 in turn (the default)
                        random      every choice with the same probability
                        pct1…pct3   random priorities, with up to two changes of them: finds what lies behind many steps
                        exhaustive  every schedule of tiny systems, depth first
      --seed S          the first seed (1). Without --schedules: replays that one schedule, with --model and --strategy,
                        and prints its trace
      --path C.C.C      with --strategy exhaustive: the choices of the schedule to replay
      --preemptions N   with --strategy exhaustive: up to N preemptions in each schedule (1); two for a night
      --choices P.C,…   the choices of the schedule to replay, and --without N.N the parts of its system that are left out:
                        a failing schedule is made small and printed so
      --self-check      checks that the explorer finds what is wrong in wrong models, and makes it small
      --list            the models
      --help            this text

    Long form, for a night: --schedules 10000000 --seed 1000000

    On real threads, without the explorer's scheduler:

      --soak MINUTES    mixes calls of lines and keys, a versioned register, and random programs, and watches that every
                        worker makes progress; with --model, only its programs
      --million         a million jobs, a tenth of them cancelled at random moments: each settled once, in order, and no
                        growth in memory
      --million-keys    a few jobs for each of a million keys, some over several, none of which comes again: the same

    Of `potentialDeadlocks`, beside the deadlocks that happen (Deadlocks):

      --orders          plays the models under a watch, and prints the rings that it reports of each
      --oracle N        compares what the watch reports of one lucky schedule of N random programs with what other schedules
                        of them run into, and gives both numbers; a ring that none of 20 000 closes is tried among more
                        callers, some of which are cancelled

    The status is 0 if every promise held, 1 if one was broken, 2 if the command line was not understood.
    """
}
