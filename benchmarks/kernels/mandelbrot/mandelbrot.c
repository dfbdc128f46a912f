/* 64 points at a time in four vectors; a point that has escaped stays outside and no longer counts. */
#include "../vector.h"

enum { CHECK = 8 };

#ifdef __AVX512F__
static void points(const float *x, float y, int32_t limit, int32_t *counts) {
  const __m512 four = _mm512_set1_ps(4), im0 = _mm512_set1_ps(y);
  const __m512i one = _mm512_set1_epi32(1);
  __m512 cx[4], re[4], im[4];
  __m512i k[4];
  for (int v = 0; v < 4; v++) {
    cx[v] = _mm512_loadu_ps(x + v * LANES);
    re[v] = im[v] = _mm512_setzero_ps();
    k[v] = _mm512_setzero_si512();
  }
  for (int32_t done = 0; done < limit;) {
    int32_t until = limit - done < CHECK ? limit : done + CHECK;
    unsigned any = 0;
    for (; done < until; done++) {
      any = 0;
      for (int v = 0; v < 4; v++) {
        __m512 r2 = _mm512_mul_ps(re[v], re[v]);
        __mmask16 inside = _mm512_cmp_ps_mask(_mm512_fmadd_ps(im[v], im[v], r2), four, _CMP_LE_OQ);
        k[v] = _mm512_mask_add_epi32(k[v], inside, k[v], one);
        any |= inside;
        __m512 next = _mm512_fnmadd_ps(im[v], im[v], _mm512_add_ps(r2, cx[v]));
        im[v] = _mm512_fmadd_ps(_mm512_add_ps(re[v], re[v]), im[v], im0);
        re[v] = next;
      }
    }
    if (!any) break;
  }
  for (int v = 0; v < 4; v++) _mm512_storeu_si512(counts + v * LANES, k[v]);
}
#else
static void points(const float *x, float y, int32_t limit, int32_t *counts) {
  for (int p = 0; p < 4 * LANES; p++) {
    float re = 0, im = 0;
    int32_t k = 0;
    for (; k < limit && re * re + im * im <= 4; k++) {
      float next = re * re - im * im + x[p];
      im = 2 * re * im + y;
      re = next;
    }
    counts[p] = k;
  }
}
#endif

void mandelbrot(int64_t width, int64_t height, int32_t limit, int32_t *counts) {
#pragma omp parallel for schedule(dynamic, 4)
  for (int64_t i = 0; i < height; i++) {
    float y = -1.5f + 3 * (float)i / (float)height;
    for (int64_t j = 0; j < width; j += 4 * LANES) {
      float x[4 * LANES];
      int32_t some[4 * LANES];
      int64_t count = width - j < 4 * LANES ? width - j : 4 * LANES;
      for (int p = 0; p < 4 * LANES; p++) x[p] = -2 + 3 * (float)(j + p) / (float)width;
      points(x, y, limit, some);
      memcpy(counts + i * width + j, some, (size_t)count * sizeof *some);
    }
  }
}
