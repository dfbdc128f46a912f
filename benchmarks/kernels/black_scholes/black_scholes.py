"""European options by the Black-Scholes formula."""

import math

import numpy as np

from harness.case import Case, size

RISKFREE, VOLATILITY = 0.08, 0.30
A = [0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429]


def maker(dtype):
    def make(rng, scale):
        n = size(10_000_000, scale)
        between = lambda low, high: (low + (high - low) * rng.random(n)).astype(dtype)
        return rng.random(n) < 0.5, between(5, 30), between(5, 60), between(0.25, 10)

    return make


def worth(np, call, price, strike, years):
    """The formula with the functions of NumPy or of JAX."""

    def cnd(d):
        k = 1 / (1 + 0.2316419 * np.abs(d))
        p = k * (A[0] + k * (A[1] + k * (A[2] + k * (A[3] + k * A[4]))))
        c = 0.3989422804014327 * np.exp(-0.5 * d * d) * p
        return np.where(d > 0, 1 - c, c)

    v_sqrt_t = VOLATILITY * np.sqrt(years)
    d1 = (np.log(price / strike) + (RISKFREE + 0.5 * VOLATILITY * VOLATILITY) * years) / v_sqrt_t
    d2 = d1 - v_sqrt_t
    discounted = strike * np.exp(-RISKFREE * years)
    c1, c2 = cnd(d1), cnd(d2)
    return np.where(call, price * c1 - discounted * c2, discounted * (1 - c2) - price * (1 - c1))


def numpy_version(*options):
    return worth(np, *options)


def numba_version():
    from numba import njit, prange

    def compiled(real):
        # Constants of the type of the numbers: Numba computes with doubles where one operand is a double.
        a0, a1, a2, a3, a4, one, half, c, s, r, v = map(
            real, [*A, 1, 0.5, 0.2316419, 0.3989422804014327, RISKFREE, VOLATILITY]
        )

        @njit(fastmath=True)
        def cnd(d):
            k = one / (one + c * abs(d))
            p = k * (a0 + k * (a1 + k * (a2 + k * (a3 + k * a4))))
            rest = s * math.exp(-half * d * d) * p
            return one - rest if d > 0 else rest

        @njit(parallel=True, fastmath=True)
        def run(call, price, strike, years):
            out = np.empty_like(price)
            for i in prange(len(price)):
                v_sqrt_t = v * math.sqrt(years[i])
                d1 = (math.log(price[i] / strike[i]) + (r + half * v * v) * years[i]) / v_sqrt_t
                d2 = d1 - v_sqrt_t
                discounted = strike[i] * math.exp(-r * years[i])
                c1, c2 = cnd(d1), cnd(d2)
                out[i] = price[i] * c1 - discounted * c2 if call[i] else discounted * (one - c2) - price[i] * (one - c1)
            return out

        return run

    runs = {np.dtype(real): compiled(real) for real in [np.float32, np.float64]}
    return lambda call, price, strike, years: runs[price.dtype](call, price, strike, years)


def jax_version():
    import jax
    import jax.numpy as jnp

    return jax.jit(lambda *options: worth(jnp, *options))


CASES = [
    Case(
        f"Black-Scholes {name}", "10 M", maker(dtype), f"black_scholes_{name}", lambda *options: [len(options[0])],
        lambda call, price, *_: [np.empty_like(price)], numpy_version, numba_version, jax_version, entry=entry,
        tolerance=tolerance,
    )
    for name, dtype, entry, tolerance in [("f64", np.float64, "double", 1e-6), ("f32", np.float32, "single", 1e-4)]
]
