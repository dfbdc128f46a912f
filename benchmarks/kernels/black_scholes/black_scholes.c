/* The loop is simple; its speed is that of exp and log, which the compiler takes from its library of vector functions. */
#include <math.h>
#include <stdint.h>

#define DEFINE(NAME, REAL, EXP, LOG, SQRT, ABS) \
  static inline REAL cnd_##NAME(REAL d) { \
    REAL k = (REAL)1 / ((REAL)1 + (REAL)0.2316419 * ABS(d)); \
    REAL p = (REAL)-1.821255978 + k * (REAL)1.330274429; \
    p = (REAL)-0.356563782 + k * ((REAL)1.781477937 + k * p); \
    p = k * ((REAL)0.31938153 + k * p); \
    REAL c = (REAL)0.3989422804014327 * EXP((REAL)-0.5 * d * d) * p; \
    return d > 0 ? (REAL)1 - c : c; \
  } \
  void black_scholes_##NAME(const uint8_t *restrict call, const REAL *restrict price, const REAL *restrict strike, \
                            const REAL *restrict years, REAL *restrict out, int64_t n) { \
    const REAL r = (REAL)0.08, v = (REAL)0.30; \
    _Pragma("omp parallel for simd schedule(static)") for (int64_t i = 0; i < n; i++) { \
      REAL root = v * SQRT(years[i]); \
      REAL d1 = (LOG(price[i] / strike[i]) + (r + (REAL)0.5 * v * v) * years[i]) / root; \
      REAL d2 = d1 - root; \
      REAL discounted = strike[i] * EXP(-r * years[i]); \
      REAL worth = price[i] * cnd_##NAME(d1) - discounted * cnd_##NAME(d2); \
      /* A put is worth a call plus the discounted strike less the price. */ \
      out[i] = call[i] ? worth : worth + discounted - price[i]; \
    } \
  }

DEFINE(f32, float, expf, logf, sqrtf, fabsf)
DEFINE(f64, double, exp, log, sqrt, fabs)
