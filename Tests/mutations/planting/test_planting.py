"""Tests of the planter: `Tests/mutations/run --self-test`."""

import tempfile
import unittest
from pathlib import Path

from mistakes import accepted, mistakes
from mutation import DoesNotApply, Mutation
from source import bodies, is_expression, masked
from switch import Outside, SwitchedFile, plant_all
from workshop import FAILURE, LIBRARY, Workshop


def found(text):
    return [(text[body.start : body.end].strip(), body.has_value) for body in bodies(masked(text))]


class SourceTests(unittest.TestCase):
    def test_comments_and_strings_are_masked(self):
        for text, expected in [
            ("a // {\nb", "a     \nb"),
            ("a /* { /* { */ } */ b", "a                   b"),
            (r'f("\(g { "}" }) {") }', 'f(' + '"' * 16 + ') }'),
            (r'#"\("# }', '"' * 6 + " }"),
            ('"""\n{ " }\n""" {', '"""\n' + '"' * 5 + '\n""" {'),
        ]:
            self.assertEqual(masked(text), expected)
            self.assertEqual(len(masked(text)), len(text))

    def test_bodies_of_functions_and_accessors_are_found(self):
        text = """
        struct S<T: P>: ~Copyable where T: Q {
          let made = Maker { 1 }
          static let other: Int = { 2 }()
          var stored = 3 { didSet { a } }
          var short: Int { b }
          var long: Int { @inlinable get { c } set(x) { d } _modify { yield &e } }
          init(_ f: () -> Void = { 4 }) { self.init { g } }
          func none(_ f: (Int) -> Int) { h { i } }
          func void() async throws(E) -> Void { j }
          func value<U>(_ u: U) -> [U] where U: R { func inner() { k } }
          subscript(i: Int) -> Int { l }
          deinit { m }
          enum Inner { case n(Int) }
        }
        protocol P { var p: Int { get set }; func q() }
        func free() -> () -> Void { o }
        """
        self.assertEqual(found(text), [
            ("a", False), ("b", True), ("c", True), ("d", False), ("yield &e", False), ("self.init { g }", False),
            ("h { i }", False), ("j", False), ("func inner() { k }", True), ("l", True), ("m", False), ("o", True),
        ])

    def test_one_expression_is_told_from_statements(self):
        for text in ["a", "a { return b }", "if a { b } else { c }", "try await a\n  .b { let c = 1 }", "switch a { case b: c }"]:
            self.assertTrue(is_expression(text), text)
        for text in ["return a", "let a = b\nreturn a", "if a { return b }\nreturn c", "a()\nswitch b { case c: return d }", ""]:
            self.assertFalse(is_expression(text), text)


class MutationTests(unittest.TestCase):
    def test_white_space_does_not_count(self):
        mutation = Mutation("m", "Wrong.\n--- find\na {\n  b\n--- replace\nc\n--- tests T|U\n--- model m\n--- alone\n")
        self.assertEqual(mutation.apply({"f": "x a {      b }"}), {"f": "x c }"})
        self.assertEqual((mutation.tests, mutation.model, mutation.is_alone), ("T|U", "m", True))

    def test_what_is_replaced_is_there_once(self):
        mutation = Mutation("m", "Wrong.\n--- find\na\n--- replace\nb\n")
        for sources in [{"f": "x"}, {"f": "a a"}, {"f": "a", "g": "a"}]:
            self.assertRaises(DoesNotApply, mutation.apply, sources)
        self.assertRaises(DoesNotApply, Mutation, "m", "Wrong.\n--- find\na\n")

    def test_the_second_change_is_made_after_the_first(self):
        mutation = Mutation("m", "Wrong.\n--- find\na\n--- replace\nb\n--- find\nb c\n--- replace\nd\n")
        self.assertEqual(mutation.apply({"f": "a c"}), {"f": "d"})


class MistakeTests(unittest.TestCase):
    def made(self, text):
        sources = {"Sources/M/Line/F.swift": text}
        return {each.name: " ".join(each.apply(sources)[each.path].split()) for each in mistakes(sources)}

    def test_conditions_are_negated_part_by_part(self):
        self.assertEqual(self.made("func f() { if let a, a.b, c == 1 { d = 2 } }"), {
            "F.f.negate.1": "func f() { if let a, !(a.b), c == 1 { d = 2 } }",
            "F.f.negate.2": "func f() { if let a, a.b, !(c == 1) { d = 2 } }",
            "F.f.drop.1": "func f() { if let a, a.b, c == 1 { if false { d = 2 } } }",
        })

    def test_calls_and_assignments_are_dropped(self):
        made = self.made("""
        func f() {
          let a = b()
          checkInvariants()
          c(
            a)
          d.forEach { e in e.g += 1 }
          switch h { case .i: j() }
          return k()
        }
        init() { super.init() }
        """)
        dropped = [text.split("if false { ")[1].split(" }")[0] for name, text in made.items() if ".drop." in name]
        self.assertEqual(dropped, ["c( a)", "e.g += 1", "j()"])

    def test_answers_operators_and_ends_are_exchanged(self):
        made = self.made("var f: Bool { a.first < b && c }\nfunc g() -> Int? { max(1, 2) }")
        self.assertEqual([name for name in made], [
            "F.f.return.1", "F.f.end.1", "F.f.bound.1", "F.f.logic.1", "F.g.return.1", "F.g.end.1"])
        self.assertIn("var f: Bool { a.first <= b && c }", made["F.f.bound.1"])
        self.assertIn("func g() -> Int? { min(1, 2) }", made["F.g.end.1"])

    def test_other_rooms_are_left_alone(self):
        self.assertEqual(mistakes({"Sources/M/Events/F.swift": "func f() { if a { b() } }"}), [])

    def test_each_accepted_survivor_has_a_reason(self):
        with tempfile.NamedTemporaryFile("w+") as file:
            file.write("# Why.\nF.f.drop.1 Nothing sees it.\n")
            file.flush()
            self.assertEqual(accepted(file.name), {"F.f.drop.1": "Nothing sees it."})


class SwitchTests(unittest.TestCase):
    text = "func f() -> Int { 1 }\nfunc g() { 2 }\n"

    def test_bodies_are_chosen_by_number(self):
        file = SwitchedFile(self.text)
        file.add(3, self.text.replace("1", "if a { return 4 }; return 5"))
        file.add(7, self.text.replace("1", "6"))
        self.assertEqual(" ".join(file.render().split()), " ".join("""
            func f() -> Int { let plantedNumber = plantedBug
            if plantedNumber == 3 { if a { return 4 }; return 5 }
            else if plantedNumber == 7 { return 6 }
            else { return 1 } }
            func g() { 2 }""".split()))

    def test_errors_are_blamed_on_the_copy_they_are_in(self):
        file = SwitchedFile(self.text)
        file.add(3, self.text.replace("1", "WRONG"))
        file.add(7, self.text.replace("1", "6"))
        lines = file.render().split("\n")
        self.assertEqual(file.blamed(lines.index(" return WRONG ") + 1), {3})
        self.assertEqual(file.blamed(lines.index(" return 1 ") + 1), {3, 7})
        self.assertEqual(file.blamed(lines.index("func f() -> Int {") + 1), {3, 7})
        self.assertEqual(file.blamed(len(lines) + 2), set())

    def test_changes_outside_of_bodies_are_built_alone(self):
        self.assertRaises(Outside, SwitchedFile(self.text).add, 1, self.text.replace("Int", "Double"))
        mutations = [
            Mutation(str(number), f"Wrong.\n--- find\n{find}\n--- replace\n3\n{mark}")
            for number, (find, mark) in enumerate([("2", ""), ("Int", ""), ("1", "--- alone\n")])
        ]
        files, alone = plant_all(mutations, {"f": self.text})
        self.assertEqual(alone, mutations[1:])
        self.assertEqual(list(files["f"].variants), [1])


class WorkshopTests(unittest.TestCase):
    def test_a_run_ends_with_what_it_waits_for(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "Package.swift").touch()
            workshop = Workshop(LIBRARY, Path(folder), Path(folder) / "copy")
            words = "✘ Test f() recorded an issue at f.swift:1:1: no"
            outcome = workshop.run(["sh", "-c", f"echo '{words}'; exec sleep 1000"], limit=100, until=FAILURE)
            self.assertEqual((outcome.output, outcome.is_good, outcome.is_late), (words + "\n", False, False))
            outcome = workshop.run(["sh", "-c", "echo '✘ Test f() recorded a known issue'; exit 3"], until=FAILURE)
            self.assertEqual((outcome.status, outcome.is_late), (3, False))
            self.assertTrue(workshop.run(["sleep", "1000"], limit=0.1, until=FAILURE).is_late)


if __name__ == "__main__":
    unittest.main()
