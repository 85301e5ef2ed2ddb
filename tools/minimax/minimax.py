"""Weighted near-minimax polynomials with coefficients rounded to a machine format.

Lawson's iteration (weighted least squares on Chebyshev nodes, weights multiplied by the residual)
in multiple precision: unlike the exchange algorithm of Remez it does not need the Haar condition,
which powers x, x^2, ... lose on an interval around 0. Rounding the coefficients one by one, lowest
power first, and fitting the remaining ones again after each rounding recovers most of what plain
rounding loses (see Muller et al., "Handbook of Floating-Point Arithmetic").
"""

import struct

import mpmath as mp

mp.mp.dps = 60


def to_f32(v):
    return mp.mpf(struct.unpack("<f", struct.pack("<f", float(v)))[0])


def to_f64(v):
    return mp.mpf(float(v))


ROUND = {"f32": to_f32, "f64": to_f64}


def _lawson(values, weights, nodes, powers, rounds=8):
    """Coefficients over `powers` minimising max weights * |values - polynomial| at the nodes."""
    n = len(powers)
    basis = [[x**p for p in powers] for x in nodes]
    law = [mp.mpf(1)] * len(nodes)
    best, best_err = None, None
    for _ in range(rounds):
        a, b = mp.matrix(n, n), mp.matrix(n, 1)
        for row, v, w, l in zip(basis, values, weights, law):
            u = l * w * w
            for i in range(n):
                ui = u * row[i]
                b[i] += ui * v
                for j in range(i, n):
                    a[i, j] += ui * row[j]
        for i in range(n):
            for j in range(i):
                a[i, j] = a[j, i]
        c = list(mp.lu_solve(a, b))
        res = [w * abs(v - mp.fdot(row, c)) for row, v, w in zip(basis, values, weights)]
        err = max(res)
        if best is None or err < best_err:
            best, best_err = c, err
        if err == 0:
            break
        law = [l * (r / err + mp.mpf("1e-4")) for l, r in zip(law, res)]
        total = mp.fsum(law)
        law = [l * len(law) / total for l in law]
    return best


def fit(f, w, degree, lo, hi, fmt):
    """Coefficients of x^0 ... x^degree rounded to `fmt`, and the largest weighted error."""
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    count = 6 * (degree + 2)
    nodes = [
        (lo + hi) / 2 - (hi - lo) / 2 * mp.cos(mp.pi * (i + mp.mpf(1) / 2) / count)
        for i in range(count)
    ]
    target = [f(x) for x in nodes]
    weights = [w(x) for x in nodes]
    rest, done = target, []
    for k in range(degree + 1):
        c = ROUND[fmt](_lawson(rest, weights, nodes, range(k, degree + 1))[0])
        done.append(c)
        rest = [v - c * x**k for v, x in zip(rest, nodes)]
    return done, max(wx * abs(r) for wx, r in zip(weights, rest))
