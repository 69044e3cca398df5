"""A planted bug: what its file says, and the sources with it."""

import re
from pathlib import Path

PART = re.compile(r"^--- (find|replace|model|tests|soak|alone)(?:[ ]+|$)", re.MULTILINE)


class DoesNotApply(Exception):
    """What a mutation replaces is not in the sources exactly once."""


class Mutation:
    is_generated = is_accepted = False

    def __init__(self, name, text):
        """Raises `DoesNotApply` if it replaces nothing."""
        self.name = name
        self.changes = []
        self.tests = self.model = self.soak = None
        self.is_alone = False
        parts = PART.split(text)[1:]
        for kind, value in zip(parts[::2], parts[1::2]):
            if kind == "find":
                self.changes.append([value, None])
            elif kind == "replace" and self.changes and self.changes[-1][1] is None:
                self.changes[-1][1] = value.strip("\n").rstrip()
            elif kind == "alone":
                self.is_alone = True
            elif kind in ("tests", "model", "soak"):
                setattr(self, kind, value.strip())
        if not self.changes or any(instead is None for _, instead in self.changes):
            raise DoesNotApply("finds nothing")

    @classmethod
    def read(cls, path):
        return cls(path.stem, Path(path).read_text())

    def apply(self, sources):
        """Returns the files that it changes, with the bug. White space does not count in what it replaces."""
        changed = {}
        for wanted, instead in self.changes:
            words = wanted.split()
            pattern = re.compile(r"\s+".join(map(re.escape, words)))
            found = []
            for path, text in sources.items():
                text = changed.get(path, text)
                if all(word in text for word in words):
                    found += [(path, text, match) for match in pattern.finditer(text)]
            if len(found) != 1:
                raise DoesNotApply(f"no longer applies: found {len(found)} times: {' '.join(words)}")
            path, text, match = found[0]
            changed[path] = text[: match.start()] + instead + text[match.end() :]
        return changed

    def check_tests(self, suites):
        """Raises `DoesNotApply` if it names a suite of tests that is not there."""
        for name in re.findall(r"\w+Tests\b", self.tests or ""):
            if name not in suites:
                raise DoesNotApply(f"names tests that are not there: {name}")
