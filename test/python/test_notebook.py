"""Cells of a notebook, run by a real Jupyter kernel, which is started once."""

import queue

import pytest
from jupyter_client.manager import start_new_kernel
from on_gpu import ON_GPU


@pytest.fixture(scope="module")
def run():
    """Runs a cell: what it prints, and what it shows."""
    manager, client = start_new_kernel(kernel_name="python3", startup_timeout=60)

    def run(source):
        sent = client.execute(source)
        text, shown = "", {}
        while True:
            try:
                message = client.get_iopub_msg(timeout=60)
            except queue.Empty:
                pytest.fail(f"the kernel says nothing for a minute: {text}")
            if message["parent_header"].get("msg_id") != sent:
                continue
            content = message["content"]
            if message["msg_type"] == "stream":
                text += content["text"]
            elif message["msg_type"] in ("execute_result", "display_data"):
                shown = content["data"]
            elif message["msg_type"] == "error":
                text += "\n".join(content["traceback"])
            elif message["msg_type"] == "status" and content["execution_state"] == "idle":
                return text, shown

    try:
        run("import cellgrad as ms\nfrom cellgrad import Tensor, nn, ops")
        yield run
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)


def test_a_function_of_a_cell_is_compiled_and_defined_again(run):
    run("@ms.jit\ndef f(x):\n    if x > 0:\n        return x * 2\n    return x")
    assert run("print(f(Tensor(3.0)), f(Tensor(-3.0)))")[0] == "6.0 -3.0\n"
    run("def g(x):\n    return x * x\ngradient = ms.grad(lambda x: g(x))")
    assert run("print(gradient(Tensor(3.0)))")[0] == "6.0\n"
    run("def g(x):\n    return x * x * x")
    assert run("print(gradient(Tensor(3.0)))")[0] == "27.0\n"


def test_a_cell_class_is_defined_again(run):
    source = "class Net(nn.Cell):\n    def construct(self, x):\n        return x + {}\nnet = Net()"
    run(source.format(1))
    assert run("print(net(Tensor(1.0)))")[0] == "2.0\n"
    run(source.format(10))
    assert run("print(net(Tensor(1.0)))")[0] == "11.0\n"


def test_errors_name_the_line_of_the_cell(run):
    text, _ = run(
        "@ms.jit\ndef bad(x):\n    y = x + 1\n    return y.reshape(7)\nbad(Tensor([1.0]))"
    )
    assert "return y.reshape(7)" in text and "in bad" in text
    assert "cellgrad/" not in text  # frames of the package
    text, _ = run("nn.Dense(2, 3, bias=False)")
    assert "hint: write has_bias=" in text


def test_values_are_shown(run):
    assert ">[1. 2.]</pre>" in run("Tensor([1.0, 2.0])")[1]["text/html"]
    assert "<table>" in run("nn.Dense(2, 3)")[1]["text/html"]
    if not ON_GPU:
        shown = run("page = ms.show(lambda x: {'tanh': ops.tanh(x)}, Tensor([1.0]))\npage")[1]
        assert shown["text/html"].startswith("<iframe srcdoc=")
        assert "page = ms.show(lambda x: {" in shown["text/html"]  # the source, which is on no disk


def test_a_timed_cell(run):
    assert "Wall time" in run("%%time\nprint(ms.jit(lambda x: x * 3)(Tensor(2.0)))")[0]
