"""Mistakes in C++ source, planted without choosing them: each can be switched on when the code runs.

Nobody says where: every comparison, sum, condition, number and statement of a file gets its mistakes.
The text is as clang-format leaves it, so that a binary operator has spaces around it and a template
argument has none; that is what this file goes by, instead of a parser. Mistakes are put around
expressions, on the same line, so that the compiler's errors say which of them to leave out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

RELATIONS = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}
SUMS = {"+": "plus", "-": "minus", "*": "times", "/": "over", "%": "modulo"}
OPEN, CLOSE = "([{<", ")]}>"
ASSIGNED = re.compile(r" (?:[-+*/|&%]|<<|>>)?= ")


@dataclass
class Mutant:
    line: int
    what: str
    inserts: list[tuple[int, int, str]] = field(default_factory=list)  # offset, order, text


def masked(text: str) -> str:
    """The text with blanks for comments, literals, preprocessor lines and tables of constants."""

    def blank(found: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", found[0])

    text = re.sub(
        r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S
    )
    text = re.sub(r"^#[^\n]*(?:\\\n[^\n]*)*", blank, text, flags=re.M)
    # Constants for the compiler.
    text = re.sub(r"\btemplate <[^>]*>", blank, text)
    braces = r"\{(?:[^{}]|\{[^{}]*\})*\}"
    constant = rf"\b(?:constexpr|static_assert|using|enum)\b[^;{{]*(?:{braces})?[^;{{]*;"
    text = re.sub(constant, blank, text)
    return re.sub(r"\bcase [^:\n]*:(?!:)", blank, text)


class Source:
    """One file, and where its brackets close."""

    def __init__(self, text: str, chosen: Sequence[tuple[str, str, str]] = ()) -> None:
        """Also has the mistakes `chosen`: what, the text that is wrong then, and what it is."""
        self.text, self.code = text, masked(text)
        self.partner: dict[int, int] = {}
        stack: list[int] = []
        for i, c in enumerate(self.code):
            before, after = self.code[i - 1 : i], self.code[i + 1 : i + 2]
            if c == "<" and (not re.match(r"[\w:]", before or " ") or after in " =<\n"):
                continue
            if c == ">" and (before in " -=" or not stack or self.code[stack[-1]] != "<"):
                continue
            if c in OPEN:
                stack.append(i)
            elif c in CLOSE:
                while stack and self.code[stack[-1]] == "<" and c != ">":
                    stack.pop()
                if stack:
                    self.partner[i] = stack[-1]
                    self.partner[stack.pop()] = i
        self.mutants: list[Mutant] = []
        self.relations()
        self.logic()
        self.conditions()
        self.numbers()
        self.statements()
        for what, old, new in chosen:
            self.choose(what, old, new)

    def add(self, at: int, what: str, *inserts: tuple[int, int, str]) -> None:
        shown = " ".join(what.split())
        self.mutants.append(Mutant(self.code.count("\n", 0, at) + 1, shown[:90], list(inserts)))

    def line(self, at: int) -> str:
        start = self.text.rfind("\n", 0, at) + 1
        return self.text[start : self.text.find("\n", at)]

    # --- operators ----------------------------------------------------------------------------

    def relations(self) -> None:
        for found in re.finditer(r"(?<=[\w)\]>]) (<=|>=|==|!=|<|>)(?=\s)", self.code):
            op, name = found[1], RELATIONS[found[1]]
            ways = ["negated"] if op in ("==", "!=") else ["negated", "edge"]
            shown = f"{op} in {self.line(found.start())}"
            # One proxy is both: the numbers follow each other.
            text = f"{op} mutants::{name}($0{', $1' if len(ways) > 1 else ''}) {op}"
            at = found.start(1)
            self.add(at, f"{ways[0]}: {shown}", (at, 0, f"\0{len(op)}{text}"))
            if len(ways) > 1:
                self.add(at, f"{ways[1]}: {shown}", (at, 0, "\1"))
        for found in re.finditer(r"(?<=[\w)\]]) ([-+*/%])(?=\s)", self.code):
            op, at = found[1], found.start(1)
            text = f"{op} mutants::{SUMS[op]}($0) {op}"
            self.add(at, f"operator {op} in {self.line(at)}", (at, 0, f"\0{len(op)}{text}"))

    def bounds(self, at: int, width: int, stops: str) -> tuple[int, int]:
        """Where the operands of the operator at `at` begin and end."""
        stop = re.compile(stops + r"|;|,(?=\s)|\breturn\b|(?<= )(?:[-+*/|&%])?=(?= )")
        left = at
        while left > 0:
            c = self.code[left - 1]
            if c in CLOSE and left - 1 in self.partner:
                left = self.partner[left - 1]
                continue
            if c in "([{;" or self.ends(stop, left):
                break
            left -= 1
        right = at + width
        while right < len(self.code):
            if self.code[right] in OPEN and right in self.partner:
                right = self.partner[right] + 1
                continue
            if self.code[right] in ")]};" or stop.match(self.code, right):
                break
            right += 1
        return left, right

    def ends(self, stop: re.Pattern[str], left: int) -> bool:
        """Whether an operand begins at `left`, after what comes before it."""
        before = self.code[max(0, left - 8) : left]
        if re.search(r",$|\breturn$|[?] ?$| :$", before):
            return True
        if re.search(r" [-+*/|&%]?=$", before) and self.code[left] != "=":
            return True
        return before[-2:] in ("&&", "||") and stop.match(before[-2:]) is not None

    def trimmed(self, left: int, right: int) -> tuple[int, int]:
        while left < right and self.code[left].isspace():
            left += 1
        while left < right and self.code[right - 1].isspace():
            right -= 1
        return left, right

    def wrap(self, left: int, right: int, what: str, head: str, tail: str) -> None:
        left, right = self.trimmed(left, right)
        inside = self.code[left:right]
        if inside and not re.search(r"^(?:auto|const)\b", inside):
            self.add(
                left,
                f"{what}: {self.text[left:right]}",
                (left, right - left, head),
                (right, left - right, tail),
            )

    def logic(self) -> None:
        for found in re.finditer(r"(?<=\s)(&&|\|\|)(?=\s)|(?<=\S) (&&|\|\|)(?=\n)", self.code):
            op = found[1] or found[2]
            at = found.start(1) if found[1] else found.start(2)
            left, right = self.bounds(
                at, 2, r"&&|\|\||\?(?= )|:(?= )" if op == "&&" else r"\|\||\?(?= )|:(?= )"
            )
            head, tail = (
                ("(mutants::on($0) || (", "))") if op == "&&" else ("(!mutants::on($0) && (", "))")
            )
            if op == "||" or self.code[at + 2 : right].strip():
                self.wrap(at + 2, right, f"without operand of {op}", head, tail)
            before = self.code[left:at]
            if "&&" not in before and "||" not in before:
                self.wrap(left, at, f"without operand of {op}", head, tail)

    def conditions(self) -> None:
        for found in re.finditer(r"\b(?:if|while) \(", self.code):
            left = found.end() - 1
            right = self.partner.get(left, left)
            inside = self.code[left + 1 : right]
            if inside.strip() and not re.search(r" = |;", inside):
                self.wrap(left + 1, right, "negated", "mutants::flip($0, bool(", "))")
        for found in re.finditer(r"(?<=\s)\?(?=\s)", self.code):
            left, _ = self.bounds(found.start(), 1, r"\?(?= )|(?<= ):(?= )")
            self.wrap(left, found.start(), "negated", "mutants::flip($0, bool(", "))")
        for found in re.finditer(r"\breturn (true|false);", self.code):
            self.wrap(found.start(1), found.end(1), "negated, returned", "mutants::flip($0, ", ")")

    def numbers(self) -> None:
        for found in re.finditer(r"(?<![\w.<\[])(\d+)(?![\w.])", self.code):
            left, right = found.span()
            if re.search(r"\bget\w*\($", self.code[:left][-40:]) or self.inside_angles(left):
                continue
            value = int(found[1])
            for other in [value + 1] + ([value - 1] if value else []):
                self.add(
                    left,
                    f"{other} for {value}: {self.line(left)}",
                    (left, right - left, f"mutants::number<{other}>($0, "),
                    (right, left - right, ")"),
                )

    def inside_angles(self, at: int) -> bool:
        opened = self.code.rfind("<", max(0, at - 80), at)
        return opened >= 0 and self.partner.get(opened, -1) > at

    def statements(self) -> None:
        for found in re.finditer(r"^ +(?=[\w*(+-])", self.code, re.M):
            start = found.end()
            before = self.code[: found.start()].rstrip()
            if not before or not re.search(r"[;{})]$|\belse$", before):
                continue
            end = start
            while end < len(self.code) and self.code[end] != ";":
                if self.code[end] in OPEN and end in self.partner:
                    end = self.partner[end]
                elif self.code[end] in "})]":
                    break
                end += 1
            body = self.code[start:end]
            if self.code[end : end + 1] != ";" or re.match(
                r"return\b|public|private|~|friend", body
            ):
                continue
            flat = self.flat(start, end)
            head = ASSIGNED.split(flat)[0]
            if " " in head or "\n" in head or not re.search(r"[(=+-]|^break$|^continue$", flat):
                continue
            self.add(
                start,
                f"dropped: {self.text[start:end]}",
                (start, 10**6, "{ if (!mutants::on($0)) "),
                (end + 1, -(10**6), " }"),
            )

    def choose(self, what: str, old: str, new: str) -> None:
        before, marked, after = re.fullmatch(r"(.*«)?([^«»]*)(».*)?", old, re.S).groups("")
        before, after = before.rstrip("«"), after.lstrip("»")
        where = before + marked + after
        if self.text.count(where) != 1:
            raise ValueError(f"{what}: the file has {where!r} {self.text.count(where)} times")
        left = self.text.index(where) + len(before)
        right = left + len(marked)
        statement = marked.endswith(";")
        head = (
            f"{{ if (mutants::on($0)) {{ {new} }} else {{ "
            if statement
            else f"(mutants::on($0) ? ({new}) : ("
        )
        self.add(
            left,
            f"chosen: {what}",
            (left, right - left, head),
            (right, left - right, " } }" if statement else "))"),
        )

    def flat(self, start: int, end: int) -> str:
        """The statement without what is in brackets."""
        out, i = [], start
        while i < end:
            if self.code[i] in OPEN and i in self.partner and self.partner[i] < end:
                out.append("()")
                i = self.partner[i] + 1
            else:
                out.append(self.code[i])
                i += 1
        return "".join(out)

    def lines_of(self, mutant: Mutant) -> set[int]:
        """The lines that its inserts stand on."""
        return {self.text.count("\n", 0, at) + 1 for at, _, _ in mutant.inserts}

    # --- the text that is compiled ------------------------------------------------------------

    def planted(self, first: int, without: set[int]) -> str:
        """The text in which mutant i, but those `without`, has number `first` + i."""
        found = []
        for i, mutant in enumerate(self.mutants):
            if i not in without:
                for at, order, text in mutant.inserts:
                    text = text.replace("$0", str(first + i)).replace("$1", str(first + i + 1))
                    found.append((at, order, text))
        out, last = [], 0
        # Closing ones first, inner before outer; then opening ones, outer before inner.
        for at, _, text in sorted(found, key=lambda f: (f[0], f[1] >= 0, -f[1])):
            if text == "\1":
                continue
            out.append(self.text[last:at])
            last = at
            if text.startswith("\0"):
                last, text = at + int(text[1]), text[2:]
            out.append(text)
        return "".join([*out, self.text[last:]])
