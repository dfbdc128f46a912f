/* Trigonometric functions: x = n pi/2 + r. The product of n and the first part of pi/2 is subtracted without an error,
   and two more parts follow, which is precise enough for |x| below the limits here. `rv_NAME_f64` asks the C library
   beyond them. In a loop that can be run again, `rv_NAME_quick_f64` notes instead in `rare` that a number was beyond, and
   then the whole loop is run again with the other function: so the loop has no branches. */
#define RV_FAR_F64 0x1p40
#define RV_FAR_F32 0x1p17f

RV_MATH double rv_less_quarters_f64(double x, double n) {
  double r = rv_fma_f64(-n, 0x1.921fb54442d18p+0, x);
  return rv_fma_f64(-n, -0x1.f1976b7ed8fbcp-110, rv_fma_f64(-n, 0x1.1a62633145c07p-54, r));
}

RV_MATH float rv_less_quarters_f32(float x, float n) {
  float r = rv_fma_f32(-n, 0x1.921fb6p+0f, x);
  return rv_fma_f32(-n, -0x1.ee59dap-50f, rv_fma_f32(-n, -0x1.777a5cp-25f, r));
}

/* sin r for |r| up to pi/2. */
RV_MATH double rv_sin_near_f64(double r) {
  double z = r * r, z2 = z * z;
  double p = rv_poly8_f64(z, z2, z2 * z2, -0x1.5555555555555p-3, 0x1.11111111110c4p-7, -0x1.a01a01a0147c8p-13,
                          0x1.71de3a5270d15p-19, -0x1.ae6454bb8ad70p-26, 0x1.6123c631fb345p-33, -0x1.ae419f159a6c5p-41,
                          0x1.87fcf8313eb0bp-49);
  return rv_fma_f64(z * r, p, r);
}

RV_MATH float rv_sin_near_f32(float r) {
  float z = r * r;
  float p = rv_poly4_f32(z, z * z, -0x1.55554ap-3f, 0x1.110e86p-7f, -0x1.9f6138p-13f, 0x1.5ce6c2p-19f);
  return rv_fma_f32(z * r, p, r);
}

/* cos r for |r| up to pi/4. */
RV_MATH double rv_cos_near_f64(double r) {
  double z = r * r, z2 = z * z;
  double p = rv_poly4_f64(z, z2, 0x1.5555555555549p-5, -0x1.6c16c16c14bcfp-10, 0x1.a01a019c24ecep-16, -0x1.27e4f7a4ec5e7p-22);
  p = rv_fma_f64(z2 * z2, rv_poly2_f64(z, 0x1.1ee9a7a76b337p-29, -0x1.8f8b736286078p-37), p);
  return 1 + rv_fma_f64(z2, p, -0.5 * z);
}

RV_MATH double rv_sin_small_f64(double x) {
  double shifted = rv_fma_f64(x, 0x1.45f306dc9c883p-2, RV_TO_INT), half_turns = shifted - RV_TO_INT;
  double y = rv_sin_near_f64(rv_less_quarters_f64(x, 2 * half_turns));
  /* At -0 the sum above would be 0. */
  return x == 0 ? x : rv_from_f64(rv_bits_f64(y) ^ rv_bits_f64(shifted) << 63);
}

RV_MATH float rv_sin_small_f32(float x) {
  float shifted = rv_fma_f32(x, 0x1.45f306p-2f, RV_TO_INT_F32), half_turns = shifted - RV_TO_INT_F32;
  float y = rv_sin_near_f32(rv_less_quarters_f32(x, 2 * half_turns));
  return x == 0 ? x : rv_from_f32(rv_bits_f32(y) ^ rv_bits_f32(shifted) << 31);
}

/* cos x = (-1)^(k+1) sin r with x = (2 k + 1) pi/2 + r. */
RV_MATH double rv_cos_small_f64(double x) {
  double shifted = rv_fma_f64(x, 0x1.45f306dc9c883p-2, -0.5) + RV_TO_INT, half_turns = shifted - RV_TO_INT;
  double y = rv_sin_near_f64(rv_less_quarters_f64(x, rv_fma_f64(2, half_turns, 1)));
  return rv_from_f64(rv_bits_f64(-y) ^ rv_bits_f64(shifted) << 63);
}

RV_MATH float rv_cos_small_f32(float x) {
  float shifted = rv_fma_f32(x, 0x1.45f306p-2f, -0.5f) + RV_TO_INT_F32, half_turns = shifted - RV_TO_INT_F32;
  float y = rv_sin_near_f32(rv_less_quarters_f32(x, rv_fma_f32(2, half_turns, 1)));
  return rv_from_f32(rv_bits_f32(-y) ^ rv_bits_f32(shifted) << 31);
}

RV_MATH double rv_tan_small_f64(double x) {
  double shifted = rv_fma_f64(x, 0x1.45f306dc9c883p-1, RV_TO_INT), n = shifted - RV_TO_INT;
  double r = rv_less_quarters_f64(x, n), sine = rv_sin_near_f64(r), cosine = rv_cos_near_f64(r);
  bool odd = (rv_bits_f64(shifted) & 1) != 0;
  double y = (odd ? -cosine : sine) / (odd ? sine : cosine);
  return x == 0 ? x : y;
}

RV_MATH float rv_tan_small_f32(float x) { return (float)rv_tan_small_f64(x); }

extern double sin(double), cos(double), tan(double);
#define RV_ANY_SIZE(function) \
  RV_MATH double rv_##function##_quick_f64(double x, uint64_t *rare) { \
    *rare |= __builtin_fabs(x) < RV_FAR_F64 ? 0 : 1; \
    return rv_##function##_small_f64(x); \
  } \
  RV_MATH float rv_##function##_quick_f32(float x, uint32_t *rare) { \
    *rare |= __builtin_fabsf(x) < RV_FAR_F32 ? 0 : 1; \
    return rv_##function##_small_f32(x); \
  } \
  RV_MATH double rv_##function##_f64(double x) { \
    return __builtin_fabs(x) < RV_FAR_F64 ? rv_##function##_small_f64(x) : function(x); \
  } \
  RV_MATH float rv_##function##_f32(float x) { \
    return __builtin_fabsf(x) < RV_FAR_F32 ? rv_##function##_small_f32(x) : (float)function(x); \
  }
RV_ANY_SIZE(sin)
RV_ANY_SIZE(cos)
RV_ANY_SIZE(tan)

/* asin s for s up to 1/2, and z = s^2. */
RV_MATH double rv_asin_near_f64(double s, double z) {
  double z2 = z * z, z4 = z2 * z2;
  double low = rv_poly8_f64(z, z2, z4, 0x1.5555555555561p-3, 0x1.3333333330460p-4, 0x1.6db6db70bbf0ep-5,
                            0x1.f1c71b02c3f58p-6, 0x1.6e8bd43935b51p-6, 0x1.1c4a9c836432ep-6, 0x1.ca10d3f66fef0p-7,
                            0x1.75f4d684e800ap-7);
  double high = rv_poly4_f64(z, z2, 0x1.5ef6f3d8b7a11p-7, 0x1.0319786c44983p-8, 0x1.5a583ed6e9d27p-6, -0x1.4b8880e51c06ap-6);
  double p = rv_fma_f64(z4 * z4, rv_fma_f64(z4, 0x1.078f555a282d3p-5, high), low);
  return rv_fma_f64(s * z, p, s);
}

/* For |x| above 1/2: asin x = pi/2 - 2 asin (sqrt ((1 - x) / 2)). */
RV_MATH double rv_asin_f64(double x) {
  double size = __builtin_fabs(x);
  bool far = size > 0.5;
  double z = far ? 0.5 * (1 - size) : x * x, s = far ? __builtin_sqrt(z) : size;
  double y = rv_asin_near_f64(s, z);
  double from_end = rv_fma_f64(-2, y, 0x1.1a62633145c07p-54) + 0x1.921fb54442d18p+0;
  return rv_signed_f64(far ? from_end : y, x);
}

RV_MATH double rv_acos_f64(double x) {
  double size = __builtin_fabs(x);
  bool far = size > 0.5;
  double z = far ? 0.5 * (1 - size) : x * x, s = far ? __builtin_sqrt(z) : x;
  double y = rv_asin_near_f64(s, z);
  double from_middle = 0x1.921fb54442d18p+0 - (y - 0x1.1a62633145c07p-54);
  double from_end = x > 0 ? 2 * y : 0x1.921fb54442d18p+1 - rv_fma_f64(2, y, -0x1.1a62633145c07p-53);
  return far ? from_end : from_middle;
}

/* The angle of the point (x, y) in the eighth of the plane with 0 <= y <= x: `eighths` pi/4 + `rest`. */
typedef struct {
  double eighths, rest;
} rv_angle;

RV_MATH rv_angle rv_angle_of(double y, double x) {
  bool far = y > 0x1.a827999fcef32p-2 * x;
  double t = (far ? y - x : y) / (far ? y + x : x), z = t * t, z2 = z * z, z4 = z2 * z2;
  double low = rv_poly8_f64(z, z2, z4, -0x1.5555555555554p-2, 0x1.9999999999584p-3, -0x1.24924924743bdp-3,
                            0x1.c71c71b93150dp-4, -0x1.745d1548e7864p-4, 0x1.3b137feb03f20p-4, -0x1.110db1060093ap-4,
                            0x1.e18d7f7c681c9p-5);
  double high = rv_poly4_f64(z, z2, -0x1.ac3d1c33c037bp-5, 0x1.7422289890cf1p-5, -0x1.19f10769c0c4cp-5, 0x1.08fb83d2602e8p-6);
  return (rv_angle){far ? 1 : 0, rv_fma_f64(t * z, rv_fma_f64(z4 * z4, high, low), t)};
}

/* The first part of pi/4 has 49 bits: four times it is exact. */
RV_MATH double rv_angle_value(rv_angle a) {
  return rv_fma_f64(a.eighths, 0x1.921fb54442d10p-1, rv_fma_f64(a.eighths, 0x1.08d313198a2e0p-50, a.rest));
}

/* The same angle subtracted from so many eighths of a turn. */
RV_MATH rv_angle rv_angle_from(bool from, double eighths, rv_angle a) {
  return (rv_angle){from ? eighths - a.eighths : a.eighths, from ? -a.rest : a.rest};
}

RV_MATH double rv_atan_f64(double x) {
  double size = __builtin_fabs(x);
  bool steep = size > 1;
  rv_angle a = rv_angle_of(steep ? 1 : size, steep ? size : 1);
  return rv_signed_f64(rv_angle_value(rv_angle_from(steep, 2, a)), x);
}

RV_MATH double rv_atan2_f64(double y, double x) {
  double high = __builtin_fabs(y), wide = __builtin_fabs(x);
  bool steep = high > wide;
  double less = steep ? wide : high, more = steep ? high : wide;
  /* Sums must not overflow, and quotients of infinities and zeros are those of ones. */
  double scale = more > 0x1p1000 ? 0x1p-10 : 1;
  less = more == RV_INF ? (less == RV_INF ? 1 : 0) : less * scale;
  more = ((more == RV_INF) | (more == 0)) ? 1 : more * scale;
  rv_angle a = rv_angle_from(steep, 2, rv_angle_of(less, more));
  a = rv_angle_from(rv_signed_f64(1, x) < 0, 4, a);
  double angle = rv_signed_f64(rv_angle_value(a), y);
  return ((x == x) & (y == y)) ? angle : RV_NAN;
}

RV_MATH float rv_asin_f32(float x) { return (float)rv_asin_f64(x); }
RV_MATH float rv_acos_f32(float x) { return (float)rv_acos_f64(x); }
RV_MATH float rv_atan_f32(float x) { return (float)rv_atan_f64(x); }
RV_MATH float rv_atan2_f32(float y, float x) { return (float)rv_atan2_f64(y, x); }
