/* Exponentials: x = k ln 2 + r with |r| <= ln 2 / 2, and exp x = 2^k exp r. */

/* exp r - 1. */
RV_MATH double rv_exp_rest_f64(double r) {
  double r2 = r * r, r4 = r2 * r2;
  double low = rv_poly4_f64(r, r2, 0x1.0000000000009p-1, 0x1.55555555553a9p-3, 0x1.5555555550871p-5, 0x1.11111111458d0p-7);
  double high = rv_poly4_f64(r, r2, 0x1.6c16c18569c8bp-10, 0x1.a01a016894037p-13, 0x1.a01993cc4cb7cp-16, 0x1.71dd1178d44b1p-19);
  double last = rv_poly2_f64(r, 0x1.28b53f29b8a05p-22, 0x1.b2bf2bf00fe2ap-26);
  return rv_fma_f64(r2, rv_fma_f64(r4, rv_fma_f64(r4, last, high), low), r);
}

RV_MATH float rv_exp_rest_f32(float r) {
  float r2 = r * r;
  float low = rv_poly4_f32(r, r2, 0x1.fffffcp-2f, 0x1.55548cp-3f, 0x1.555858p-5f, 0x1.123dep-7f);
  return rv_fma_f32(r2, rv_fma_f32(r2 * r2, 0x1.6ac74ep-10f, low), r);
}

/* exp (x + low) for |low| far below |x|, times a factor of moderate size. Results below 2^-1020 are computed 2^100 times too
   large, all others by half: so 2^k neither overflows nor vanishes, and only the last product rounds at the end of the
   range. */
RV_MATH double rv_exp_times_f64(double x, double low, double factor) {
  x = -746.0 > x ? -746.0 : x;
  x = 710.0 < x ? 710.0 : x;
  bool tiny = x < -700.0;
  double shift = tiny ? RV_TO_INT + 99 : RV_TO_INT - 1;
  double shifted = rv_fma_f64(x, RV_LOG2E, shift), k = shifted - shift;
  double rest = rv_exp_rest_f64(rv_fma_f64(-k, RV_LN2_LOW, rv_fma_f64(-k, RV_LN2, x)) + low), sum = 1 + rest;
  double y = rv_fma_f64(sum, factor, (rest - (sum - 1)) * factor);
  return y * rv_from_f64((rv_bits_f64(shifted) << 52) + 0x3ff0000000000000) * (tiny ? 0x1p-99 : 2.0);
}

RV_MATH double rv_exp_sum_f64(double x, double low) {
  x = -746.0 > x ? -746.0 : x;
  x = 710.0 < x ? 710.0 : x;
  bool tiny = x < -707.0;
  double shift = tiny ? RV_TO_INT + 99 : RV_TO_INT - 1;
  double shifted = rv_fma_f64(x, RV_LOG2E, shift), k = shifted - shift;
  double y = 1 + rv_exp_rest_f64(rv_fma_f64(-k, RV_LN2_LOW, rv_fma_f64(-k, RV_LN2, x)) + low);
  return y * rv_from_f64((rv_bits_f64(shifted) << 52) + 0x3ff0000000000000) * (tiny ? 0x1p-99 : 2.0);
}

RV_MATH double rv_exp_f64(double x) { return rv_exp_sum_f64(x, 0); }

RV_MATH float rv_exp_sum_f32(float x, float low) {
  x = -104.0f > x ? -104.0f : x;
  x = 89.0f < x ? 89.0f : x;
  bool tiny = x < -86.0f;
  float shift = tiny ? RV_TO_INT_F32 + 29 : RV_TO_INT_F32 - 1;
  float shifted = rv_fma_f32(x, 0x1.715476p0f, shift), k = shifted - shift;
  float r = rv_fma_f32(-k, RV_LN2_LOW_F32, rv_fma_f32(-k, RV_LN2_F32, x)) + low;
  float scale = rv_from_f32((rv_bits_f32(shifted) << 23) + 0x3f800000);
  return (1 + rv_exp_rest_f32(r)) * scale * (tiny ? 0x1p-29f : 2.0f);
}

RV_MATH float rv_exp_f32(float x) { return rv_exp_sum_f32(x, 0); }

/* 2^x: r is exact. */
RV_MATH double rv_exp2_f64(double x) {
  x = -1076.0 > x ? -1076.0 : x;
  x = 1025.0 < x ? 1025.0 : x;
  bool tiny = x < -1020.0;
  double shift = tiny ? RV_TO_INT + 99 : RV_TO_INT - 1;
  double shifted = x + shift, r = x - (shifted - shift);
  double y = 1 + rv_exp_rest_f64(rv_fma_f64(r, RV_LN2, r * RV_LN2_LOW));
  return y * rv_from_f64((rv_bits_f64(shifted) << 52) + 0x3ff0000000000000) * (tiny ? 0x1p-99 : 2.0);
}

RV_MATH float rv_exp2_f32(float x) {
  x = -151.0f > x ? -151.0f : x;
  x = 129.0f < x ? 129.0f : x;
  bool tiny = x < -124.0f;
  float shift = tiny ? RV_TO_INT_F32 + 29 : RV_TO_INT_F32 - 1;
  float shifted = x + shift, r = x - (shifted - shift);
  float y = 1 + rv_exp_rest_f32(rv_fma_f32(r, RV_LN2_F32, r * RV_LN2_LOW_F32));
  return y * rv_from_f32((rv_bits_f32(shifted) << 23) + 0x3f800000) * (tiny ? 0x1p-29f : 2.0f);
}

/* 2^k (exp r - 1) + (2^k - 1), computed by half. */
RV_MATH double rv_expm1_f64(double x) {
  double clamped = -40.0 > x ? -40.0 : x;
  clamped = 710.0 < clamped ? 710.0 : clamped;
  double shifted = rv_fma_f64(clamped, RV_LOG2E, RV_TO_INT - 1), k = shifted - (RV_TO_INT - 1);
  double r = rv_fma_f64(-k, RV_LN2_LOW, rv_fma_f64(-k, RV_LN2, clamped));
  double scale = rv_from_f64((rv_bits_f64(shifted) << 52) + 0x3ff0000000000000);
  double y = 2 * rv_fma_f64(scale, rv_exp_rest_f64(r), scale - 0.5);
  return __builtin_fabs(x) < 0x1p-54 ? x : y;
}

RV_MATH float rv_expm1_f32(float x) {
  float clamped = -20.0f > x ? -20.0f : x;
  clamped = 89.0f < clamped ? 89.0f : clamped;
  float shifted = rv_fma_f32(clamped, 0x1.715476p0f, RV_TO_INT_F32 - 1), k = shifted - (RV_TO_INT_F32 - 1);
  float r = rv_fma_f32(-k, RV_LN2_LOW_F32, rv_fma_f32(-k, RV_LN2_F32, clamped));
  float scale = rv_from_f32((rv_bits_f32(shifted) << 23) + 0x3f800000);
  float y = 2 * rv_fma_f32(scale, rv_exp_rest_f32(r), scale - 0.5f);
  return __builtin_fabsf(x) < 0x1p-25f ? x : y;
}

/* Hyperbolic functions. Where the exponential overflows before they do, it is that of half the argument, squared. */
RV_MATH double rv_sinh_f64(double x) {
  double size = __builtin_fabs(x);
  bool huge = size > 700;
  double e = rv_expm1_f64(huge ? 0.5 * size : size);
  double y = huge ? 0.5 * e * e : 0.5 * (e + e / (e + 1));
  return rv_signed_f64(y, x);
}

RV_MATH double rv_cosh_f64(double x) {
  double size = __builtin_fabs(x);
  bool huge = size > 700;
  double e = rv_exp_f64(huge ? 0.5 * size : size);
  return huge ? 0.5 * e * e : 0.5 * (e + 1 / e);
}

RV_MATH double rv_tanh_f64(double x) {
  double size = __builtin_fabs(x);
  double e = rv_expm1_f64(2 * (size > 22 ? 22 : size));
  return rv_signed_f64(e / (e + 2), x);
}

RV_MATH float rv_sinh_f32(float x) { return (float)rv_sinh_f64(x); }
RV_MATH float rv_cosh_f32(float x) { return (float)rv_cosh_f64(x); }

RV_MATH float rv_tanh_f32(float x) {
  float size = __builtin_fabsf(x);
  float e = rv_expm1_f32(2 * (size > 10 ? 10 : size));
  return rv_signed_f32(e / (e + 2), x);
}
