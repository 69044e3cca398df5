"""Says whether a planted bug is caught, and by what."""

import re
import threading
from typing import NamedTuple


class Verdict(NamedTuple):
    is_caught: bool
    words: str


class Broken(Exception):
    """The library is red without a bug: whatever is planted would be caught."""


# So many schedules are explored of the programs that are to catch a generated mistake.
GENERATED = 20_000
# By this the schedules are divided that are explored without a bug: they only measure how long a run takes.
SHARE = 10


class Tests:
    """Runs the tests that a bug names, at most as long as those of all bugs take without a bug, or a minute."""

    TIMES = 1

    def __init__(self, workshop):
        self.workshop = workshop
        self.limits = {}

    def check_without_bugs(self, mutations):
        """Raises `Broken` if anything is red, or if a filter names no test."""
        names = self.workshop.test_names()
        generated = sorted({pattern for mutation in mutations if mutation.is_generated for pattern in mutation.suites})
        for pattern in generated:
            self._measure(pattern, lambda: self.workshop.tests(pattern))
        filters = sorted({mutation.tests for mutation in mutations if mutation.tests})
        for pattern in filters:
            if not any(re.search(pattern, name) for name in names):
                raise Broken(f"no test is named by: {pattern}")
        if filters:
            print(f"testing what there is without a bug: {len(filters)} filters", flush=True)
            self._measure("tests", lambda: self.workshop.tests("|".join(filters)))

    def _measure(self, what, run, share=1):
        outcome = run()
        if not outcome.is_good:
            failed = [line for line in outcome.output.splitlines() if "✘" in line] or outcome.output.splitlines()[-50:]
            words = f"red without a bug ({what}):\n" + "\n".join(failed)
            # The patience is short here, and the machine full: what is red has to be so twice.
            print(words, flush=True)
            outcome = run()
            if not outcome.is_good:
                raise Broken(words)
        self.limits[what] = max(60, self.TIMES * share * outcome.seconds)

    def check(self, mutation, bug=0):
        """Runs what is to catch the bug of this number, which is 0 if it is there in any case."""
        if mutation.is_generated:
            return self._check_suites(mutation.suites, bug)
        return mutation.tests and self._test(mutation.tests, bug) or Verdict(False, "SURVIVED")

    def _check_suites(self, patterns, bug):
        for pattern in patterns:
            outcome = self.workshop.tests(pattern, bug, limit=self.limits[pattern])
            if not outcome.is_good:
                return Verdict(True, f"caught by swift test --filter '{pattern}'{_ended(outcome)}")
        return Verdict(False, "SURVIVED")

    def _test(self, pattern, bug):
        outcome = self.workshop.tests(pattern, bug, limit=self.limits["tests"])
        if outcome.is_good:
            return None
        return Verdict(True, f"caught by swift test --filter {pattern}{_ended(outcome)}")


class Judge(Tests):
    """Runs tests, their long forms and schedules, each three times as long."""

    TIMES = 3

    def __init__(self, workshop, schedules):
        super().__init__(workshop)
        self.schedules = schedules
        self.lock = threading.Lock()

    def check_without_bugs(self, mutations):
        super().check_without_bugs(mutations)
        models = sorted({mutation.model for mutation in mutations if mutation.model})
        few = max(1, int(self.schedules) // SHARE)
        print(f"exploring {few} schedules of the library as it is, and of {len(models)} models", flush=True)
        if not all(mutation.is_generated for mutation in mutations):
            self._measure("all models", lambda: self.workshop.explore("--schedules", few), SHARE)
        for model in models:
            self._measure(model, lambda: self.workshop.explore("--schedules", few, "--model", model), SHARE)

    def check(self, mutation, bug=0):
        # Programs are faster than suites.
        if mutation.is_generated and mutation.model and (verdict := self._explore(mutation, bug, GENERATED)):
            return verdict
        verdict = super().check(mutation, bug)
        if verdict.is_caught or mutation.is_generated:
            return verdict
        if verdict_of_schedules := self._explore(mutation, bug, self.schedules):
            return verdict_of_schedules
        if mutation.soak:
            limit = 120 * float(mutation.soak)
            outcome = self.workshop.explore("--soak", mutation.soak, bug=bug, limit=limit)
            if not outcome.is_good:
                return Verdict(True, f"caught by explore --soak {mutation.soak}{_broken(outcome)}")
        return verdict

    def _explore(self, mutation, bug, schedules):
        options = ("--model", mutation.model) if mutation.model else ()
        limit = self.limits[mutation.model or "all models"]
        outcome = self.workshop.explore("--schedules", schedules, *options, bug=bug, limit=limit)
        return None if outcome.is_good else Verdict(True, f"caught by explore{_broken(outcome)}")

    def _test(self, pattern, bug):
        if verdict := super()._test(pattern, bug):
            return verdict
        # The long form of those that are green has not been measured yet.
        with self.lock:
            key = f"long {pattern}"
            if key not in self.limits and bug:
                self._measure(key, lambda: self.workshop.tests(pattern, is_long=True))
        outcome = self.workshop.tests(pattern, bug, is_long=True, limit=self.limits.get(key, 10 * self.limits["tests"]))
        if not outcome.is_good:
            return Verdict(True, f"caught by SERIALTASKS_LONG=1 swift test --filter {pattern}{_ended(outcome)}")
        return None


def _ended(outcome):
    if outcome.is_late:
        return ", which did not end"
    failed = re.search(r"✘ Test (?!run|case)(.*?) (?:failed|recorded)", outcome.output)
    if failed:
        return f", {failed.group(1)}"
    return f", signal {-outcome.status}" if outcome.status < 0 else f", status {outcome.status}"


def _broken(outcome):
    found = re.search(r"^BROKEN (?:in |on real threads: )(.*)", outcome.output, re.MULTILINE)
    seed = re.search(r"^  (seed .*)", outcome.output, re.MULTILINE)
    return "".join(f", {each.group(1)}" for each in (found, seed) if each) or _ended(outcome)
