"""A copy of the package in which bugs are planted, built and run."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

SWITCH_FILE = "PlantedBug.swift"
# The package of the explorer.
EXPLORER = "Tests/explore"
ERROR = re.compile(r"^(/\S+\.swift):(\d+):\d+: (?:fatal )?error: (.*)", re.MULTILINE)
# The place is in the line that says what the compiler did, or in the next one, with the function.
CRASH = re.compile(r"(?:While [^\n]*?|^ for '[^\n]*\(at )(/[^\s\[\]:]+\.swift):(\d+)", re.MULTILINE)
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# The first failure says that a bug is caught; others may each wait in vain.
FAILURE = re.compile("✘ Test .* (recorded an issue|failed)[^\n]*\n".encode())


class Outcome(NamedTuple):
    status: int
    output: str
    is_late: bool
    seconds: float

    @property
    def is_good(self):
        return self.status == 0 and not self.is_late


class Package(NamedTuple):
    """A package of the repository in which bugs are planted."""

    # Where it is, where its bugs are, and in which of its modules they may be.
    folder: str
    mutations: str
    modules: tuple
    tests: str
    # Whether the explorer is built with it.
    is_explored: bool
    test_options: tuple = ()
    # What of it is compiled.
    environment: dict = {}

    def sources(self, root):
        """Returns what may be mutated: the text of each file by its path in the repository."""
        return {
            str(path.relative_to(root)): path.read_text()
            for module in self.modules
            for path in sorted((root / self.folder / "Sources" / module).rglob("*.swift"))
            if "Generated" not in path.parts
        }


LIBRARY = Package(
    ".", "Tests/mutations", ("SerialTasks", "CoalescingTasks", "SerialTasksFenced", "SerialTasksTesting"),
    "SerialTasksPackageTests", True,
    # They read pages that the copy lacks, and the filters of rooms may match them.
    ("--skip", r"\.(Code|Readme)Tests"))
SERVICE = Package(
    "Benchmarks/Service", "Benchmarks/Service/Tests/mutations", ("Bank", "Etcd", "Postgres"), "ServicePackageTests", False,
    # With their servers, all tests at once take more than two cores have.
    ("--no-parallel",), {"SERIALTASKS_ETCD": "1"})


class Workshop:
    def __init__(self, package, root, folder):
        self.package, self.root, self.folder, self.sources = package, root, folder, package.sources(root)
        self.place = folder / package.folder
        for source in (each for home in {".", package.folder} for each in files_of(root / home)):
            path = source.relative_to(root)
            if str(path) not in self.sources and path.suffix != ".mutation":
                _write(folder / path, source.read_bytes())
        # Of what is kept: files that have been moved would be compiled twice.
        for path in files_below(self.place / "Tests"):
            if not (root / path.relative_to(folder)).exists():
                path.unlink()
        # Of the library, which is inlined: its clients are not compiled again if only the body of what is inlined has changed.
        if package is LIBRARY:
            for objects in (self.place / ".build/debug").glob("*.build"):
                shutil.rmtree(objects)

    def write(self, changed):
        """Writes the sources with these changes. What is as it was is not written, and not built again."""
        files = self.sources | changed
        for path, text in files.items():
            _write(self.folder / path, text.encode())
        for path in files_below(self.place / "Sources"):
            name = str(path.relative_to(self.folder))
            if name not in files and not (self.root / name).exists():
                path.unlink()

    def build_library(self):
        """Builds the modules in which bugs are planted: what does not compile is soon seen."""
        for module in self.package.modules:
            outcome = self.run(["swift", "build", "--target", module])
            if not outcome.is_good:
                break
        return outcome

    def build(self, with_explorer=True):
        outcome = self.run(["swift", "build", "--build-tests"])
        if outcome.is_good and self.package.is_explored and with_explorer:
            return self.run(["swift", "build", "--package-path", EXPLORER, "-c", "release", "--product", "explore"])
        return outcome

    def tests(self, pattern, bug=0, is_long=False, limit=None):
        bundle = self.place / f".build/debug/{self.package.tests}.xctest"
        settings = {"SERIALTASKS_LONG": "1"} if is_long else {}
        if bug:
            settings["SERIALTASKS_PATIENCE"] = "3"
        command = [bundle, "--testing-library", "swift-testing", "--filter", pattern, *self.package.test_options]
        return self.run(command, bug=bug, limit=limit, until=FAILURE if bug else None, **settings)

    def test_names(self):
        return self.run(["swift", "test", "list", "--skip-build"]).output.splitlines()

    def explore(self, *options, bug=0, limit=None):
        return self.run([self.place / EXPLORER / ".build/release/explore", *options], bug=bug, limit=limit)

    def run(self, command, bug=0, limit=None, until=None, **settings):
        """Runs a command in a process group of its own, and kills what is left of that at its end, when the time is over, or when
        it has printed what ends it."""
        began = time.monotonic()
        # A backtrace takes many seconds for each bug that ends its process.
        settings |= {"SWIFT_BACKTRACE": "enable=no", "PLANTED_BUG": str(bug)}
        # Not a pipe: processes that a killed test has started may hold it open.
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [str(word) for word in command], cwd=self.place, env=os.environ | self.package.environment | settings,
                start_new_session=True, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
            is_late = False
            try:
                if until is None:
                    process.wait(limit)
                else:
                    _wait(process, limit, output, until)
            except subprocess.TimeoutExpired:
                is_late = True
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            output.seek(0)
            text = COLOUR.sub("", output.read().decode(errors="replace"))
        return Outcome(process.returncode, text, is_late, time.monotonic() - began)

    def errors(self, output):
        """Returns where the compiler found errors, or crashed: path, line and message."""
        found = ERROR.findall(output) or [(*place, "the compiler crashes") for place in CRASH.findall(output)]
        return [(os.path.relpath(path, self.folder), int(line), message) for path, line, message in found]


def _wait(process, limit, output, until):
    """Waits for the end of a process, or until it has printed this, at most so many seconds."""
    began, length = time.monotonic(), 0
    while process.poll() is None:
        if limit is not None and time.monotonic() - began > limit:
            raise subprocess.TimeoutExpired(process.args, limit)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(0.1)
        if os.fstat(output.fileno()).st_size > length:
            text = os.pread(output.fileno(), 1 << 24, 0)
            length = len(text)
            if until.search(text):
                return


def files_of(package):
    return [package / "Package.swift", *files_below(package / "Sources"), *files_below(package / "Tests")]


def files_below(folder):
    """Returns the files of a folder, without what is built there."""
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if name != ".build")
        yield from (Path(place) / name for name in sorted(names))


def _write(path, data):
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
