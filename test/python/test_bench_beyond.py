"""The workloads outside the public set: what is timed has the numbers of a reference."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench/beyond"))

import run


def test_bundle_jacobian():
    """The rows of the Jacobian of some observations beside differences in double precision."""
    module = run.workload("bundle")
    data = module.data()
    values, (by_camera, by_point, by_weight) = module.cellgrad(data)()
    data = {name: value.astype("float64") for name, value in data.items()}

    def residual(i, camera, point, weight):
        return module.project(np, camera, point, weight, data["features"][i], np.cross)

    for i in (0, 17, 4999):
        at = [data[name][i] for name in ("cameras", "points", "weights")]
        np.testing.assert_allclose(values.asnumpy()[i], residual(i, *at), rtol=1e-4, atol=1e-5)
        for k, rows in enumerate((by_camera, by_point, by_weight)):
            for j in np.ndindex(at[k].shape):
                sides = []
                for step in (1e-6, -1e-6):
                    moved = [np.array(value) for value in at]
                    moved[k][j] += step
                    sides.append(residual(i, *moved))
                wanted = (sides[0] - sides[1]) / 2e-6
                np.testing.assert_allclose(
                    rows.asnumpy()[i][(..., *j)], wanted, rtol=1e-3, atol=1e-4
                )


@pytest.mark.parametrize("name", run.NAMES)
def test_files(name):
    module = run.workload(name)
    assert module.__doc__.split("\n")[0].endswith(".")
    assert all(callable(getattr(module, part)) for part in ("data", *run.FRAMEWORKS))


def test_wrong_outputs(tmp_path):
    wanted = [np.array([1.0, 2.0]), np.float64(4)]
    np.savez(tmp_path / "wanted.npz", *wanted)
    np.savez(tmp_path / "right.npz", *wanted)
    assert run.error(tmp_path / "right.npz", tmp_path / "wanted.npz") == 0
    np.savez(tmp_path / "wrong.npz", np.array([1.0, 2.5]), wanted[1])
    assert run.error(tmp_path / "wrong.npz", tmp_path / "wanted.npz") == 0.25
    np.savez(tmp_path / "nan.npz", np.array([1.0, np.nan]), wanted[1])
    assert run.error(tmp_path / "nan.npz", tmp_path / "wanted.npz") == np.inf
    np.savez(tmp_path / "few.npz", wanted[0])
    with pytest.raises(SystemExit, match="1 outputs, the reference has 2"):
        run.error(tmp_path / "few.npz", tmp_path / "wanted.npz")
