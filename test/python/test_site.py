"""What the site is built of fits together: pages, links into pages, the gallery, names in guides."""

import importlib.util
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# By its path: other modules of tools/site have names that tests have, too.
SPEC = importlib.util.spec_from_file_location("navigation", ROOT / "tools/site/navigation.py")
navigation = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(navigation)

PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
GALLERY = (ROOT / "docs/gallery.md").read_text()
EXAMPLES = sorted(p.parent.name for p in ROOT.glob("examples/*/main.py"))


def words(page):
    """The text of a page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)


def anchors(page):
    """What can follow # in a link to the page, by GitHub's rule."""
    found = set()
    for title in re.findall(r"^#+ (.*)$", words(page), re.M):
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", title).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        number = 1
        while slug in found:
            slug = f"{slug.removesuffix(f'-{number - 1}')}-{number}"
            number += 1
        found.add(slug)
    return found


def test_every_page_is_in_the_navigation():
    assert navigation.mistakes() == []


def test_a_page_that_is_missing_in_the_navigation_is_named(tmp_path):
    (tmp_path / "tutorial").mkdir()
    for name in ("start.md", "tutorial/01-first-gradient.md", "tutorial/11-new.md"):
        (tmp_path / name).write_text("# Title\n")
    assert navigation.mistakes(tmp_path) == [
        "docs/tutorial/11-new.md is in no section of tools/site/navigation.py: add it where readers look for it",
    ]


def test_the_sidebar_has_the_pages_that_are_there():
    names = [n for section in navigation.sections().values() for n in section]
    assert {"start.md", "gpu.md", "decisions/README.md", "<reference/index.md>"} <= {*names}
    assert [n for n in names if not n.startswith("<") and not (ROOT / "docs" / n).exists()] == []


def test_links_lead_to_headings():
    known = {page: anchors(page) for page in PAGES}
    broken = []
    for page in PAGES:
        for target, anchor in re.findall(r"\]\(([^)#\s]*)#([^)\s]+)\)", words(page)):
            if "://" in target:
                continue
            aim = (page.parent / target).resolve() if target else page
            if anchor not in known.get(aim, ()):
                broken.append(f"{page.relative_to(ROOT)}: {target}#{anchor}")
    assert broken == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_gallery_shows_each_example(name):
    assert re.search(
        rf"^\[`examples/{name}`\]\(\.\./examples/{name}/main\.py\), [\d.]+ s", GALLERY, re.M
    )
    assert f"](images/gallery/{name}.png)" in GALLERY
    assert 1_000 < (ROOT / f"docs/images/gallery/{name}.png").stat().st_size < 60_000


def test_the_gallery_shows_nothing_else():
    assert sorted(set(re.findall(r"`examples/(\w+)`", GALLERY))) == EXAMPLES
    assert sorted(p.stem for p in ROOT.glob("docs/images/gallery/*")) == EXAMPLES


def test_a_block_has_the_name_of_its_file(tmp_path):
    script = "import sys, build; build.Sources(build.Path(sys.argv[1])).page('docs/start.md', 'start.md')"
    site = ROOT / "tools/site"
    subprocess.run([sys.executable, "-c", script, tmp_path], cwd=site, check=True)
    page = (tmp_path / "start.md").read_text()
    assert "```{code-block} python\n:caption: spring.py\n\nimport cellgrad as ms\n" in page
    assert "file=" not in page


def test_the_figures_of_the_first_screen_are_those_of_the_page_of_figures():
    table = (ROOT / "README.md").read_text().split("## Figures\n")[1].split("\n## ")[0]
    figures = (ROOT / "docs/figures.md").read_text()
    shown = re.findall(r"([\d.]+) [mµ]s", table)
    assert len(shown) > 30
    assert [
        n for n in shown if not re.search(rf"(?<![\d.]){re.escape(n)}(?![\d.]|$)", figures)
    ] == []


def test_the_picture_shows_the_size_of_the_shared_object(tmp_path):
    sys.path.insert(0, str(ROOT / "tools/docs"))
    import overview

    size = overview.export(tmp_path).stat().st_size / 1000
    shown = re.search(r"([\d.]+) kB, written", (ROOT / "docs/images/overview.svg").read_text())
    assert float(shown[1]) == pytest.approx(size, rel=0.15), "renew it: tools/docs/overview.py"


def public_names(module):
    """What has an entry of its own; modules have pages of theirs."""
    names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    return {n for n in names if not inspect.ismodule(getattr(module, n, None))}


def test_the_reference_has_every_public_name(tmp_path):
    command = [sys.executable, ROOT / "tools/site/reference.py", tmp_path]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    text = {p.stem: p.read_text() for p in tmp_path.glob("*.md")}
    modules = {name for name in text if name.startswith("cellgrad")}
    assert {"cellgrad", "cellgrad.nn", "cellgrad.mint.nn.functional"} <= modules
    adam = text["cellgrad.nn"].split("\n## Adam\n")[1]
    assert adam.startswith("\n```python\nnn.Adam(\n    params: ")
    for name in modules:
        module = importlib.import_module(name)
        titles = set(re.findall(r"^## (\w+)$", text[name], re.M))
        assert public_names(module) == titles, name
        inner = {n for n in getattr(module, "__all__", ()) if inspect.ismodule(getattr(module, n))}
        inner = {f"{name}.{n}" for n in inner if getattr(getattr(module, n), "__all__", ())}
        assert inner <= modules | {"cellgrad.ops", "cellgrad.experimental"}
    listed = "".join(text[n] for n in text if n.startswith("ops-"))
    shown = set(re.findall(r"^## (?:ops\.)?(\w+)$|`ops\.(\w+)", listed, re.M))
    ops = importlib.import_module("cellgrad.ops")
    assert {*ops.__all__} - {name for pair in shown for name in pair} == set()
    records = re.findall(r"^\| `(cell\.\w+)`", (ROOT / "docs/ops.md").read_text(), re.M)
    assert len(records) > 100
    assert {*records} <= {*re.findall(r"^### (cell\.\w+)$", text["dialect"], re.M)}
    header = (ROOT / "runtime/cellgrad_abi.h").read_text()
    declared = {*re.findall(r"^## (\w+)$", text["c"], re.M)}
    assert {*re.findall(r"^} (cg_\w+);", header, re.M)} <= declared
    assert text["errors"].count("\n- ") > 800
    assert "is not supported in compiled code." in text["errors"]
    assert "which has no body: a model contains all" in text["errors"]


MODULES = {"ms": "", "random": ".random"} | {
    n: f".{n}" for n in ("ops", "nn", "mint", "train", "amp")
}


def missing(text):
    """Names in backquotes, such as `ops.Scan()(step, init)`, that the package has not got."""
    found = []
    for module, rest in re.findall(r"`(\w+)\.((?:\w+\.)*\w+)", text):
        if module in MODULES:
            here = importlib.import_module("cellgrad" + MODULES[module])
            for part in rest.split("."):
                here = getattr(here, part, None)
            if here is None:
                found.append(f"{module}.{rest}")
    return found


@pytest.mark.parametrize(
    "page",
    [
        *ROOT.glob("docs/from-*.md"),
        *ROOT.glob("docs/tutorial/*.md"),
        ROOT / "docs/start.md",
        ROOT / "docs/gallery.md",
    ],
    ids=lambda page: page.stem,
)
def test_names_in_guides_exist(page):
    """In tables of what is called what, the second column is ours."""
    lines = words(page).splitlines()
    ours = [line.split(" | ", 1)[-1] if line.startswith("| ") else line for line in lines]
    assert missing("\n".join(ours)) == []


def test_a_name_that_does_not_exist_is_found():
    assert missing("`ops.Scan()(f, x)`, `ms.gard(f)` and `nn.Dense`") == ["ms.gard"]
