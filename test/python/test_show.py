"""What people look at: the page of `ms.show`, summaries of networks, what notebooks show of values."""

import json
import re

import numpy as np
import pytest

import cellgrad as ms
from cellgrad import Parameter, Tensor, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(4, 8)
        self.calls = Parameter(Tensor(0, ms.int32), name="calls", requires_grad=False)

    def construct(self, x):
        self.calls += 1
        return ops.tanh(self.fc(x)).sum()


X = ops.ones((16, 4), ms.float32)


def data_of(html):
    (found,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', html, re.S)
    return json.loads(found)


def line_of(data, number):
    place = data["places"][number]
    return data["sources"][place["file"]].split("\n")[place["line"] - 1].strip()


@pytest.fixture(scope="module")
def shown():
    net = Net()
    page = ms.show(net, X, grad=True, timed=True)
    assert int(net.calls) == 3  # it was called for the times
    return page, data_of(page.html)


def test_stages_are_linked_to_the_source(shown):
    _, data = shown
    names = [stage["name"] for stage in data["stages"]]
    assert names == [
        *("captured", "differentiated", "linalg on tensors", "fused", "buffers", "kernels"),
        *("loops over vectors", "memory placed"),
    ]
    for stage, text in zip(data["stages"], ("cell.tanh", "cell.tanh", "math.tanh"), strict=False):
        lines = [(line, place) for line, place in stage["lines"] if text in line]
        assert lines, stage["name"]
        assert {line_of(data, place) for _, place in lines} == {"return ops.tanh(self.fc(x)).sum()"}
    loops = [place for line, place in data["stages"][6]["lines"] if "vector.store" in line]
    assert loops and all(line_of(data, place).startswith("return ops.tanh") for place in loops)


def test_the_derivative_is_told_from_the_function(shown):
    _, data = shown
    phases = {}
    for line, place in data["stages"][1]["lines"]:
        if place >= 0 and "cell." in line:
            op = re.search(r"cell\.(\w+)", line)[1]
            phases.setdefault(op, set()).add(data["places"][place]["phase"])
    assert phases["tanh"] == {"forward"} and phases["sech_squared"] == {"adjoint"}
    assert phases["matmul"] == {"forward", "adjoint"}


def test_the_graph_follows_operands(shown):
    _, data = shown
    (graph,) = data["graphs"]
    nodes = graph["nodes"]
    assert graph["count"] == len(nodes)
    (tanh,) = [n for n in nodes if n["op"] == "tanh"]
    assert [nodes[i]["op"] for i in tanh["of"]] == ["add"] and tanh["type"] == "tensor<16x8xf32>"
    assert {nodes[i]["op"] for i in nodes[tanh["of"][0]]["of"]} == {"matmul", "broadcast"}
    assert all(j < i for i, n in enumerate(nodes) for j in n["of"])


def test_kernels_memory_and_times(shown):
    _, data = shown
    product = next(k for k in data["kernels"] if k["what"] == "product 16x8x4")
    assert product["flops"] == 2 * 16 * 8 * 4 and product["bytes"] == 4 * (16 * 4 + 4 * 8 + 16 * 8)
    (memory,) = data["memory"]
    buffers = memory["buffers"]
    assert buffers and all(b["first"] <= b["last"] and b["bytes"] > 0 for b in buffers)
    for a in buffers:
        for b in buffers:
            together = a["first"] <= b["last"] and b["first"] <= a["last"]
            apart = (
                a["offset"] + a["bytes"] <= b["offset"] or b["offset"] + b["bytes"] <= a["offset"]
            )
            assert a is b or not together or apart
    moments = range(max(b["last"] for b in buffers) + 1)
    at = [sum(b["bytes"] for b in buffers if b["first"] <= t <= b["last"]) for t in moments]
    assert max(at) >= memory["peak"] > 0
    assert {k["runs"] for k in data["times"]} == {3}


def test_the_page_stands_alone(shown, tmp_path):
    page, _ = shown
    assert not re.search(
        r"(src|href)\s*=|url\(|@import|https?://(?!www\.w3\.org/2000/svg)",
        page.html.split('id="data"')[0],
    )
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text() == page.html
    assert page._repr_html_().startswith("<iframe srcdoc=") and "value_and_grad_Net" in repr(page)


def test_nothing_of_the_program_ends_the_script():
    named = Parameter(Tensor([1.0]), name="</script><b>")
    page = ms.show(lambda x: x * named, Tensor([2.0]))  # </script>
    assert page.html.count("</script>") == 2
    assert "</script><b>" in json.dumps(data_of(page.html))


def test_nothing_runs_without_times():
    net = Net()
    ms.show(net, X)
    assert int(net.calls) == 0


@pytest.mark.parametrize(
    "call, words",
    [
        (lambda: ms.show(3), "'fn' must be a Cell or a function"),
        (lambda: ms.show(ops.tanh, X, grad=1), "'grad'"),
        (lambda: ms.show(ops.tanh, X, timed=1), "'timed'"),
    ],
)
def test_mistakes(call, words):
    with pytest.raises(TypeError, match=words):
        call()


# --- summaries ----------------------------------------------------------------------------------


def test_a_summary_counts_and_runs_nothing():
    net = Net()
    made = net.summary(X)
    assert [(r.path, r.kind, r.output, r.parameters, r.trainable) for r in made.rows] == [
        ("", "Net", "Float32[]", 1, 0),
        ("fc", "Dense", "Float32[16, 8]", 40, 40),
    ]
    assert (made.parameters, made.trainable) == (41, 40) and int(net.calls) == 0
    lines = str(made).splitlines()
    assert lines[2].split() == ["fc", "Dense", "Float32[16,", "8]", "40", "40"]
    assert lines[-1] == "41 elements in Parameters, of which 40 are trainable"
    assert [r.output for r in net.summary().rows] == ["", ""]


def test_a_summary_of_a_call_that_fails():
    with pytest.raises(ValueError, match="in_channels = 4"):
        Net().summary(ops.ones((2, 3), ms.float32))


def test_shared_cells_have_one_row_and_branches_their_outputs():
    class Twice(nn.Cell):
        def __init__(self):
            super().__init__()
            self.a = nn.Dense(4, 4)
            self.unused = nn.ReLU()

        def construct(self, x):
            return self.a(self.a(x)), x

    rows = Twice().summary(X).rows
    assert [(r.path, r.output) for r in rows] == [
        ("", "Float32[16, 4], Float32[16, 4]"),
        ("a", "Float32[16, 4]"),
        ("unused", ""),
    ]


# --- notebooks ----------------------------------------------------------------------------------


def test_what_notebooks_show():
    shown = Tensor([[1.0, 2.0]])._repr_html_()
    assert re.sub(' style="[^"]*"', "", shown) == (
        "<div><code>Tensor Float32[1, 2]</code><pre>[[1. 2.]]</pre></div>"
    )
    many = Tensor(np.arange(201))
    assert "[  0   1   2 ... 198 199 200]" in many._repr_html_() and "100" in str(many)
    with np.printoptions(threshold=10_000):
        assert "100" in many._repr_html_()
    text = Net()._repr_html_()
    assert text.startswith("<table><caption>Net: 41 elements in Parameters, 40 trainable</caption>")
    assert '<td style="text-align:right">40</td>' in text
    net = Net()
    shown = ms.grad(net, None, net.trainable_params())._repr_html_()
    assert "grad of Net" in shown and "by fc.weight: Float32[8, 4]" in shown
    assert "by position (0,)" in ms.value_and_grad(lambda x: x)._repr_html_()
    named = Parameter(Tensor(np.ones(2, np.float32)), name="<b>")
    assert "by &lt;b&gt;:" in ms.grad(lambda x: x * named, None, [named])._repr_html_()
