"""A copy of the package in which bugs are planted, built and run."""

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from typing import NamedTuple

MODULES = ("SerialTasks", "SerialTasksFenced", "SerialTasksTesting")
SWITCH_FILE = "PlantedBug.swift"
ERROR = re.compile(r"^(/\S+\.swift):(\d+):\d+: (?:fatal )?error: (.*)", re.MULTILINE)
CRASH = re.compile(r"While [^\n]*?(/[^\s\[\]:]+\.swift):(\d+)")
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


def sources_of(root):
    """Returns what may be mutated: the text of each file by its path in the package."""
    return {
        str(path.relative_to(root)): path.read_text()
        for module in MODULES
        for path in sorted((root / "Sources" / module).rglob("*.swift"))
    }


class Workshop:
    def __init__(self, root, folder):
        self.root, self.folder, self.sources = root, folder, sources_of(root)
        for source in [root / "Package.swift", *files_below(root / "Sources"), *files_below(root / "Tests")]:
            path = source.relative_to(root)
            if str(path) not in self.sources and path.suffix != ".mutation":
                _write(folder / path, source.read_bytes())
        # Of what is kept: files that have been moved would be compiled twice.
        for path in files_below(folder / "Tests"):
            if not (root / path.relative_to(folder)).exists():
                path.unlink()

    def write(self, changed):
        """Writes the sources with these changes. What is as it was is not written, and not built again."""
        files = self.sources | changed
        for path, text in files.items():
            _write(self.folder / path, text.encode())
        for path in files_below(self.folder / "Sources"):
            name = str(path.relative_to(self.folder))
            if name not in files and not (self.root / name).exists():
                path.unlink()

    def build(self):
        return self.run(["swift", "build", "--build-tests"])

    def build_release(self):
        return self.run(["swift", "build", "-c", "release", "--product", "explore"])

    def tests(self, pattern, bug=0, is_long=False, limit=None):
        bundle = self.folder / ".build/debug/SerialTasksPackageTests.xctest"
        settings = {"SERIALTASKS_LONG": "1"} if is_long else {}
        if bug:
            settings["SERIALTASKS_PATIENCE"] = "5"
        command = [bundle, "--testing-library", "swift-testing", "--filter", pattern]
        return self.run(command, bug=bug, limit=limit, until=FAILURE if bug else None, **settings)

    def test_names(self):
        return self.run(["swift", "test", "list", "--skip-build"]).output.splitlines()

    def explore(self, *options, bug=0, limit=None):
        return self.run([self.folder / ".build/release/explore", *options], bug=bug, limit=limit)

    def run(self, command, bug=0, limit=None, until=None, **settings):
        """Runs a command in a process group of its own, and kills what is left of that at its end, when the time is over, or when
        it has printed what ends it."""
        began = time.monotonic()
        # A backtrace takes many seconds for each bug that ends its process.
        settings |= {"SWIFT_BACKTRACE": "enable=no", "PLANTED_BUG": str(bug)}
        # Not a pipe: processes that a killed test has started may hold it open.
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(
                [str(word) for word in command], cwd=self.folder, env=os.environ | settings, start_new_session=True,
                stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
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


def files_below(folder):
    return (path for path in sorted(folder.rglob("*")) if path.is_file())


def _write(path, data):
    if not path.exists() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
