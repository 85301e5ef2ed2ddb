"""The package's imports go down its layers, stand at the top of files, and make no circle."""

import ast
from pathlib import Path

import pytest

import cellgrad

ROOT = Path(__file__).resolve().parents[2] / "pyfront" / "cellgrad"
# What the build writes: functions of op records, and forms.
(BUILT,) = {Path(p).resolve() for p in cellgrad.__path__} - {ROOT}
# From the ground; rooms of one layer do not know each other.
LAYERS = [
    {"core"},
    {"ops", "parallel"},
    {"capture"},
    {"compile"},
    {"transforms"},
    {"nn"},
    {"checkpoints", "dataset", "experimental", "profiler", "scipy"},
    {"train", "mint", "numpy"},
    {"export"},
]
RANK = {room: i for i, rooms in enumerate(LAYERS) for room in rooms}
# Under names that scripts use; nothing of the package imports them but the package itself.
FACES = {
    *(
        "_c_expression",
        "_checkparam",
        "_extends",
        "amp",
        "command",
        "common",
        "communication",
        "communication.comm_func",
        "context",
        "debug",
        "device_context",
        "dropin",
        "dtype",
        "installed",
        "interop",
        "log",
        "ops.composite",
        "ops.function",
    ),
    *(
        "ops.auto_generate",
        "multiprocessing",
        "ops.functional",
        "ops.multitype_ops",
        "ops.operations",
        "random",
        "runtime",
        "serialization",
        "testing",
    ),
}
COMPILED = {"_native"}


def modules():
    for path in (p for root in (ROOT, BUILT) for p in sorted(root.rglob("*.py"))):
        if "upstream" in path.parts:  # read as text
            continue
        parts = path.relative_to(ROOT if ROOT in path.parents else BUILT).with_suffix("").parts
        yield ".".join(parts[:-1] if parts[-1] == "__init__" else parts), path


MODULES = dict(modules())


def imported(node):
    """What an import statement names: modules of this package, without its name."""
    if isinstance(node, ast.Import):
        names = [a.name for a in node.names]
    else:
        assert node.level == 0, "imports are absolute"
        names = [f"{node.module}.{a.name}" for a in node.names]
    for name in names:
        found = name.removeprefix("cellgrad").removeprefix(".")
        if not name.startswith("cellgrad") or COMPILED & set(found.split(".")):
            continue
        while found not in MODULES:
            found = found.rpartition(".")[0]
        yield found


def statements(tree):
    """Import statements, and whether they run when the module is imported."""

    def visit(node, top):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
                continue
            if isinstance(child, ast.Import | ast.ImportFrom):
                yield child, top
            function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from visit(child, top and not function)

    return visit(tree, True)


def edges():
    for name, path in MODULES.items():
        for node, top in statements(ast.parse(path.read_text())):
            for target in imported(node):
                yield name, target, top, f"{path}:{node.lineno}"


EDGES = list(edges())


def is_face(module):
    return any(module == face or module.startswith(face + ".") for face in FACES)


def room(module):
    return module.partition(".")[0]


@pytest.mark.parametrize("name", sorted({room(m) for m in MODULES if m}))
def test_every_module_is_in_a_room(name):
    assert name in RANK or is_face(name) or name == "__main__"


def test_imports_go_down():
    wrong = []
    for name, target, _, where in EDGES:
        if is_face(name) or name in ("", "__main__"):
            continue
        known = target != "" and not is_face(target)
        below = known and RANK[room(target)] < RANK[room(name)]
        if not (below or (known and room(target) == room(name))):
            wrong.append(f"{where}: {name} imports {target or 'the package'}")
    assert wrong == []


def test_imports_stand_at_the_top():
    """One in a function hides a circle."""
    assert [where for *_, top, where in EDGES if not top] == []


def test_no_circle():
    below = {name: {t for n, t, *_ in EDGES if n == name and t != name} for name in MODULES}
    while leaves := [name for name, targets in below.items() if not targets & below.keys()]:
        for name in leaves:
            del below[name]
    assert sorted(below) == []
