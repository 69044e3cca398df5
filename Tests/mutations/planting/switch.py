"""Sources with many bugs, of which none or one is there when they run: the one whose number is in `PLANTED_BUG`."""

from source import Body, bodies, is_expression, masked

SWITCH = """\
import Glibc

@usableFromInline let plantedBug = getenv("PLANTED_BUG").flatMap { Int(String(cString: $0)) } ?? 0
"""

LONGEST_HEADER = 12


class Outside(Exception):
    """A mutation changes more than bodies of functions."""


class SwitchedFile:
    """A file, and what bugs make of its bodies."""

    def __init__(self, text):
        self.text = text
        self.bodies = bodies(masked(text))
        self.variants = {}  # index of a body: [(number, text)]
        self.lines = []  # (first, last, number or None, index of the body)

    def add(self, number, mutated):
        """Adds a bug, given the whole file with it. Raises `Outside`."""
        others = bodies(masked(mutated))
        if _frame(self.text, self.bodies) != _frame(mutated, others):
            raise Outside()
        for index, (mine, other) in enumerate(zip(self.bodies, others)):
            text = mutated[other.start : other.end]
            if text != self.text[mine.start : mine.end]:
                self.variants.setdefault(index, []).append((number, text))

    def remove(self, number):
        """Removes a bug; nothing happens if it is not there."""
        for index, variants in list(self.variants.items()):
            self.variants[index] = [each for each in variants if each[0] != number]
            if not self.variants[index]:
                del self.variants[index]

    def render(self):
        """Returns the text with all bugs, and notes which lines are whose."""
        out, done, self.lines = _Lines(), 0, []
        for index, body in enumerate(self.bodies):
            if index not in self.variants:
                continue
            out.add(self.text[done : body.start] + "\nlet plantedNumber = plantedBug\n")
            for number, text in self.variants[index]:
                out.add(f"if plantedNumber == {number} {{\n")
                self._add_copy(out, text, body, number, index)
                out.add("\n} else ")
            out.add("{\n")
            self._add_copy(out, self.text[body.start : body.end], body, None, index)
            out.add("\n}\n")
            done = body.end
        out.add(self.text[done:])
        return out.text()

    def _add_copy(self, out, text, body: Body, number, index):
        code = masked(text)
        if body.has_value and is_expression(code):
            start = len(code) - len(code.lstrip())
            text = text[:start] + "return " + text[start:]
        first = out.line
        out.add(text)
        self.lines.append((first, out.line, number, index))

    def blamed(self, line):
        """Returns the numbers of the bugs that an error in this line of what was rendered may come from."""
        for first, last, number, index in self.lines:
            if first - 1 <= line <= last + 1:
                return {number} if number else self._numbers(index)
            # Some errors are reported where the function begins.
            if line < first <= line + LONGEST_HEADER:
                return self._numbers(index)
        # Others where it ends.
        return next((self._numbers(index) for _, last, _, index in self.lines if last < line <= last + 4), set())

    def _numbers(self, index):
        return {number for number, _ in self.variants[index]}


class _Lines:
    def __init__(self):
        self.parts, self.line = [], 1

    def add(self, text):
        self.parts.append(text)
        self.line += text.count("\n")

    def text(self):
        return "".join(self.parts)


def _frame(text, found):
    """Returns what is not in a body; white space does not count."""
    parts, done = [], 0
    for body in found:
        parts.append(text[done : body.start])
        done = body.end
    return [part.split() for part in parts + [text[done:]]]


def plant_all(mutations, sources):
    """Plants the mutations behind a switch. The number of each is its index, plus one.

    Returns the files, and the mutations that have to be built alone.
    """
    files, alone = {}, []
    for number, mutation in enumerate(mutations, 1):
        if mutation.is_alone:
            alone.append(mutation)
            continue
        changed = mutation.apply(sources)
        try:
            for path, text in changed.items():
                files.setdefault(path, SwitchedFile(sources[path])).add(number, text)
        except Outside:
            alone.append(mutation)
            for file in files.values():
                file.remove(number)
    return files, alone
