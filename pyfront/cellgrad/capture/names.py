"""Static scoping of a function's syntax tree: which names are local, and where the others live."""

from __future__ import annotations

import ast

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Names:
    """The names of one function or comprehension; `parent` is the evaluated function around it."""

    def __init__(
        self, local: set[str], parent: Names | None, mangle: str, comprehension: bool = False
    ):
        self.local = local
        self.parent = parent
        self.mangle = mangle  # the class whose body defines the function, for names such as __x
        self.comprehension = comprehension
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()

    def depth(self, name: str) -> int | None:
        """How many frames out a name is bound; None for closure cells, globals, builtins."""
        names: Names | None = self
        depth = 0
        while names is not None:
            if name in names.globals:
                return None
            if name in names.local:
                return depth
            names = names.parent
            depth += 1
        return None

    def assignment_depth(self, name: str) -> int | None:
        """Where an assignment goes: past comprehensions, to the owner of a `nonlocal`."""
        depth = 0
        names = self
        while names.comprehension and name not in names.local:
            assert names.parent is not None
            names, depth = names.parent, depth + 1
        if name in names.globals:
            return None
        if name in names.nonlocals:
            outer = names.parent.depth(name) if names.parent else None
            return None if outer is None else depth + 1 + outer
        return depth

    def mangled(self, name: str) -> str:
        """`__x` as the class that contains the function sees it."""
        if self.mangle and name.startswith("__") and not name.endswith("__"):
            return f"_{self.mangle.lstrip('_')}{name}"
        return name


def of_function(
    node: ast.FunctionDef | ast.Lambda, parameters: list[str], parent: Names | None, mangle: str
) -> Names:
    """Scoping of a function body."""
    names = Names(set(parameters), parent, mangle)
    for statement in node.body if isinstance(node, ast.FunctionDef) else [node.body]:
        _collect(statement, names, in_comprehension=False)
    names.local -= names.globals | names.nonlocals
    return names


def of_comprehension(generators: list[ast.comprehension], parent: Names) -> Names:
    """Scoping of a comprehension: its targets."""
    names = Names(set(), parent, parent.mangle, comprehension=True)
    for g in generators:
        for n in ast.walk(g.target):
            if isinstance(n, ast.Name):
                names.local.add(n.id)
    return names


def read_by(node: ast.AST) -> list[ast.Name]:
    """Names that a statement reads, but for functions and comprehensions in it, which have names of their own."""
    if isinstance(node, ast.Name):
        return [node] if isinstance(node.ctx, ast.Load) else []
    apart = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, *_COMPREHENSIONS)
    parts = () if isinstance(node, apart) else ast.iter_child_nodes(node)
    return [name for part in parts for name in read_by(part)]


def _collect(node: ast.AST, names: Names, in_comprehension: bool) -> None:
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Store | ast.Del) and not in_comprehension:
            names.local.add(node.id)
    elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        names.local.add(node.name)
        for part in node.decorator_list:
            _collect(part, names, in_comprehension)
        return
    elif isinstance(node, ast.Lambda):
        return
    elif isinstance(node, ast.Global):
        names.globals.update(node.names)
    elif isinstance(node, ast.Nonlocal):
        names.nonlocals.update(node.names)
    elif isinstance(node, ast.Import | ast.ImportFrom):
        names.local.update((a.asname or a.name.split(".")[0]) for a in node.names)
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        names.local.add(node.name)
    elif isinstance(node, ast.MatchMapping) and node.rest:
        names.local.add(node.rest)
    elif isinstance(node, ast.NamedExpr):
        names.local.add(node.target.id)
        _collect(node.value, names, in_comprehension)
        return
    elif isinstance(node, _COMPREHENSIONS):
        in_comprehension = True
    for child in ast.iter_child_nodes(node):
        _collect(child, names, in_comprehension)
