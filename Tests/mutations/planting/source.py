"""What the planter has to know of Swift: which text is code, and where the bodies of functions are."""

import re
from typing import NamedTuple

TOKEN = re.compile(r"[.#@]?`?[A-Za-z_]\w*`?|->|[-=<>!&|+*/%^~?]+|[{}()\[\]]")
OPENING = re.compile(r'//|/\*|(#*)("""|")')
STRING = re.compile(r'(#*)("""|")')
COMMENT = re.compile(r"/\*|\*/")
TYPES = {"struct", "class", "enum", "extension", "protocol", "actor"}
FUNCTIONS = {"func", "init", "deinit"}
PROPERTIES = {"var", "let", "subscript"}
OTHERS = {"case", "typealias", "associatedtype", "import", "operator", "precedencegroup"}
ACCESSORS = "get|set|_read|_modify|read|modify|willSet|didSet|unsafeAddress|unsafeMutableAddress"
FIRST_ACCESSOR = re.compile(
    rf"\s*((@\w+(\([^)]*\))?|mutating|nonmutating|borrowing|consuming)\s+)*"
    rf"({ACCESSORS})\s*(\([^)]*\)\s*)?((async|throws)\s*)*\{{")
ACCESSOR = re.compile(rf"\b({ACCESSORS})\b[^{{}}]*\{{")
STATEMENT = re.compile(
    r"(?m)\breturn\b|^\s*(let|var|guard|if|for|while|repeat|switch|do|defer|throw|break|continue|func)\b")
NAMED = {"func", "var", "let"}
NO_VALUE = {"Void", "()", "Never"}


class Body(NamedTuple):
    """The text between the braces of a function, an initialiser or an accessor."""

    start: int
    end: int
    has_value: bool
    name: str = ""
    result: str = ""


def masked(text):
    """Returns the text with comments replaced by spaces and strings by quotes, each as long as it was."""
    out, done = [], 0
    while opening := OPENING.search(text, done):
        start = opening.start()
        is_comment = opening.group()[0] == "/"
        end = _comment_end(text, start) if is_comment else _string_end(text, opening)
        out += text[done:start], re.sub(r"[^\n]", " " if is_comment else '"', text[start:end])
        done = end
    return "".join(out) + text[done:]


def _comment_end(text, i):
    if text.startswith("//", i):
        end = text.find("\n", i)
        return len(text) if end < 0 else end
    depth = 0
    for found in COMMENT.finditer(text, i):
        depth += 1 if found.group() == "/*" else -1
        if depth == 0:
            return found.end()
    return len(text)


def _string_end(text, opening):
    hashes, quotes = opening.groups()
    escape, close = "\\" + hashes, quotes + hashes
    i = opening.end()
    while i < len(text):
        if text.startswith(escape + "(", i):
            i = _interpolation_end(text, i + len(escape))
        elif text.startswith(escape, i):
            i += len(escape) + 1
        elif text.startswith(close, i):
            return i + len(close)
        else:
            i += 1
    return len(text)


def _interpolation_end(text, i):
    depth = 0
    while i < len(text):
        if opening := STRING.match(text, i):
            i = _string_end(text, opening)
            continue
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        i += 1
        if depth == 0:
            break
    return i


def bodies(code):
    """Returns the outermost bodies in a file, in order; the code is `masked`."""
    found = []
    _declarations(code, 0, len(code), found)
    return found


def closing(code, opening):
    """Returns where the brace ends that opens here."""
    depth = 0
    for brace in re.compile(r"[{}]").finditer(code, opening):
        depth += 1 if brace.group() == "{" else -1
        if depth == 0:
            return brace.start()
    raise ValueError("a brace is not closed")


def _declarations(code, start, end, found):
    kind, name, arrow, is_assigned, depth, i = None, "", None, False, 0, start
    while token := TOKEN.search(code, i, end):
        word, i = token.group(), token.end()
        if word in "([":
            depth += 1
        elif word in ")]":
            depth -= 1
        elif word == "{":
            last = closing(code, token.start())
            if depth == 0:
                _block(code, kind, name, arrow, is_assigned, i, last, found)
                if not is_assigned:
                    kind = None
            i = last + 1
        elif depth > 0:
            continue
        elif word in TYPES:
            kind, is_assigned = "type", False
        elif word in FUNCTIONS or word in PROPERTIES or word in OTHERS:
            kind, name, arrow, is_assigned = word, word, None, False
            if word in NAMED and (following := TOKEN.search(code, i, end)):
                name = following.group().strip("`")
                # The type of a property is what stands between its name and its body.
                arrow = following.end() if word == "var" else None
        elif word == "->":
            arrow = arrow or i
        elif word == "=":
            is_assigned = True


def _block(code, kind, name, arrow, is_assigned, start, end, found):
    if kind == "type":
        _declarations(code, start, end, found)
    elif kind in FUNCTIONS:
        result = code[arrow : start - 1].split(" where ")[0].strip() if arrow else "Void"
        found.append(Body(start, end, kind == "func" and result not in NO_VALUE, name, result))
    elif kind in ("var", "subscript"):
        result = code[arrow : start - 1].strip() if arrow else ""
        if FIRST_ACCESSOR.match(code, start, end):
            i = start
            while accessor := ACCESSOR.search(code, i, end):
                i = closing(code, accessor.end() - 1)
                found.append(Body(accessor.end(), i, accessor.group(1) == "get", name, result))
        elif not is_assigned and code[start:end].split() not in (["get"], ["get", "set"]):
            found.append(Body(start, end, True, name, result))


def is_expression(code):
    """Whether the code of a body that has a value is one expression, whose `return` may have been left out."""
    top, i = [], 0
    first = re.match(r"\s*(if|switch)\b", code)
    if first:
        return not re.search(r"\breturn\b", code)
    while (opening := code.find("{", i)) >= 0:
        top.append(code[i:opening] + "{}")
        i = closing(code, opening) + 1
    top.append(code[i:])
    return bool(code.strip()) and not STATEMENT.search("".join(top))
