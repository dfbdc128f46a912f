/* Measures the errors of the functions of `math.h` in units of the last place, against the C library with more bits.

     ulp COUNT [NAME..]

   tests COUNT numbers for each function, or only for those with these names (`exp_f32`). `all` instead of a number means
   all 2^32 numbers for functions on `float` with one argument, and 10^8 for the others. Prints the worst error of each
   function and where it is. Ends with status 1 if one is above 4, if a special value is wrong, or if a loop of vectors
   gives other bits than one of single numbers. `cargo xtask ulp` compiles and runs this. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../math.h"
#include "../exp.h"
#include "../log.h"
#include "../trig.h"
#include "../erf.h"

#define BLOCK 1024
#define LIMIT 4.0

/* Functions of one argument, of one argument that may be too large for vectors, and of two; with the exponents between
   which half of the numbers are. */
#define FUNCTIONS(one, far, two) \
  one(exp, -30, 10) one(exp2, -30, 10) one(expm1, -60, 10) \
  one(log, -3, 3) one(log2, -3, 3) one(log10, -3, 3) one(log1p, -60, 5) \
  far(sin, -30, 10) far(cos, -30, 10) far(tan, -30, 10) \
  one(asin, -30, 0) one(acos, -30, 0) one(atan, -30, 30) \
  one(sinh, -30, 10) one(cosh, -30, 10) one(tanh, -30, 5) \
  one(asinh, -30, 30) one(acosh, 0, 30) one(atanh, -30, 0) \
  one(erf, -30, 3) one(erfc, -30, 5) one(cbrt, -30, 30) \
  two(pow, -5, 5) two(atan2, -5, 5) two(hypot, -5, 5)

#define LOOP(name, type, body) \
  static void name(type *restrict out, const type *restrict x, const type *restrict y) { \
    (void)y; \
    body \
  }
#define EACH(call, more) \
  for (int i = 0; i < BLOCK; i++) { \
    out[i] = call; \
    more \
  }
/* Nothing may be computed before what comes earlier: no vectors. */
#define APART __asm__ volatile("" ::: "memory");
#define ONE(f, low, high) \
  LOOP(loop_##f##_f64, double, EACH(rv_##f##_f64(x[i]), )) LOOP(single_##f##_f64, double, EACH(rv_##f##_f64(x[i]), APART)) \
  LOOP(loop_##f##_f32, float, EACH(rv_##f##_f32(x[i]), )) LOOP(single_##f##_f32, float, EACH(rv_##f##_f32(x[i]), APART)) \
  static long double right_##f##_f64(double x, double y) { return (void)y, f##l(x); } \
  static long double right_##f##_f32(float x, float y) { return (void)y, f((double)x); }
#define AGAIN(f, type, bits) \
  bits rare = 0; \
  EACH(rv_##f##_quick_##type(x[i], &rare), ) \
  if (rare) EACH(rv_##f##_##type(x[i]), )
#define FAR(f, low, high) \
  LOOP(loop_##f##_f64, double, AGAIN(f, f64, uint64_t)) LOOP(single_##f##_f64, double, EACH(rv_##f##_f64(x[i]), APART)) \
  LOOP(loop_##f##_f32, float, AGAIN(f, f32, uint32_t)) LOOP(single_##f##_f32, float, EACH(rv_##f##_f32(x[i]), APART)) \
  static long double right_##f##_f64(double x, double y) { return (void)y, f##l(x); } \
  static long double right_##f##_f32(float x, float y) { return (void)y, f((double)x); }
#define TWO(f, low, high) \
  LOOP(loop_##f##_f64, double, EACH(rv_##f##_f64(x[i], y[i]), )) \
  LOOP(single_##f##_f64, double, EACH(rv_##f##_f64(x[i], y[i]), APART)) \
  LOOP(loop_##f##_f32, float, EACH(rv_##f##_f32(x[i], y[i]), )) \
  LOOP(single_##f##_f32, float, EACH(rv_##f##_f32(x[i], y[i]), APART)) \
  static long double right_##f##_f64(double x, double y) { return f##l(x, y); } \
  static long double right_##f##_f32(float x, float y) { return f((double)x, (double)y); }
FUNCTIONS(ONE, FAR, TWO)

static uint64_t random_bits(void) {
  static uint64_t state = 0x9e3779b97f4a7c15;
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

/* How many units in the last place of the right value there are between it and the result. */
static double error_in(int digits, int least, double got, long double right, long double most) {
  if (isnan(got) || isnan(right)) return isnan(got) && isnan(right) ? 0 : INFINITY;
  if (fabsl(right) >= most) return fabs(got) == INFINITY && (got > 0) == (right > 0) ? 0 : fabsl(right) < most * 1.0001L ? 1 : INFINITY;
  if (fabs(got) == INFINITY) return fabsl(right) > most * 0.9999L ? 1 : INFINITY;
  if (right == 0 && (got != 0 || !signbit(got) != !signbit(right))) return INFINITY;
  int exponent;
  frexpl(right, &exponent);
  int unit = exponent - digits < least ? least : exponent - digits;
  return (double)(fabsl((long double)got - right) / ldexpl(1, unit));
}

static double special[] = {0, -0.0, 1, -1, 0.5, -0.5, 2, -2, 3, -3, INFINITY, -INFINITY, NAN, 5e-324, -5e-324, 1e-310, 1e-45, 1e-40,
                           0x1p-1022, 0x1p-126, 1.7976931348623157e308, -1.7976931348623157e308, 3.4028234663852886e38, 709.782712893384,
                           709.7827128933841, -745.1332191019411, -745.1332191019412, 710.4758600739439, 88.72283, 88.72284, -103.97,
                           0x1.fffffffffffffp-1, 0x1.0000000000001p0, 1.5707963267948966, 3.141592653589793, 1e22, 1e300, 0x1p40, 1e9,
                           10, 100, 1000, 1e15, -1e9, 0x1p53, 0x1p53 + 2, 1e-8, 28, -28, 1.5, -1.5, 27.2, 4096.5};
#define SPECIALS (int)(sizeof special / sizeof *special)

typedef struct {
  double worst;
  double x, y;
  bool vectors_differ;
} result;

#define MEASURE(type, t, u, digits, least, most) \
  static type number_##t(int low, int high, uint64_t i) { \
    uint64_t bits = random_bits(); \
    u plain = (u)bits; \
    type x; \
    memcpy(&x, &plain, sizeof x); \
    if (i % 2) return x; \
    type m = (type)1 + (type)(bits >> 12) * (type)0x1p-52; \
    return (bits & 1 ? -m : m) * (type)ldexp(1, low + (int)(random_bits() % (uint64_t)(high - low + 1))); \
  } \
  static result measure_##t(void (*loop)(type *, const type *, const type *), void (*single)(type *, const type *, const type *), \
                            long double (*right)(type, type), int low, int high, bool all, uint64_t count) { \
    static type x[BLOCK], y[BLOCK], out[BLOCK], apart[BLOCK]; \
    result r = {0, 0, 0, false}; \
    for (uint64_t done = 0; done < count; done += BLOCK) { \
      for (uint64_t i = 0; i < BLOCK; i++) { \
        uint64_t n = done + i; \
        x[i] = number_##t(low, high, i); \
        y[i] = number_##t(low, high, i >> 1); \
        if (all) { \
          u bits = (u)n; \
          memcpy(&x[i], &bits, sizeof bits); \
        } else if (n < (uint64_t)(SPECIALS * SPECIALS)) { \
          x[i] = (type)special[n % (uint64_t)SPECIALS]; \
          y[i] = (type)special[n / (uint64_t)SPECIALS]; \
        } \
      } \
      loop(out, x, y); \
      single(apart, x, y); \
      for (int i = 0; i < BLOCK; i++) { \
        bool same = memcmp(&out[i], &apart[i], sizeof *out) == 0 || (isnan(out[i]) && isnan(apart[i])); \
        r.vectors_differ |= !same; \
        double error = error_in(digits, least, out[i], right(x[i], y[i]), most); \
        if (error > r.worst || !same) r = (result){error > r.worst ? error : r.worst, x[i], y[i], r.vectors_differ}; \
      } \
    } \
    return r; \
  }
MEASURE(double, f64, uint64_t, 53, -1074, 1.7976931348623158e308L)
MEASURE(float, f32, uint32_t, 24, -149, 3.4028235677973366e38L)

static bool wanted(const char *name, int argc, char **argv) {
  for (int i = 2; i < argc; i++) {
    if (strcmp(name, argv[i]) == 0) return true;
  }
  return argc <= 2;
}

static bool report(const char *name, result r, bool two) {
  printf("%-10s %6.2f  at %.17g", name, r.worst, r.x);
  if (two) printf(", %.17g", r.y);
  printf(r.vectors_differ ? "  VECTORS DIFFER\n" : "\n");
  fflush(stdout);
  return r.worst <= LIMIT && !r.vectors_differ;
}

int main(int argc, char **argv) {
  bool all = argc > 1 && strcmp(argv[1], "all") == 0, fine = true;
  uint64_t count = all || argc < 2 ? 100000000 : strtoull(argv[1], NULL, 10);
#define TEST(f, t, low, high, every, many, two) \
  if (wanted(#f "_" #t, argc, argv)) \
    fine &= report(#f "_" #t, measure_##t(loop_##f##_##t, single_##f##_##t, right_##f##_##t, low, high, every, many), two);
#define TEST_ONE(f, low, high) \
  TEST(f, f64, low, high, false, count, false) TEST(f, f32, low, high, all, all ? UINT64_C(1) << 32 : count, false)
#define TEST_TWO(f, low, high) TEST(f, f64, low, high, false, count, true) TEST(f, f32, low, high, false, count, true)
  FUNCTIONS(TEST_ONE, TEST_ONE, TEST_TWO)
  return fine ? 0 : 1;
}
