"""The tools that plant mistakes in derivative rules, and a sample of them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools" / "mutate"))

import expressions
import mutate
import written


@pytest.mark.parametrize("record", mutate.records(), ids=lambda r: r["op"])
def test_every_rule_is_understood_and_changed(record):
    for rule in [*record["vjp"], record["jvp"]]:
        if rule:
            assert str(expressions.parse(rule)).replace(" ", "") == rule.replace(" ", "")
    mutants = mutate.mutants_of(record)
    assert mutants
    rules = [(tuple(vjp), jvp) for _, vjp, jvp in mutants]
    assert (tuple(record["vjp"]), record["jvp"]) not in rules


def test_mistakes():
    rule = expressions.parse("mul(ct, sub(1, square(x)))")
    found = {str(tree) for _, tree in expressions.changes(rule)}
    assert found == {
        "neg(mul(ct, sub(1, square(x))))",
        "ct",
        "sub(1, square(x))",
        "mul(ct, square(x))",
        "mul(ct, add(1, square(x)))",
        "mul(ct, sub(-1, square(x)))",
        "mul(ct, sub(1, x))",
    }


@pytest.mark.sweep
def test_the_page_has_the_score_of_all_rules():
    page = mutate.PAGE.read_text()
    count = sum(len(mutate.mutants_of(r)) for r in mutate.records())
    stated = page.split(mutate.BEGIN)[1].split(mutate.END)[0]
    assert f"{count} mutants of the rules of {len(mutate.records())} ops" in stated, (
        "run tools/mutate/mutate.py --write"
    )
    assert "Not noticed" not in stated


@pytest.mark.parametrize("name, sites", written.SITES.items())
def test_rules_in_cpp_are_called_where_mistakes_are_planted(name, sites):
    text = (written.PASS / name).read_text()
    assert [text.count(call) for call, _, _ in sites] == [1] * len(sites)


@pytest.mark.parametrize("op", written.written() + written.linear())
def test_every_rule_in_cpp_has_numbers(op):
    assert written.lines_of(op), "a test that executes the rule"


def test_every_differentiable_op_is_in_one_of_the_lists():
    """By TableGen, which knows the interfaces of all ops, with and without a derivative record."""
    include = ["-I", mutate.ROOT, "-I", mutate.LLVM / "include"]
    command = [mutate.LLVM / "bin" / "llvm-tblgen", "--dump-json", *include]
    command.append(mutate.ROOT / "dialect" / "CellOps.td")
    defs = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    ops = [defs[name] for name in defs["!instanceof"]["Op"]]
    differentiable = {
        f"cell.{op['opName']}"
        for op in ops
        if op["opDialect"]["def"] == "Cell_Dialect"
        and any(
            defs[trait["def"]].get("cppInterfaceName") == "DifferentiableOpInterface"
            for trait in op["traits"]
        )
    }
    table = json.loads((mutate.BUILD / "dialect" / "records.json").read_text())
    zero = {r["op"] for r in table if r["derivative"] in ("zero", "none")}
    by_record = {f"cell.{r['op']}" for r in mutate.records()}
    by_hand = {op for op in written.written() if op.startswith("cell.")}
    assert not by_record & by_hand
    assert by_record | by_hand == differentiable - zero


@pytest.mark.sweep
def test_the_page_has_the_score_of_rules_in_cpp():
    stated = mutate.PAGE.read_text().split(written.BEGIN)[1].split(written.END)[0]
    ops = written.written() + written.linear()
    missing = [op for op in ops if f"| `{op}` |" not in stated]
    assert missing == [], "run tools/mutate/written.py --write"
    assert "Not noticed" not in stated


@pytest.mark.rebuild
def test_a_sample_is_noticed():
    tool = [sys.executable, mutate.__file__, "--sample=40"]
    run = subprocess.run(tool, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.rebuild
def test_mistakes_in_cpp_are_noticed():
    tool = [sys.executable, written.__file__, "--ops=gather,pad,recompute,stash_write"]
    run = subprocess.run(tool, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert "of the rules of 4 ops" in run.stdout
