/* Operators on integers that C lacks or leaves partly undefined. Each macro defines one function at one type; the
   compiler writes those that a program uses. `u` is the unsigned type of the same size. */

/* Quotients: zero divisors are excluded by checks; the least integer divided by -1 wraps. */
#define RV_QUOT_SIGNED(name, type, u) \
  RV_INLINE type name(type x, type y) { return y == -1 ? (type)(0 - (u)x) : (type)(x / y); }
#define RV_REM_SIGNED(name, type, u) \
  RV_INLINE type name(type x, type y) { return y == -1 ? 0 : (type)(x % y); }
#define RV_DIV_SIGNED(name, type, u) \
  RV_INLINE type name(type x, type y) { \
    if (y == -1) return (type)(0 - (u)x); \
    type quot = (type)(x / y), rem = (type)(x % y); \
    return (type)(rem != 0 && (rem < 0) != (y < 0) ? quot - 1 : quot); \
  }
#define RV_MOD_SIGNED(name, type, u) \
  RV_INLINE type name(type x, type y) { \
    if (y == -1) return 0; \
    type rem = (type)(x % y); \
    return (type)(rem != 0 && (rem < 0) != (y < 0) ? rem + y : rem); \
  }

/* Shifts: for counts at or beyond the width, and for negative ones, only copies of the sign are left. */
#define RV_SHL(name, type, u, width) \
  RV_INLINE type name(type x, type y) { return (uint64_t)y < width ? (type)((u)x << y) : (type)0; }
#define RV_SHR(name, type, u, width) \
  RV_INLINE type name(type x, type y) { return (type)(x >> ((uint64_t)y < width ? y : width - 1)); }
#define RV_SHR_ZERO(name, type, u, width) \
  RV_INLINE type name(type x, type y) { return (uint64_t)y < width ? (type)((u)x >> y) : (type)0; }

#define RV_POW(name, type, u) \
  RV_INLINE type name(type x, type y) { \
    uint64_t base = (uint64_t)x, result = 1; \
    for (uint64_t left = (uint64_t)y; left != 0; left >>= 1) { \
      if (left & 1) result *= base; \
      base *= base; \
    } \
    return (type)result; \
  }

#define RV_ABS(name, type, u) RV_INLINE type name(type x) { return x < 0 ? (type)(0 - (u)x) : x; }
#define RV_SGN(name, type, u) RV_INLINE type name(type x) { return (type)((x > 0) - (x < 0)); }
#define RV_MIN(name, type, u) RV_INLINE type name(type x, type y) { return y < x ? y : x; }
#define RV_MAX(name, type, u) RV_INLINE type name(type x, type y) { return y > x ? y : x; }
#define RV_POPC(name, type, u) RV_INLINE int32_t name(type x) { return __builtin_popcountll((uint64_t)(u)x); }
#define RV_CLZ(name, type, u) \
  RV_INLINE int32_t name(type x) { \
    int width = 8 * (int)sizeof(type); \
    return (u)x == 0 ? width : __builtin_clzll((uint64_t)(u)x) - (64 - width); \
  }
#define RV_CTZ(name, type, u) \
  RV_INLINE int32_t name(type x) { return (u)x == 0 ? 8 * (int)sizeof(type) : __builtin_ctzll((uint64_t)(u)x); }
/* `wide` has at least twice the bits. */
#define RV_MUL_HI(name, type, wide) \
  RV_INLINE type name(type x, type y) { return (type)((wide)x * (wide)y >> (8 * sizeof(type))); }

/* From a float: rounded toward zero, saturated; NaN and the infinities give 0. `least` and `above` are exact as double. */
#define RV_FROM_FLOAT(name, type, least, greatest, above) \
  RV_INLINE type name(double x) { \
    if (!(x - x == 0)) return 0; \
    return x < (double)(least) ? (type)(least) : x >= above ? (type)(greatest) : (type)x; \
  }

__extension__ typedef __int128 rv_i128;
__extension__ typedef unsigned __int128 rv_u128;
