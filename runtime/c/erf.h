/* The error function, roots. */

/* erf x for |x| up to 1. */
RV_MATH double rv_erf_near_f64(double x) {
  double z = x * x, z2 = z * z, z4 = z2 * z2;
  double low = rv_poly8_f64(z, z2, z4, -0x1.812746b0379e7p-2, 0x1.ce2f21a042be0p-4, -0x1.b82ce31287bb6p-6,
                            0x1.565bcd0e1e201p-8, -0x1.c02db3eafa6f0p-11, 0x1.f9a32387d26f2p-14, -0x1.f4d201495fbdfp-17,
                            0x1.b9e08bd855749p-20);
  double high = rv_poly4_f64(z, z2, -0x1.5f2a0a471cba6p-23, 0x1.f826f30cf0bedp-27, -0x1.39ebfc705b153p-30, 0x1.095d6e5e5783ep-34);
  double p = rv_fma_f64(z4 * z4, high, low);
  return rv_fma_f64(x, 0x1.20dd750429b6dp+0, x * rv_fma_f64(z, p, 0x1.1ae3a914fed80p-56));
}

/* erfc x = exp (-x^2) / x times a function that varies little, for x from 3/4; a polynomial in t = (x - 4) / (x + 4). */
RV_MATH double rv_erfc_far_f64(double x) {
  x = x > 28 ? 28 : x;
  double t = (x - 4) / (x + 4), t2 = t * t, t4 = t2 * t2, t8 = t4 * t4;
  double a = rv_poly8_f64(t, t2, t4, 0x1.e9412fa33c70ep-5, -0x1.a070bc69207cbp-4, 0x1.dbdcdede71e2cp-4,
                          -0x1.ae15a7fd2d0c0p-4, 0x1.4135abc941c35p-4, -0x1.8fe3de7e298f1p-5, 0x1.99b1a3045e9bfp-6,
                          -0x1.4be833df4e6fcp-7);
  double b = rv_poly8_f64(t, t2, t4, 0x1.7e258fb1dd316p-9, -0x1.81e1588b03c37p-12, -0x1.23c0c2a903aaap-13,
                          0x1.6b25d3927fc94p-14, -0x1.79878430a563ap-17, -0x1.d9e58ad96c295p-18, 0x1.9b082c2d93934p-19,
                          0x1.0e8511492db4fp-22);
  double c = rv_poly4_f64(t, t2, -0x1.eb1ec25850380p-22, 0x1.fdf22ab67aaa0p-25, 0x1.bb1cabc66c546p-25, -0x1.67cd4e9da8c1bp-26);
  double p = rv_fma_f64(t, rv_fma_f64(t8, rv_fma_f64(t8, c, b), a), 0x1.18932bf08e154p-1);
  double square = x * x, low = rv_fma_f64(x, x, -square);
  return rv_exp_times_f64(-square, -low, p / x);
}

RV_MATH double rv_erf_f64(double x) {
  double size = __builtin_fabs(x);
  return rv_signed_f64(size < 1 ? rv_erf_near_f64(size) : 1 - rv_erfc_far_f64(size), x);
}

RV_MATH double rv_erfc_f64(double x) {
  double size = __builtin_fabs(x), far = rv_erfc_far_f64(size);
  return size < 0.75 ? 1 - rv_erf_near_f64(x) : x < 0 ? 2 - far : far;
}

RV_MATH float rv_erf_near_f32(float x) {
  float z = x * x, z2 = z * z;
  float p = rv_poly4_f32(z, z2, -0x1.81274p-2f, 0x1.ce2d28p-4f, -0x1.b7fabp-6f, 0x1.540a3cp-8f);
  p = rv_fma_f32(z2 * z2, rv_poly2_f32(z, -0x1.a3ec5ep-11f, 0x1.48f0eap-14f), p);
  return rv_fma_f32(x, 0x1.20dd76p+0f, x * rv_fma_f32(z, p, -0x1.f7ac92p-25f));
}

RV_MATH float rv_erfc_far_f32(float x) {
  x = x > 10.5f ? 10.5f : x;
  float t = (x - 3) / (x + 3), t2 = t * t, t4 = t2 * t2;
  float a = rv_poly8_f32(t, t2, t4, 0x1.40c522p+0f, -0x1.15c0a6p-3f, -0x1.8596ccp-5f, 0x1.098802p-3f, -0x1.e8dd8ap-4f,
                         0x1.176692p-4f, -0x1.7f0526p-6f, 0x1.809a54p-9f);
  float p = rv_fma_f32(t4 * t4, rv_poly2_f32(t, 0x1.44ed8p-10f, -0x1.5f133ep-10f), a);
  float square = x * x, low = rv_fma_f32(x, x, -square);
  return rv_exp_sum_f32(-square, -low) * (p / rv_fma_f32(2, x, 1));
}

RV_MATH float rv_erf_f32(float x) {
  float size = __builtin_fabsf(x);
  return rv_signed_f32(size < 1 ? rv_erf_near_f32(size) : 1 - rv_erfc_far_f32(size), x);
}

RV_MATH float rv_erfc_f32(float x) { return (float)rv_erfc_f64(x); }

/* The cube root of 2^(3 q) w for w from 1 to 8: y is near 1 / cbrt w, and two steps of Newton double its digits. */
RV_MATH double rv_cbrt_f64(double x) {
  double size = __builtin_fabs(x);
  bool tiny = size < 0x1p-1022;
  uint64_t bits = rv_bits_f64(tiny ? size * 0x1p54 : size);
  double exponent = rv_from_f64(bits >> 52 | 0x4330000000000000) - (0x1p52 + 1023);
  double q = rv_fma_f64(exponent - 1, 0x1.5555555555555p-2, RV_TO_INT) - RV_TO_INT, left = exponent - 3 * q;
  double m = rv_from_f64((bits & 0x000fffffffffffff) | 0x3ff0000000000000);
  double m2 = m * m;
  double y = rv_poly4_f64(m, m2, 0x1.e1395e4b3eb38p+0, -0x1.fc41c769809edp+0, 0x1.fa1bc079ba383p+0, -0x1.45fad0952a2dap+0);
  y = rv_fma_f64(m2 * m2, rv_fma_f64(m2, 0x1.5468904fbb83cp-7, rv_poly2_f64(m, 0x1.0104b6f38de10p-1, -0x1.c43c25b64effep-4)), y);
  double w = left == 0 ? m : left == 1 ? 2 * m : 4 * m;
  y *= left == 0 ? 1 : left == 1 ? 0x1.965fea53d6e3dp-1 : 0x1.428a2f98d728bp-1;
  y = rv_fma_f64(y * 0x1.5555555555555p-2, rv_fma_f64(-w * y, y * y, 1), y);
  y = rv_fma_f64(y * 0x1.5555555555555p-2, rv_fma_f64(-w * y, y * y, 1), y);
  double y2 = y * y, root = w * y2;
  root = rv_fma_f64(rv_fma_f64(-root * root, root, w), y2 * 0x1.5555555555555p-2, root);
  double shifted = (tiny ? q - 18 : q) + RV_TO_INT;
  root *= rv_from_f64((rv_bits_f64(shifted) << 52) + 0x3ff0000000000000);
  root = ((size > 0) & (size < RV_INF)) ? root : size;
  return rv_signed_f64(root, x);
}

RV_MATH float rv_cbrt_f32(float x) { return (float)rv_cbrt_f64(x); }

/* Squares must neither overflow nor vanish. */
RV_MATH double rv_hypot_f64(double x, double y) {
  x = __builtin_fabs(x);
  y = __builtin_fabs(y);
  double more = x > y ? x : y;
  double scale = more > 0x1p500 ? 0x1p-600 : more < 0x1p-450 ? 0x1p600 : 1;
  double back = more > 0x1p500 ? 0x1p600 : more < 0x1p-450 ? 0x1p-600 : 1;
  double a = x * scale, b = y * scale;
  double length = __builtin_sqrt(rv_fma_f64(a, a, b * b)) * back;
  return ((x == RV_INF) | (y == RV_INF)) ? RV_INF : length;
}

RV_MATH float rv_hypot_f32(float x, float y) {
  double a = x, b = y, length = __builtin_sqrt(a * a + b * b);
  return (float)(((__builtin_fabs(a) == RV_INF) | (__builtin_fabs(b) == RV_INF)) ? RV_INF : length);
}
