"""Mistakes that are made from the syntax of the sources: no line of them is quoted.

A mistake is named by its file, its function, its kind and a number, as in `LineState.arrive.drop.2`.
"""

import re
from collections import Counter
from pathlib import Path
from typing import NamedTuple

from source import bodies, masked

# Without what checks, watches for tests, or refuses wrong calls, and what only names things.
LEFT_OUT = re.compile(r"\+(Invariants|Watching|WrongCalls)|Snapshot\.swift|Reason\.swift|Stake\.swift|OrderHook\.swift")
# The rooms whose functions are changed, in any module, and the suites that are to catch that in seconds; then the table is asked.
TABLE = "PromiseTests"
SUITES = {
    "Line": r"LineState|(Attach|Urgency|Submit\w*|LatestWrite|Draft|Pause\w*|KeySet|UnnamedJob|WaitingAtMost|ShutDown|Priority|"
            r"Inside|Deadlock|NoCycle|CycleName|PotentialDeadlock|Read\w*|Foreign\w*|Race|Watching|WaitReport|LongTurn|EscalationPin|CoalescerDrain|Order|"
            r"Fenced(Pause|Report|Limit|Leaving|Failure))Tests|\.Keyed|UnreliableKey|\.Event",
    "Waiting": r"LineState|(Latch|WaitObserver|WaitingAtMost|SubmittedJob|ShutDown|LogOut|Draft|Pause\w*|Deadlock|NoCycle|Watching|EventTime)Tests|Flight|"
               r"RaceTests|Foreign|Sharing|Reload|SerialTasksFencedTests\.Fenced",
    "Submitting": r"(Submit\w*|LatestWrite|Draft|UnnamedJob|WaitingAtMost|HandlerOnTheMainActor|Event)Tests",
    "Deadlocks": r"Cycle|Deadlock|Probe|CopyAt|Foreign|RaceTests|SubmitDetached|Pause|Inside|ShutDown|WaitingAtMost",
    "Coalescing": r"RaceTests|Foreign|PotentialDeadlock|Unreliable|Sharing|Stuck|Coalescer|Flight|Prefetch|LogOut|ShutDown|Watching|WaitReport|Contract",
    "Flights": r"RaceTests|Foreign|CycleName|PotentialDeadlock|Sharing|Coalescer|Flight|Prefetch|Reload|Renewing|Read|Watching|EventTime|LogOut|ShutDown|NoCycle|DeadlockTests",
    "Drafts": r"(Draft|LatestWrite|Unreliable|Register)Tests",
    "Sharing": r"RaceTests|Foreign|Succession|CycleName|PotentialDeadlock|Sharing|Coalescer|Flight|Prefetch|Reload|Renewing|Read|Watching|EventTime|LogOut|ShutDown|NoCycle|DeadlockTests",
    "Reloading": r"RaceTests|Succession|PotentialDeadlock|SharedFlight|Sharing|Reload|LogOut|ShutDown|Watching|WaitReport",
    "Renewing": r"RaceTests|Foreign|Succession|PotentialDeadlock|SharedFlight|Renewing|LogOut|ShutDown|Watching|WaitReport|Contract",
    "Repository": r"RaceTests|Foreign|SharedFlight|Unreliable|PotentialDeadlock|Read|Inside|Draft|LatestWrite|WaitingAtMost|Watching|WaitReport|\.Event",
    "SerialTasksFenced": r"AccessState|SerialTasksFencedTests\.Fenced|Conformance",
    "LockFolder": r"LockFile|LockFolder|ProcessTests|lockedFilesKeep",
}
# The random programs that are asked first, where they are to catch mistakes of a room.
PROGRAMS = {
    "Coalescing": "policy-programs", "Reloading": "load-programs", "Renewing": "renewal-programs", "SerialTasksFenced": "fenced-programs",
}
UNSEEN = re.compile(r"\b(checkInvariants|precondition\w*|assert\w*|fatalError|withExtendedLifetime|(self|super)\.init)\(")

CONDITION = re.compile(r"\b(if|guard|while|where)\b")
STATEMENT = re.compile(r"(?:(?:try[!?]?|await)\s+|_ = )*[A-Za-z_$(]")
LABEL = re.compile(r"(?:case\b[^\n]*?|default):[ \t]+")
PARAMETERS = re.compile(r"(?:\[[^\]]*\]\s*)?(?:\w+(?:, \w+)*|\([^()]*\))(?:\s*->\s*\w+)?\s+in\s+")
KEYWORD = re.compile(
    r"(let|var|if|guard|switch|return|case|default|func|struct|enum|class|else|continue|break|throw|defer|for|while|repeat|do|"
    r"yield|typealias|unowned|weak|lazy|fallthrough)\b")
ASSIGNMENT = re.compile(r"[\w.$!?\[\]() ,]+? (=|[-+|&]=) ")
CALL = re.compile(r"(?:(?:try[!?]?|await)\s+|_ = )*[\w.$!?]+\s?[({]")
OPERATOR = re.compile(r" (&&|\|\||[=!]==?|[<>]=?|[-+*/?]|\?\?|as|is) ")
SWAPS = (
    ("negate", re.compile(r"(?<= )(===|!==|==|!=)(?= )"), {"==": "!=", "!=": "==", "===": "!==", "!==": "==="}),
    ("logic", re.compile(r"(?<= )(&&|\|\|)(?= )"), {"&&": "||", "||": "&&"}),
    ("bound", re.compile(r"(?<= )(<=|>=|<|>)(?= )"), {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}),
    ("end", re.compile(r"(?<=\.)(firstIndex|lastIndex|first|last)\b(?!:)"),
     {"first": "last", "last": "first", "firstIndex": "lastIndex", "lastIndex": "firstIndex"}),
    ("end", re.compile(r"\b(?<!func )(min|max)(?=\()"), {"min": "max", "max": "min"}),
)


class Edit(NamedTuple):
    """A piece of a file, and what is there instead."""

    kind: str
    start: int
    end: int
    text: str


class Mistake:
    """A planted bug that has been made, and not written; it has the interface of `Mutation`."""

    is_generated = True
    is_accepted = is_alone = False
    tests = soak = None

    def __init__(self, name, path, edit):
        self.name, self.path, self.edit = name, path, edit
        self.model = PROGRAMS.get(Path(path).parent.name)

    def apply(self, sources):
        text = sources[self.path]
        return {self.path: text[: self.edit.start] + self.edit.text + text[self.edit.end :]}

    @property
    def suites(self):
        """Returns the filters of the tests that are to catch it, in order."""
        return SUITES[Path(self.path).parent.name], TABLE

    def describe(self, sources):
        """Returns where it is, what is there, and what is put there."""
        text = sources[self.path]
        line = text.count("\n", 0, self.edit.start) + 1
        before = " ".join(text[self.edit.start : self.edit.end].split())
        return f"{self.path}:{line}: {before or 'the beginning'} -> {' '.join(self.edit.text.split())}"


def mistakes(sources):
    """Returns all mistakes that can be made in the files of these rooms, in order."""
    made, count = [], Counter()
    for path, text in sources.items():
        if Path(path).parent.name not in SUITES or LEFT_OUT.search(path):
            continue
        code = masked(text)
        for body in bodies(code):
            for edit in edits(text, code, body):
                stem = f"{Path(path).stem}.{body.name}.{edit.kind}"
                count[stem] += 1
                made.append(Mistake(f"{stem}.{count[stem]}", path, edit))
    return made


def accepted(path):
    """Returns the mistakes of which it is accepted that nothing catches them, and why.

    Each is a line, may end in `*`, and with `!` takes back what a line above it says.
    """
    return dict(line.split(None, 1) for line in Path(path).read_text().splitlines() if line and not line.startswith("#"))


def edits(text, code, body):
    """Returns the mistakes that can be made in a body, in the order of their places."""
    found = {}
    if "#if" in code[body.start : body.end]:
        return []
    for edit in (*_returns(code, body), *_negations(text, code, body), *_drops(text, code, body), *_swaps(code, body)):
        found.setdefault((edit.kind, edit.start, edit.end), edit)
    return sorted(found.values(), key=lambda edit: (edit.start, edit.kind, edit.end))


def _returns(code, body):
    """Returns no or none at once, where that is an answer; elsewhere, statements are dropped."""
    inside = code[body.start : body.end]
    if body.name == "init" or re.search(r"\byield\b", inside):
        return
    for kind, answer in ("Bool", "false"), ("?", "nil"):
        if body.result.endswith(kind) and inside.strip() != answer:
            yield Edit("return", body.start, body.end, f" return {answer} ")


def _negations(text, code, body):
    for start, end in _clauses(code, body):
        yield Edit("negate", start, end, f"!({text[start:end]})")


def _clauses(code, body):
    """Finds the parts of conditions that bind nothing."""
    for word in CONDITION.finditer(code, body.start, body.end):
        start = i = word.end()
        depth, parts = 0, []
        while i < body.end:
            letter = code[i]
            if depth == 0 and (
                letter == "{" and word.group() != "guard"
                or word.group() == "guard" and re.match(r"\belse\b", code[i:i + 5]) and code[i - 1].isspace()
                or word.group() == "where" and letter == ":"
            ):
                parts.append((start, i))
                break
            if letter == "," and depth == 0:
                parts.append((start, i))
                start = i + 1
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(letter, 0)
            if depth < 0:
                break
            i += 1
        for first, last in parts:
            part = code[first:last]
            first += len(part) - len(part.lstrip())
            last = first + len(part.strip())
            if last > first and not re.match(r"(let|var|case|true)\b|#", part.strip()):
                yield first, last


def _statements(code, body):
    """Finds the statements that are calls or assignments."""
    stack, starts = [], [body.start]
    for i in range(body.start, body.end):
        letter = code[i]
        if letter in "({[":
            stack.append(letter)
        elif letter in ")}]" and stack:
            stack.pop()
        if letter in "{;\n" and (not stack or stack[-1] == "{"):
            starts.append(i + 1)
    for start in starts:
        while start < body.end and code[start] in " \t":
            start += 1
        for prefix in (LABEL, PARAMETERS):
            if found := prefix.match(code, start, body.end):
                start = found.end()
        if KEYWORD.match(code, start) or not STATEMENT.match(code, start, body.end):
            continue
        before = code[body.start : start].rstrip(" \t")
        if before.rstrip()[-1:] in tuple(",=?&|+-<>.(") or (before.rstrip()[-1:] == ":" and not LABEL.search(before[-80:] + " ")):
            continue
        end = _end(code, start, body.end)
        statement = code[start:end]
        flat = _flat(statement)
        if ASSIGNMENT.match(flat) or CALL.match(statement) and flat[-1] in ")}" and not OPERATOR.search(flat):
            yield start, end


def _end(code, start, limit):
    depth, i = 0, start
    while i < limit:
        letter = code[i]
        if letter in "({[":
            depth += 1
        elif letter in ")}]":
            depth -= 1
            if depth < 0:
                break
        elif depth == 0 and (letter == ";" or letter == "\n" and not re.match(r"\s*(\.\w|[?:]|&&|\|\||[-+]) ?", code[i:i + 200])
                             and code[start:i].rstrip()[-1] not in "=,?&|+-"):
            break
        i += 1
    return start + len(code[start:i].rstrip())


def _flat(statement):
    """Returns a statement without what is in its brackets."""
    out, depth = [], 0
    for letter in statement:
        if letter in ")}]":
            depth -= 1
        if depth == 0:
            out.append(letter)
        if letter in "({[":
            depth += 1
    return "".join(out)


def _drops(text, code, body):
    found = list(_statements(code, body))
    for start, end in found:
        # What is around another is dropped by dropping that.
        if any(start < first and last < end for first, last in found):
            continue
        if body.name == "init" and ASSIGNMENT.match(code, start, end):
            continue
        if UNSEEN.search(code, start, end) or body.has_value and (start, end) == _stripped(code, body):
            continue
        yield Edit("drop", start, end, f"if false {{ {text[start:end]} }}")


def _stripped(code, body):
    inside = code[body.start : body.end]
    start = body.start + len(inside) - len(inside.lstrip())
    return start, start + len(inside.strip())


def _swaps(code, body):
    negated = {_flat_operator(code, *clause) for clause in _clauses(code, body)}
    for kind, pattern, instead in SWAPS:
        for found in pattern.finditer(code, body.start, body.end):
            if kind == "negate" and found.start() in negated:
                continue
            if UNSEEN.search(code, code.rfind("\n", 0, found.start()), found.start()):
                continue
            yield Edit(kind, *found.span(), instead[found.group()])


def _flat_operator(code, start, end):
    """Returns where the only operator of a clause is: turning it round is the same as negating the clause."""
    operators = [match.start(1) for match in OPERATOR.finditer(code, start, end)]
    return operators[0] if len(operators) == 1 else None
