/* `f16` as 16 bits. Numbers are computed with as `float` and rounded once. */
RV_INLINE uint32_t rv_bits_of_float(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

RV_INLINE float rv_float_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

RV_INLINE float rv_f32_of_f16(rv_f16 x) {
  uint32_t sign = (uint32_t)(x & 0x8000) << 16, exponent = (x >> 10) & 31, digits = x & 1023;
  if (exponent == 31) return rv_float_of_bits(sign | 0x7f800000u | digits << 13);
  if (exponent != 0) return rv_float_of_bits(sign | (exponent + 112) << 23 | digits << 13);
  float small = (float)digits * 0x1p-24f;
  return sign ? -small : small;
}

/* The nearest number, ties to even. */
RV_INLINE rv_f16 rv_f16_of_f32(float x) {
  uint32_t bits = rv_bits_of_float(x), sign = bits >> 16 & 0x8000, rest = bits & 0x7fffffff;
  if (rest > 0x7f800000) return (rv_f16)(sign | 0x7e00);
  if (rest >= 0x477ff000) return (rv_f16)(sign | 0x7c00);
  if (rest < 0x38800000) {
    /* Subnormal: adding a large number makes the hardware round at the right bit. */
    float shifted = rv_float_of_bits(rest) + 0.5f;
    return (rv_f16)(sign | (rv_bits_of_float(shifted) - 0x3f000000u));
  }
  rest += 0x0fff + (rest >> 13 & 1);
  return (rv_f16)(sign | ((rest >> 13) - (112 << 10)));
}

/* The nearest number; the `float` in between is rounded to odd, so that nothing is rounded twice. */
RV_INLINE rv_f16 rv_f16_of_f64(double x) {
  float near = (float)x;
  if ((double)near == x || x != x) return rv_f16_of_f32(near);
  uint32_t bits = rv_bits_of_float(near);
  double size = near < 0 ? -(double)near : (double)near;
  if (size > (x < 0 ? -x : x)) bits--;
  return rv_f16_of_f32(rv_float_of_bits(bits | 1));
}

RV_INLINE rv_f16 rv_f16_next(rv_f16 x, rv_f16 y) {
  float from = rv_f32_of_f16(x), to = rv_f32_of_f16(y);
  if (from != from || to != to) return 0x7e00;
  if (from == to) return y;
  if (from == 0) return (rv_f16)((y & 0x8000) | 1);
  return (rv_f16)((to > from) == (from > 0) ? x + 1 : x - 1);
}
