/* Functions on `float` and `double`. Each macro defines one function at one type; `f` adds the type's suffix to the
   name of a function of the C library. */
#define RV_F32(name) name##f
#define RV_F64(name) name
#define RV_PI 3.14159265358979323846264338327950288

/* Processors have an instruction for the first choice. */
#define RV_FLOAT_MIN(name, type) RV_INLINE type name(type x, type y) { type z = y < x ? y : x; return x != x ? y : z; }
#define RV_FLOAT_MAX(name, type) RV_INLINE type name(type x, type y) { type z = y > x ? y : x; return x != x ? y : z; }
#define RV_FLOAT_SGN(name, type) \
  RV_INLINE type name(type x) { return x == 0 ? 0 : x != x ? x : x > 0 ? (type)1 : (type)-1; }
#define RV_RSQRT(name, type, f) RV_INLINE type name(type x) { return 1 / f(sqrt)(x); }
#define RV_LGAMMA(name, type, function) \
  RV_INLINE type name(type x) { \
    int sign; \
    return function(x, &sign); \
  }
#define RV_MAD(name, type) RV_INLINE type name(type x, type y, type z) { return x * y + z; }
#define RV_LERP(name, type) RV_INLINE type name(type x, type y, type t) { return x + (y - x) * t; }

#define RV_TO_BITS(name, type, u) \
  RV_INLINE u name(type x) { \
    u bits; \
    memcpy(&bits, &x, sizeof bits); \
    return bits; \
  }
#define RV_FROM_BITS(name, type, u) \
  RV_INLINE type name(u bits) { \
    type x; \
    memcpy(&x, &bits, sizeof x); \
    return x; \
  }
