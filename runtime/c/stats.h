/* Counters for `ravel run --stats`. RV_STATS is the number of places in the program; without it nothing here exists, and
   programs count nothing.

   Times are those of a loop without the measured loops inside of it, so that they add up to the time of the run. Loops
   inside of parallel ones are not measured: reading the clock would take longer than many of them. */
#ifdef RV_STATS
#include <time.h>

typedef struct {
  int64_t start, outer;
  int32_t place; /* -1 if it is not measured */
} rv_timer;

RV_FUN int64_t rv_nanoseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* In parallel loops, each thread counts up to this many bytes locally, so that threads do not wait for one another: the peak
   may be too low by as much for each thread. */
#define RV_HELD ((int64_t)1 << 15)

/* Counts bytes of blocks that are taken, or freed if they are negative. */
RV_FUN void rv_count_held(rv_thread *t, int64_t bytes) {
  rv_context *context = t->context;
  t->held += bytes;
  if (t->parallel && -RV_HELD < t->held && t->held < RV_HELD) return;
  int64_t now = __atomic_add_fetch(&context->in_use, t->held, __ATOMIC_RELAXED);
  int64_t peak = __atomic_load_n(&context->peak, __ATOMIC_RELAXED);
  t->held = 0;
  while (now > peak && !__atomic_compare_exchange_n(&context->peak, &peak, now, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
}

/* A loop begins. */
RV_FUN rv_timer rv_begin(rv_thread *t, int32_t place) {
  rv_timer timer = {.place = t->quiet || t->parallel ? -1 : place, .outer = t->inside};
  if (timer.place < 0) return timer;
  t->inside = 0;
  timer.start = rv_nanoseconds();
  return timer;
}

/* It ends: the time of the loops inside of it is theirs. */
RV_FUN void rv_finish(rv_thread *t, const rv_timer *timer) {
  if (timer->place < 0) return;
  int64_t took = rv_nanoseconds() - timer->start;
  t->context->times[timer->place] += took - t->inside;
  t->context->runs[timer->place]++;
  t->inside = timer->outer + took;
}
#endif
