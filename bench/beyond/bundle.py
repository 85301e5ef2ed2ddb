"""Bundle adjustment (ADBench), 5,000 observations: residuals and their Jacobian by camera, point and weight."""

import numpy as np

COUNT, CAMERA = 5000, 11


def data():
    random = np.random.default_rng(10)
    out = {
        "cameras": 0.2 * random.standard_normal((COUNT, CAMERA)),
        "points": random.standard_normal((COUNT, 3)),
        "weights": random.uniform(0.5, 1, COUNT),
        "features": random.standard_normal((COUNT, 2)),
    }
    out["cameras"][:, 6] += 1
    out["points"][:, 2] += 8
    return {name: value.astype("float32") for name, value in out.items()}


def project(m, camera, point, weight, feature, cross):
    """The two residuals of one observation; `m` has sin, cos, sqrt and sum."""
    rotation, centre, focal = camera[:3], camera[3:6], camera[6]
    x0, radial = camera[7:9], camera[9:11]
    x = point - centre
    square = m.sum(rotation * rotation)
    theta = m.sqrt(square)
    w = rotation / theta
    rotated = (
        x * m.cos(theta) + cross(w, x) * m.sin(theta) + w * (m.sum(w * x) * (1 - m.cos(theta)))
    )
    flat = rotated[:2] / rotated[2]
    r = m.sum(flat * flat)
    distorted = flat * (1 + radial[0] * r + radial[1] * r * r)
    return weight * (distorted * focal + x0 - feature)


def cellgrad(d):
    import cellgrad as ms
    from cellgrad import ops

    def cross(a, b):
        return ops.stack(
            (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
        )

    def residual(camera, point, weight, feature):
        return project(ops, camera, point, weight, feature, cross)

    def all_of_it(*args):
        rows = ms.vmap(ms.jacrev(residual, (0, 1, 2)))(*args)
        return ms.vmap(residual)(*args), rows

    compiled = ms.jit(all_of_it)
    args = [ms.Tensor(d[name]) for name in ("cameras", "points", "weights", "features")]
    return lambda: compiled(*args)


def jax(d):
    import jax
    import jax.numpy as jnp

    def residual(camera, point, weight, feature):
        return project(jnp, camera, point, weight, feature, jnp.cross)

    def all_of_it(*args):
        rows = jax.vmap(jax.jacrev(residual, (0, 1, 2)))(*args)
        return jax.vmap(residual)(*args), rows

    compiled = jax.jit(all_of_it)
    args = [jnp.asarray(d[name]) for name in ("cameras", "points", "weights", "features")]
    return lambda: compiled(*args)


def torch(d):
    import torch
    from torch.func import jacrev, vmap

    def residual(camera, point, weight, feature):
        return project(torch, camera, point, weight, feature, torch.linalg.cross)

    rows, values = vmap(jacrev(residual, (0, 1, 2))), vmap(residual)
    args = [torch.from_numpy(d[name]) for name in ("cameras", "points", "weights", "features")]
    return lambda: (values(*args), rows(*args))
