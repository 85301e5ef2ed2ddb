"""Records of training in TensorBoard's format, read back from the bytes of the files."""

import importlib
import struct

import numpy as np
import pytest
from tensorboardX.proto.event_pb2 import Event

import cellgrad as ms
from cellgrad import Tensor, dataset, nn, train

RNG = np.random.default_rng(77)


def events(folder):
    """(step, tag, value) of all files of a folder: records of length, check sum, data, check sum."""
    out = []
    for path in sorted(folder.iterdir()):
        assert "tfevents" in path.name
        data = path.read_bytes()
        while data:
            (size,) = struct.unpack("<Q", data[:8])
            event = Event.FromString(data[12 : 12 + size])
            out += [(event.step, value.tag, value) for value in event.summary.value]
            data = data[16 + size :]
    return out


def test_values_are_read_back(tmp_path):
    values = RNG.normal(size=(50,))
    image = RNG.integers(0, 256, (2, 3, 4, 5)).astype(np.uint8)
    with train.SummaryRecord(str(tmp_path / "runs" / "first")) as record:
        record.add_value("scalar", "loss", Tensor(0.5))
        record.add_value("scalar", "rate", 0.25)
        record.add_value("histogram", "weights", Tensor(values))
        assert record.record(3)
        assert not record.record(4)
        record.add_value("image", "seen", image)
        record.set_mode("eval")
        record.add_value("scalar", "loss", Tensor(0.75, ms.float16))
        assert record.record(5)
        record.add_value("scalar", "left out", 1)
        assert not record.record(6, plugin_filter=lambda kind: kind != "scalar")
        record.flush()
        assert record.log_dir == str((tmp_path / "runs" / "first").resolve())
    found = {(step, tag): value for step, tag, value in events(tmp_path / "runs" / "first")}
    assert found[3, "loss"].simple_value == 0.5 and found[3, "rate"].simple_value == 0.25
    assert found[5, "eval/loss"].simple_value == 0.75
    histogram = found[3, "weights"].histo
    assert histogram.num == 50 and sum(histogram.bucket) == 50
    assert histogram.sum == pytest.approx(values.sum()) and histogram.min == values.min()
    seen = [value for (step, tag), value in found.items() if tag.startswith("seen")]
    assert seen and seen[0].image.encoded_image_string.startswith(b"\x89PNG")
    assert not any("left out" in tag for _, tag in found)


def trained(callback, epochs=2):
    x = RNG.normal(size=(12, 2)).astype(np.float32)
    data = dataset.NumpySlicesDataset({"x": x, "y": x[:, :1]}, shuffle=False).batch(4)
    net = nn.Dense(2, 1)
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    history = train.History()
    losses = []
    noted = train.LambdaCallback(
        on_train_step_end=lambda run: losses.append(float(run.original_args().net_outputs))
    )
    model.train(epochs, data, callbacks=[callback, noted, history], dataset_sink_mode=False)
    return net, losses


def test_a_collector(tmp_path):
    net, losses = trained(train.SummaryCollector(str(tmp_path), 2))
    found = events(tmp_path)
    assert [(step, pytest.approx(v.simple_value)) for step, tag, v in found if tag == "loss"] == [
        (step, losses[step - 1]) for step in (2, 4, 6)
    ]
    histograms = [(step, tag) for step, tag, v in found if v.HasField("histo")]
    assert histograms == [(step, name) for step in (2, 4, 6) for name in ("weight", "bias")]
    last = [v.histo for step, tag, v in found if (step, tag) == (6, "weight")]
    assert last[0].sum == pytest.approx(net.weight.asnumpy().sum(), rel=1e-6)


def test_what_is_collected(tmp_path):
    trained(
        train.SummaryCollector(
            str(tmp_path / "a"), 1, collect_specified_data={"histogram_regular": "^b"}
        )
    )
    assert {tag for _, tag, _ in events(tmp_path / "a")} == {"loss", "bias"}
    only = {"collect_metric": True}
    trained(
        train.SummaryCollector(
            str(tmp_path / "b"), 1, collect_specified_data=only, keep_default_action=False
        )
    )
    assert {tag for _, tag, _ in events(tmp_path / "b")} == {"loss"}


@pytest.mark.parametrize(
    "call, kind, words",
    [
        (lambda r: r.add_value("graph", "net", 1), ValueError, "plugin"),
        (lambda r: r.add_value("scalar", "", 1), ValueError, "name"),
        (
            lambda r: r.add_value("scalar", "x", Tensor([1.0, 2.0])),
            ValueError,
            "a Tensor of one element",
        ),
        (lambda r: r.add_value("image", "x", np.zeros((4, 5))), ValueError, r"\[N, C, H, W\]"),
        (lambda r: r.add_value("scalar", "x", "one"), ValueError, "of numbers"),
        (lambda r: r.record("1"), TypeError, "step"),
        (lambda r: r.set_mode("test"), ValueError, "mode"),
        (lambda r: train.SummaryRecord(3), TypeError, "log_dir"),
        (lambda r: train.SummaryCollector("x", 0), ValueError, "collect_freq"),
        (
            lambda r: train.SummaryCollector("x", collect_specified_data={"graph": 1}),
            ValueError,
            "collect_metric",
        ),
        (lambda r: (r.close(), r.close(), r.record(1)), RuntimeError, "is closed"),
    ],
)
def test_mistakes(tmp_path, call, kind, words):
    with train.SummaryRecord(str(tmp_path)) as record, pytest.raises(kind, match=words):
        call(record)


def test_without_the_library(tmp_path, monkeypatch):
    def refuse(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", refuse)
    with pytest.raises(
        ImportError, match=r"by tensorboardX, which is not installed(.|\n)*pip install tensorboardX"
    ):
        train.SummaryRecord(str(tmp_path))
