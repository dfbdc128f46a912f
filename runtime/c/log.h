/* Logarithms: x = 2^k m with m from sqrt 1/2 to sqrt 2, and log x = k ln 2 + log m. */
typedef struct {
  double k, m;
  /* 2^-k. */
  double inverse;
} rv_split_f64;

/* For positive numbers; subnormal ones are made larger first. */
RV_MATH rv_split_f64 rv_split_of_f64(double x) {
  bool tiny = x < 0x1p-1022;
  uint64_t bits = rv_bits_f64(tiny ? x * 0x1p54 : x);
  uint64_t above = bits - 0x3fe6a09e667f3bcd + 0x3ff0000000000000, exponent = above & 0xfff0000000000000;
  double k = rv_from_f64(above >> 52 | 0x4330000000000000) - (tiny ? 0x1p52 + 1023 + 54 : 0x1p52 + 1023);
  double m = rv_from_f64(bits - exponent + 0x3ff0000000000000);
  return (rv_split_f64){k, m, rv_from_f64(0x7fe0000000000000 - exponent)};
}

/* log (1 + f) - f for 1 + f from sqrt 1/2 to sqrt 2. */
RV_MATH double rv_log_rest_f64(double f) {
  double f2 = f * f, f4 = f2 * f2;
  double low = rv_poly8_f64(f, f2, f4, 0x1.5555555555533p-2, -0x1.fffffffffef11p-3, 0x1.999999999f7e6p-3,
                            -0x1.555555566b65cp-3, 0x1.249249229f798p-3, -0x1.ffffff2bd281dp-4, 0x1.c71c71e21957cp-4,
                            -0x1.9999c272c82c2p-4);
  double high = rv_poly8_f64(f, f2, f4, 0x1.745d3edd7118fp-4, -0x1.5550ed85a0dcdp-4, 0x1.3b0b8d75b4e17p-4,
                             -0x1.24d760b277c2bp-4, 0x1.11ccd7508b255p-4, -0x1.fba02585655d7p-5, 0x1.d05b9209a59b4p-5,
                             -0x1.d129cc8d03890p-5);
  double last = rv_fma_f64(f2, 0x1.ac3f4bb31b5efp-6, rv_poly2_f64(f, 0x1.0a63cb16c1374p-4, -0x1.e9eb6f18108c0p-5));
  double f8 = f4 * f4;
  return f2 * rv_fma_f64(f, rv_fma_f64(f8, rv_fma_f64(f8, last, high), low), -0.5);
}

/* The value y of a logarithm at x, or what it is at the ends of its domain. */
RV_MATH double rv_log_ends_f64(double x, double y) {
  y = x < RV_INF ? y : x;
  return x > 0 ? y : x == 0 ? -RV_INF : RV_NAN;
}

RV_MATH double rv_log_f64(double x) {
  rv_split_f64 s = rv_split_of_f64(x);
  double f = s.m - 1, low = rv_fma_f64(s.k, RV_LN2_LOW, rv_log_rest_f64(f));
  return rv_log_ends_f64(x, rv_fma_f64(s.k, RV_LN2, f + low));
}

/* log m in another base, to which k in this base is added. */
RV_MATH double rv_log_base_f64(double x, double base, double base_low, double two, double two_low) {
  rv_split_f64 s = rv_split_of_f64(x);
  double f = s.m - 1, rest = rv_log_rest_f64(f), y = f + rest, lost = (f - y) + rest;
  double high = y * base, low = rv_fma_f64(y, base, -high) + rv_fma_f64(y, base_low, lost * base);
  return rv_log_ends_f64(x, rv_fma_f64(s.k, two, high + rv_fma_f64(s.k, two_low, low)));
}

RV_MATH double rv_log2_f64(double x) { return rv_log_base_f64(x, RV_LOG2E, 0x1.777d0ffda0d24p-56, 1, 0); }

RV_MATH double rv_log10_f64(double x) {
  return rv_log_base_f64(x, 0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57, 0x1.34413509f6000p-2, 0x1.9fef311f12b36p-42);
}

/* log (u + c) for u = 1 + x rounded, and the rest c that was lost. */
RV_MATH double rv_log1p_f64(double x) {
  double u = 1 + x, c = x < 1 ? x - (u - 1) : 1 - (u - x);
  rv_split_f64 s = rv_split_of_f64(u);
  double f = x < 0x1p60 ? rv_fma_f64(c, s.inverse, s.m - 1) : s.m - 1, low = rv_fma_f64(s.k, RV_LN2_LOW, rv_log_rest_f64(f));
  double y = rv_log_ends_f64(u, rv_fma_f64(s.k, RV_LN2, f + low));
  return __builtin_fabs(x) < 0x1p-54 ? x : y;
}

typedef struct {
  float k, m, inverse;
} rv_split_f32;

RV_MATH rv_split_f32 rv_split_of_f32(float x) {
  bool tiny = x < 0x1p-126f;
  uint32_t bits = rv_bits_f32(tiny ? x * 0x1p25f : x);
  uint32_t above = bits - 0x3f3504f3 + 0x3f800000, exponent = above & 0xff800000;
  float k = (float)(int32_t)(above >> 23) - (tiny ? 127 + 25 : 127);
  return (rv_split_f32){k, rv_from_f32(bits - exponent + 0x3f800000), rv_from_f32(0x7f000000 - exponent)};
}

RV_MATH float rv_log_rest_f32(float f) {
  float f2 = f * f, f4 = f2 * f2;
  float p = rv_poly8_f32(f, f2, f4, 0x1.555554p-2f, -0x1.000228p-2f, 0x1.99a036p-3f, -0x1.54723ap-3f, 0x1.22d61ap-3f,
                         -0x1.0d7f5ap-3f, 0x1.056baep-3f, -0x1.38f36ep-4f);
  return f2 * rv_fma_f32(f, p, -0.5f);
}

RV_MATH float rv_log_ends_f32(float x, float y) {
  y = x < __builtin_inff() ? y : x;
  return x > 0 ? y : x == 0 ? -__builtin_inff() : __builtin_nanf("");
}

RV_MATH float rv_log_f32(float x) {
  rv_split_f32 s = rv_split_of_f32(x);
  float f = s.m - 1, low = rv_fma_f32(s.k, RV_LN2_LOW_F32, rv_log_rest_f32(f));
  return rv_log_ends_f32(x, rv_fma_f32(s.k, RV_LN2_F32, f + low));
}

RV_MATH float rv_log_base_f32(float x, float base, float base_low, float two, float two_low) {
  rv_split_f32 s = rv_split_of_f32(x);
  float f = s.m - 1, rest = rv_log_rest_f32(f), y = f + rest, lost = (f - y) + rest;
  float high = y * base, low = rv_fma_f32(y, base, -high) + rv_fma_f32(y, base_low, lost * base);
  return rv_log_ends_f32(x, rv_fma_f32(s.k, two, high + rv_fma_f32(s.k, two_low, low)));
}

RV_MATH float rv_log2_f32(float x) { return rv_log_base_f32(x, 0x1.715476p0f, 0x1.4ae0cp-26f, 1, 0); }

RV_MATH float rv_log10_f32(float x) {
  return rv_log_base_f32(x, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f, 0x1.344p-2f, 0x1.3509f8p-18f);
}

RV_MATH float rv_log1p_f32(float x) {
  float u = 1 + x, c = x < 1 ? x - (u - 1) : 1 - (u - x);
  rv_split_f32 s = rv_split_of_f32(u);
  float f = x < 0x1p60f ? rv_fma_f32(c, s.inverse, s.m - 1) : s.m - 1, low = rv_fma_f32(s.k, RV_LN2_LOW_F32, rv_log_rest_f32(f));
  float y = rv_log_ends_f32(u, rv_fma_f32(s.k, RV_LN2_F32, f + low));
  return __builtin_fabsf(x) < 0x1p-25f ? x : y;
}

/* Inverse hyperbolic functions by `log1p`, where nothing cancels. */
RV_MATH double rv_asinh_f64(double x) {
  double size = __builtin_fabs(x);
  bool huge = size > 0x1p100;
  double small = huge ? 1 : size;
  double u = small + small * small / (1 + __builtin_sqrt(rv_fma_f64(small, small, 1)));
  return rv_signed_f64(rv_log1p_f64(huge ? size : u) + (huge ? RV_LN2 : 0), x);
}

RV_MATH double rv_acosh_f64(double x) {
  bool huge = x > 0x1p100;
  double t = (huge ? 2 : x) - 1;
  double u = t + __builtin_sqrt(rv_fma_f64(t, t, 2 * t));
  double y = rv_log1p_f64(huge ? x : u) + (huge ? RV_LN2 : 0);
  return x < 1 ? RV_NAN : y;
}

RV_MATH double rv_atanh_f64(double x) {
  double size = __builtin_fabs(x);
  return rv_signed_f64(0.5 * rv_log1p_f64(2 * size / (1 - size)), x);
}

RV_MATH float rv_asinh_f32(float x) { return (float)rv_asinh_f64(x); }
RV_MATH float rv_acosh_f32(float x) { return (float)rv_acosh_f64(x); }
RV_MATH float rv_atanh_f32(float x) { return (float)rv_atanh_f64(x); }

/* The power from the logarithm of |x| times y, as exponential e: its sign, and the cases without a logarithm. */
RV_MATH double rv_power_ends(double x, double y, double e) {
  bool whole = __builtin_rint(y) == y, odd = whole & (__builtin_rint(0.5 * y) != 0.5 * y);
  double power = odd ? rv_signed_f64(e, x) : e;
  power = ((x < 0) & (x > -RV_INF) & !whole & (y == y)) ? RV_NAN : power;
  power = ((x == -1) & (__builtin_fabs(y) == RV_INF)) ? 1 : power;
  return ((x == 1) | (y == 0)) ? 1 : power;
}

/* The logarithm needs 12 more bits than the result, and is a sum of two numbers: log m = 2 atanh s = 2 s + 2/3 s^3 + ..
   for s = (m - 1) / (m + 1). */
RV_MATH double rv_pow_f64(double x, double y) {
  double size = __builtin_fabs(x);
  rv_split_f64 a = rv_split_of_f64(size);
  double f = a.m - 1, d = a.m + 1, d_low = a.m - (d - 1), inverse = 1 / d;
  double s = f * inverse, s_low = rv_fma_f64(-s, d_low, rv_fma_f64(-s, d, f)) * inverse;
  double z = s * s, z_low = rv_fma_f64(2 * s, s_low, rv_fma_f64(s, s, -z)), z2 = z * z;
  double b = rv_poly8_f64(z, z2, z2 * z2, 0x1.9999999999996p-2, 0x1.2492492492f56p-2, 0x1.c71c71c595948p-3,
                          0x1.745d1829f0279p-3, 0x1.3b136499c8fdbp-3, 0x1.112077139fbf2p-3, 0x1.de3c178ef44b6p-4,
                          0x1.ead19d49b8f45p-4);
  /* c = 2/3 + z b, p = z c, q = s p, each with what rounding lost. */
  double rest = rv_fma_f64(z, b, 0x1.5555555555555p-55), c = 0x1.5555555555555p-1 + rest;
  double c_low = (0x1.5555555555555p-1 - c) + rest;
  double p = z * c, p_low = rv_fma_f64(z, c, -p) + rv_fma_f64(z, c_low, z_low * c);
  double q = s * p, q_low = rv_fma_f64(s, p, -q) + rv_fma_f64(s, p_low, s_low * p);
  double m = 2 * s + q, m_low = ((2 * s - m) + q) + rv_fma_f64(2, s_low, q_low);
  /* The first part of ln 2 has 40 bits: k times it is exact. */
  double k = a.k * 0x1.62e42fefa2000p-1, high = k + m;
  double low = ((k - high) + m) + rv_fma_f64(a.k, 0x1.9ef35793c7673p-41, m_low);
  double log = high + low, log_low = (high - log) + low;
  bool finite = (size > 0) & (size < RV_INF);
  log = finite ? log : size == 0 ? -RV_INF : size;
  double e = y * log, e_low = rv_fma_f64(y, log, -e) + y * log_low;
  e_low = (finite & (__builtin_fabs(e) < 1000)) ? e_low : 0;
  return rv_power_ends(x, y, rv_exp_sum_f64(e, e_low));
}

RV_MATH float rv_pow_f32(float x, float y) {
  return (float)rv_power_ends(x, y, rv_exp_f64((double)y * rv_log_f64(__builtin_fabs((double)x))));
}
