"""The index of errors: what models return, what the package raises, what the compiler refuses."""

from __future__ import annotations

import ast
import builtins
import re

from markup import ROOT, escaped


def template(node: ast.expr) -> str | None:
    """The text of a message, with … for what is filled in; None for what is no text."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(v.value if isinstance(v, ast.Constant) else "…" for v in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = template(node.left), template(node.right)
        return None if left is None and right is None else (left or "…") + (right or "…")
    return None


def message(call: ast.Call) -> tuple[str, str] | None:
    """The class and text of what a raise statement makes, by the package's functions that make errors."""
    maker = ast.unparse(call.func).rpartition(".")[2]
    texts = [template(a) or "…" for a in call.args]
    if maker == "error" and len(texts) > 1:
        return ast.unparse(call.args[0]), texts[1]
    if maker == "argument_error" and len(texts) > 3:
        return ast.unparse(
            call.args[0]
        ), f"For '{texts[1]}', '{texts[2]}' must be {texts[3]}, but got …"
    if maker == "unsupported" and len(texts) > 1:
        return "NotImplementedError", f"{texts[1]} is not supported in compiled code."
    public = maker == "CompileError" or isinstance(getattr(builtins, maker, None), type)
    return (maker, texts[0]) if public and texts else None


def python_errors() -> dict[str, set[tuple[str, str]]]:
    """By file of the package: the class and first line of each error that it raises."""
    found: dict[str, set[tuple[str, str]]] = {}
    for path in sorted((ROOT / "pyfront/cellgrad").glob("**/*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            made = (
                message(node.exc)
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call)
                else None
            )
            if made and len(re.sub(r"…|For '…',?|'…'", "", made[1]).strip()) > 8:
                where = str(path.relative_to(ROOT / "pyfront"))
                found.setdefault(where, set()).add((made[0], made[1].strip().splitlines()[0]))
    return found


def compiler_errors() -> dict[str, set[str]]:
    """By file of the passes: what they say of a program that they refuse."""
    found: dict[str, set[str]] = {}
    for path in sorted(ROOT.glob("passes/**/*.cpp")):
        for match in re.finditer(r"\brefuse\([^;]*?\)\s*((?:<<[^;]*?)+);", path.read_text()):
            text = "".join(
                re.sub(r"\\(.)", r"\1", part[1]) if part[1] is not None else "…"
                for part in re.finditer(r'<<\s*(?:((?:"(?:[^"\\]|\\.)*"\s*)+)|[^<"]+)', match[1])
            )
            text = re.sub(r'"\s*"', "", text).strip('" \n').replace('"', "")
            if len(text.replace("…", "").strip()) > 8:
                found.setdefault(str(path.relative_to(ROOT)), set()).add(" ".join(text.split()))
    return found


def errors_page() -> str:
    """An index of messages: status codes of models, errors of Python, and of the compiler."""
    out = [
        "# Index of errors\n\nThe first line of every message, as it stands in the sources: … is what is filled in. "
        "Search for a few words of what you got. Messages go on with the line of your program, and mostly with what to write instead.\n",
        "## Status codes of compiled models\n\n| code | number | when |\n| --- | --- | --- |",
    ]
    header = (ROOT / "runtime/cellgrad_abi.h").read_text()
    for comment, name, number in re.findall(
        r"/\*((?:(?!\*/).)*?)\*/\n#define (CG_ERROR_\w+) (\d+)", header, re.S
    ):
        out.append(f"| `{name}` | {number} | {escaped(' '.join(comment.split()))} |")
    out.append("\n## Errors in Python\n")
    for where, messages in python_errors().items():
        out.append(f"### {where.removesuffix('.py').replace('/', '.')}\n")
        out += [f"- `{kind}`: {escaped(text)}" for kind, text in sorted(messages)]
        out.append("")
    out.append("## Programs that the compiler refuses\n")
    for where, refused in compiler_errors().items():
        out.append(f"### {where}\n")
        out += [f"- {escaped(text)}" for text in sorted(refused)]
        out.append("")
    return "\n".join(out) + "\n"
