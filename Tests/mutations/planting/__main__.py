"""The command line of `Tests/mutations/run`."""

import argparse
import fnmatch
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from judge import Broken, Judge, Tests, Verdict
from mistakes import Mistake, accepted, mistakes
from mutation import DoesNotApply, Mutation
from switch import SWITCH, plant_all
from workshop import LIBRARY, SERVICE, SWITCH_FILE, Workshop

ROOT = Path(__file__).resolve().parent.parent.parent.parent
MOST_BUILDS = 16


def main():
    options = arguments()
    if options.self_test:
        suite = unittest.defaultTestLoader.discover(Path(__file__).parent)
        return 0 if unittest.TextTestRunner().run(suite).wasSuccessful() else 1
    package = SERVICE if options.service else LIBRARY
    sources = package.sources(ROOT)
    mutations, failed = applicable(package, chosen(package, options), sources)
    generated, unknown = chosen_mistakes(package, options, sources)
    mutations, failed = mutations + generated, failed + unknown
    if options.list:
        for mistake in generated:
            print(f"{mistake.name:49} {mistake.describe(sources)}")
        return 0
    if options.applies:
        print(f"{len(mutations)} of {len(mutations) + failed} mutations apply")
        return 1 if failed else 0
    try:
        if options.keep:
            Path(options.keep).mkdir(parents=True, exist_ok=True)
            return check_all(Workshop(package, ROOT, Path(options.keep).resolve()), mutations, failed, options)
        with tempfile.TemporaryDirectory() as folder:
            return check_all(Workshop(package, ROOT, Path(folder).resolve()), mutations, failed, options)
    except Broken as error:
        print(error)
        return 1


def arguments():
    parser = argparse.ArgumentParser(
        prog="Tests/mutations/run",
        description="Plants bugs into a copy of the package and demands that a test or the explorer catches each of them.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="the mutations to plant; all if none is named")
    parser.add_argument("--service", action="store_true", help="plant those of the engines and the bank in Benchmarks/Service, which needs etcd and PostgreSQL")
    parser.add_argument("--generated", metavar="N", help="make so many mistakes from the syntax too, others with each commit, or `all`: then with the accepted survivors, and names those that are caught")
    parser.add_argument("--list", action="store_true", help="build nothing; list the generated mistakes, or the named ones")
    parser.add_argument("--applies", action="store_true", help="build nothing; list those that no longer find what they replace, or name tests that are not there")
    parser.add_argument("--update", action="store_true", help="mark those that do not compile behind the switch: `--- alone`")
    parser.add_argument("--keep", metavar="FOLDER", help="use this copy and keep it, so that the next run builds less")
    parser.add_argument("--jobs", type=int, metavar="N", default=os.cpu_count(), help="run so many bugs at a time")
    parser.add_argument("--self-test", action="store_true", help="test the planter")
    return parser.parse_args()


def chosen(package, options):
    folder = ROOT / package.mutations
    names = sorted(path.stem for path in folder.glob("*.mutation"))
    wanted = [name for name in options.names if "." not in name]
    for name in wanted:
        if name not in names:
            sys.exit(f"no such mutation: {name}")
    if options.list or options.names and not wanted:
        return []
    return wanted or names


def commits():
    """Returns how many commits there are: a seed that is another with each."""
    counted = subprocess.run(["git", "-C", ROOT, "rev-list", "--count", "HEAD"], capture_output=True, text=True).stdout
    return int(counted or 0)


def chosen_mistakes(package, options, sources):
    """Returns the generated mistakes that are asked for, and how many accepted survivors are none, each of which is printed."""
    if package is not LIBRARY:
        return [], 0
    made = {mistake.name: mistake for mistake in mistakes(sources)}
    unknown = []
    for pattern in accepted(ROOT / package.mutations / "survivors"):
        found = fnmatch.filter(made, pattern.lstrip("!"))
        for name in found:
            made[name].is_accepted = not pattern.startswith("!")
        if not found:
            print(f"{pattern:49} is accepted as a survivor, and no mistake that is made")
            unknown.append(pattern)
    for name in options.names:
        if "." in name and name not in made:
            sys.exit(f"no such mistake: {name}")
    if options.names:
        return [made[name] for name in options.names if "." in name], len(unknown)
    if options.list or options.generated == "all":
        return list(made.values()), len(unknown)
    others = [mistake for mistake in made.values() if not mistake.is_accepted]
    return random.Random(commits()).sample(others, min(int(options.generated or 0), len(others))), len(unknown)


def applicable(package, names, sources):
    """Returns the mutations that apply, and how many do not, each of which is printed."""
    mutations, failed, suites = [], 0, suites_of(package)
    for name in names:
        try:
            mutation = Mutation.read(ROOT / package.mutations / f"{name}.mutation")
            mutation.apply(sources)
            mutation.check_tests(suites)
            mutations.append(mutation)
        except DoesNotApply as error:
            print(f"{name:49} {error}")
            failed += 1
    return mutations, failed


def suites_of(package):
    """Returns the names of the suites of tests, and of the folders that they are in."""
    tests = ROOT / package.folder / "Tests"
    return {
        name
        for path in tests.glob("*Tests/**/*.swift")
        for name in (path.relative_to(tests).parts[0], *re.findall(r"(?:struct|class) (\w+Tests)\b", path.read_text()))
    }


def check_all(workshop, mutations, failed, options):
    began, total = time.monotonic(), len(mutations) + failed
    alone = build(workshop, mutations, options.update)
    judge = judge_for(workshop, options)
    judge.check_without_bugs(mutations)
    failed += check_together(judge, mutations, alone, options.jobs)
    meaningless = [mutation for mutation in alone if mutation.is_generated]
    for mutation in alone:
        if not mutation.is_generated:
            failed += report(mutation, *timed(check_alone, workshop, judge, mutation))
    seconds = time.monotonic() - began
    together, total = len(mutations) - len(alone), total - len(meaningless)
    print(
        f"{total - failed} of {total} mutations caught or accepted, {together} in one build, {len(alone) - len(meaningless)} alone; "
        f"{len(meaningless)} generated ones do not compile ({seconds:.0f} s)")
    return 1 if failed else 0


def judge_for(workshop, options):
    if not workshop.package.is_explored:
        return Tests(workshop)
    return Judge(workshop, os.environ.get("SCHEDULES", "200000"))


def build(workshop, mutations, is_update):
    """Builds all bugs that compile behind the switch, and returns the others."""
    switch = {
        str(Path(workshop.package.folder) / "Sources" / module / SWITCH_FILE): SWITCH for module in workshop.package.modules
    }
    for _ in range(MOST_BUILDS):
        files, alone = plant_all(mutations, workshop.sources)
        print(f"building {len(mutations) - len(alone)} bugs at once", flush=True)
        workshop.write(switch | {path: file.render() for path, file in files.items()})
        outcome = workshop.build_library()
        if outcome.is_good:
            outcome = workshop.build(with_explorer=any(mutation.model or not mutation.is_generated for mutation in mutations))
        if outcome.is_good:
            return alone
        errors = workshop.errors(outcome.output)
        blamed = set().union(*(files[path].blamed(line) for path, line, _ in errors if path in files))
        if not blamed:
            raise Broken(outcome.output)
        for mutation in (mutations[number - 1] for number in sorted(blamed)):
            mutation.is_alone = True
            if mutation.is_generated:
                continue
            print(f"{mutation.name:49} does not compile behind the switch" + ("" if is_update else ", try --update"))
            if is_update:
                with (workshop.root / workshop.package.mutations / f"{mutation.name}.mutation").open("a") as file:
                    file.write("--- alone\n")
        if not all(mutations[number - 1].is_generated for number in blamed):
            for path, line, message in errors:
                print(f"  {path}:{line}: {message}", flush=True)
    raise Broken(f"does not compile after {MOST_BUILDS} builds")


def check_together(judge, mutations, alone, jobs):
    """Returns how many survive, also when they are tried once more, one at a time."""
    with ThreadPoolExecutor(jobs) as pool:
        runs = {
            pool.submit(timed, judge.check, mutation, number): (mutation, number)
            for number, mutation in enumerate(mutations, 1)
            if mutation not in alone
        }
        try:
            survivors = [runs[run] for run in as_completed(runs) if report(runs[run][0], *run.result())]
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return sum(report(mutation, *timed(judge.check, mutation, number)) for mutation, number in survivors)


def check_alone(workshop, judge, mutation):
    workshop.write(mutation.apply(workshop.sources))
    outcome = workshop.build()
    if not outcome.is_good:
        return Verdict(False, f"ERROR  does not build: {workshop.errors(outcome.output)[:1]}")
    return judge.check(mutation)


def timed(check, *arguments):
    start = time.monotonic()
    return check(*arguments), time.monotonic() - start


def report(mutation, verdict, seconds):
    """Prints how it ended, and returns 1 if it was not caught, and that is not accepted."""
    words = verdict.words
    if mutation.is_accepted:
        words += ": take it out of the survivors" if verdict.is_caught else ", as is accepted"
    print(f"{mutation.name:49} {words} ({seconds:.0f} s)", flush=True)
    return 0 if verdict.is_caught or mutation.is_accepted else 1


if __name__ == "__main__":
    sys.exit(main())
