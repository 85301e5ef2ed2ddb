"""What folders of the compiler include lies below them; a CPU's code knows the shared one, not the reverse."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# From the ground; folders of one layer do not know each other.
LAYERS = [
    {"runtime"},
    {"dialect"},
    {"passes/autodiff", "passes/lower/math", "passes/lower/target"},
    {"passes/batch", "passes/emit", "passes/lower/tensors"},
    {"passes/lower/buffers", "passes/lower/sequential"},
    {"passes/lower/fuse"},
    {"passes/lower/cpu", "passes/lower/gpu"},
    {"passes"},
    {"tools"},
    {"pyfront"},
]
RANK = {folder: i for i, folders in enumerate(LAYERS) for folder in folders}
INCLUDE = re.compile(r'^#\s*include\s+"((?:dialect|passes|pyfront|runtime|tools)/[^"]+)"', re.M)


def room(path):
    """The folder of the list that a file is in; only those of passes/ are more than one each."""
    folder = path.rpartition("/")[0]
    return folder if folder.startswith("passes") else folder.partition("/")[0]


FILES = {
    str(path.relative_to(ROOT)): path.read_text()
    for top in ("dialect", "passes", "pyfront/native", "runtime", "tools")
    for path in sorted((ROOT / top).rglob("*"))
    if path.suffix in (".c", ".cpp", ".h")
}


def test_every_file_is_in_a_room():
    assert sorted({room(name) for name in FILES} - set(RANK)) == []


def test_includes_go_down():
    arrows = [
        (name, included) for name, text in FILES.items() for included in INCLUDE.findall(text)
    ]
    assert len(arrows) > 200
    wrong = [
        f"{name} includes {included}"
        for name, included in arrows
        if room(included) != room(name) and RANK[room(included)] >= RANK[room(name)]
    ]
    assert wrong == []


def libraries():
    """Of each library that a folder below passes/ makes: the folder, and what it depends on."""
    for path in sorted((ROOT / "passes").rglob("CMakeLists.txt")):
        text = path.read_text()
        for name, rest in re.findall(r"cell_add_library\((\w+)([^)]*)\)", text):
            depends = rest.partition("DEPENDS")[2].split()
            yield name, str(path.parent.relative_to(ROOT)), depends


def test_libraries_depend_on_those_below():
    made = {name: folder for name, folder, _ in libraries()} | {"cellDialect": "dialect"}
    wrong = [
        f"{name} depends on {other}"
        for name, folder, depends in libraries()
        for other in depends
        if RANK[made[other]] >= RANK[folder]
    ]
    assert wrong == []
