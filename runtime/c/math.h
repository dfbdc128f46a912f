/* Mathematical functions without branches, so that the C compiler makes vectors of loops that call them. They use only
   operations that IEEE 754 defines, and fused multiply-add where it is written: results do not depend on the processor,
   nor on whether a loop became vectors. Errors are below 4 ulp; `cargo xtask ulp` measures them.

   `rv_NAME_f64` and `rv_NAME_f32` are the functions of the language. A polynomial's coefficients are those of the least
   maximal relative error, lowest power first; sums are nested so that short chains of operations remain. */
#define RV_MATH static inline __attribute__((always_inline, unused))
#define RV_INF __builtin_inf()
#define RV_NAN __builtin_nan("")

RV_MATH uint64_t rv_bits_f64(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

RV_MATH double rv_from_f64(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

RV_MATH uint32_t rv_bits_f32(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

RV_MATH float rv_from_f32(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* `x * y + z`, rounded once. */
RV_MATH double rv_fma_f64(double x, double y, double z) { return __builtin_fma(x, y, z); }
RV_MATH float rv_fma_f32(float x, float y, float z) { return __builtin_fmaf(x, y, z); }

/* Polynomials of 2, 4 and 8 coefficients in `x`; `x2` and `x4` are its powers. */
#define RV_POLYNOMIALS(type, t) \
  RV_MATH type rv_poly2_##t(type x, type a, type b) { return rv_fma_##t(x, b, a); } \
  RV_MATH type rv_poly4_##t(type x, type x2, type a, type b, type c, type d) { \
    return rv_fma_##t(x2, rv_poly2_##t(x, c, d), rv_poly2_##t(x, a, b)); \
  } \
  RV_MATH type rv_poly8_##t(type x, type x2, type x4, type a, type b, type c, type d, type e, type f, type g, type h) { \
    return rv_fma_##t(x4, rv_poly4_##t(x, x2, e, f, g, h), rv_poly4_##t(x, x2, a, b, c, d)); \
  }
RV_POLYNOMIALS(double, f64)
RV_POLYNOMIALS(float, f32)

/* The magnitude of one number with the sign of another. */
RV_MATH double rv_signed_f64(double x, double sign) { return __builtin_copysign(x, sign); }
RV_MATH float rv_signed_f32(float x, float sign) { return __builtin_copysignf(x, sign); }

/* Added to a number, these leave its nearest integer in the low bits. */
#define RV_TO_INT 0x1.8p52
#define RV_TO_INT_F32 0x1.8p23f
#define RV_LN2 0x1.62e42fefa39efp-1
#define RV_LN2_LOW 0x1.abc9e3b39803fp-56
#define RV_LN2_F32 0x1.62e43p-1f
#define RV_LN2_LOW_F32 -0x1.05c61p-29f
#define RV_LOG2E 0x1.71547652b82fep+0
