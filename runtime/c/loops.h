/* Parallel loops, and which of them run on several threads.

   Waking a helper takes microseconds, and most loops of irregular programs take less. Each place in the program with a
   parallel loop stores how long an iteration took recently, its pace; before the first run, the compiler's estimate counts. If
   a loop should end soon, one thread starts it alone, and helpers are called only if it takes longer than expected. */

/* How many threads a parallel loop can use here. */
RV_FUN int64_t rv_thread_count(const rv_thread *t) {
#if RV_THREADS
  return t->parallel || t->attempt ? 1 : t->context->thread_count;
#else
  (void)t;
  return 1;
#endif
}

/* Runs the iterations of a parallel loop. The pace belongs to the place in the program, and is 0 at first; until then
   the cost of an iteration, in ticks, is the compiler's estimate, or 0. Threads take so many iterations at a time, or as many as
   seems best if that is 0. */
RV_SYSTEM RV_APART void rv_parallel_by(rv_thread *t, int64_t from, int64_t to, int64_t step, double cost, double *pace, rv_body body,
                                     void *env);

#if RV_HERE(-2)
#if RV_THREADS

/* In microseconds: loops shorter than RV_WORTH get no helpers; those shorter than RV_BRIEF are not divided to measure them. With
   -DRV_WORTH=0 all loops get helpers, for tests. */
#ifndef RV_WORTH
#define RV_WORTH 20
#endif
#define RV_BRIEF 2
/* Of loops that take less than a quarter of a microsecond, only one in RV_SAMPLE is measured: reading the clock takes as long. */
#define RV_SAMPLE 8
/* A pace is the number of ticks of this many iterations. */
#define RV_PACE 1024.0

/* Stores how long some iterations took. The thread may have lost its processor in between, so a pace rises only by
   steps. */
RV_INLINE void rv_learn(double *pace, int64_t ticks, int64_t count) {
  double old, found = (double)(ticks + 1) * RV_PACE / (double)count;
  __atomic_load(pace, &old, __ATOMIC_RELAXED);
  __atomic_store(pace, &(double){old <= 0 ? found : found > 8 * old ? 8 * old : (old + found) / 2}, __ATOMIC_RELAXED);
}

/* Runs the iterations on several threads; a step of 0 is chosen here. */
static void rv_share_loop(rv_thread *t, int64_t from, int64_t to, int64_t step, double *pace, rv_body body, void *env) {
#ifdef RV_STATS
  t->context->shared++;
  if (t->quiet > 1) t->context->regions++; /* the loop around it has one turn, and only that was counted */
#endif
  int64_t count = to - from, parts = t->context->thread_count * 16;
  if (!step) step = (count + parts - 1) / parts;
  /* Chunks that begin at cache lines do not share them. */
  if (step >= 64) step = (step + 63) & ~(int64_t)63;
  rv_loop loop = {.body = body, .env = env, .from = from, .to = to, .step = step, .chunks = (count + step - 1) / step,
                  .failed = INT64_MAX, .place = t->place};
  int64_t start = rv_ticks(), taken = rv_run_with_helpers(t, &loop);
  if (taken > 0) rv_learn(pace, rv_ticks() - start, taken);
  if (loop.failed != INT64_MAX) {
    rv_forget(&t->failure);
    t->failure = loop.failure;
    longjmp(*t->handler, 1);
  }
}

/* Runs the iterations alone, as long as they take no longer than expected. */
static void rv_divide(rv_thread *t, int64_t from, int64_t to, int64_t step, double cost, double *pace, rv_body body, void *env) {
  double known, count = (double)(to - from);
  __atomic_load(pace, &known, __ATOMIC_RELAXED);
  if (known <= 0) known = cost * RV_PACE;
  double expected = known * count * (1 / RV_PACE);
  if (RV_WORTH > 0 && known > 0 && expected < (double)rv_microseconds(1) / 4 && ++t->tiny % RV_SAMPLE != 0) {
    body(t, env, from, to);
  } else if (known > 0 && expected < (double)rv_microseconds(RV_WORTH)) {
    int64_t start = rv_ticks(), first = from;
    if (expected > (double)rv_microseconds(RV_BRIEF)) {
      first = from + (to - from + 7) / 8;
      body(t, env, from, first);
    }
    if (first == from || rv_ticks() - start < rv_microseconds(RV_WORTH)) {
      body(t, env, first, to);
      rv_learn(pace, rv_ticks() - start, to - from);
      return;
    }
    rv_learn(pace, rv_ticks() - start, first - from);
    rv_share_loop(t, first, to, step, pace, body, env);
  } else {
    rv_share_loop(t, from, to, step, pace, body, env);
  }
}
#endif

static void rv_run_parallel(rv_thread *t, int64_t from, int64_t to, int64_t step, double cost, double *pace, rv_body body, void *env) {
#if RV_THREADS
  if (to - from > 1 && !t->parallel && !t->attempt && t->context->thread_count > 1) {
    rv_divide(t, from, to, step, cost, pace, body, env);
    return;
  }
#endif
  (void)step, (void)cost, (void)pace;
  body(t, env, from, to);
}

void rv_parallel_by(rv_thread *t, int64_t from, int64_t to, int64_t step, double cost, double *pace, rv_body body, void *env) {
#ifdef RV_STATS
  if (!t->quiet && !t->parallel) t->context->regions++;
  t->quiet++;
#endif
  rv_run_parallel(t, from, to, step, cost, pace, body, env);
#ifdef RV_STATS
  t->quiet--;
#endif
}
#endif

RV_FUN void rv_parallel(rv_thread *t, int64_t from, int64_t to, double cost, double *pace, rv_body body, void *env) {
  rv_parallel_by(t, from, to, 0, cost, pace, body, env);
}

/* A parallel loop whose iterations wait for those before them. */
RV_FUN void rv_parallel_in_turn(rv_thread *t, int64_t from, int64_t to, double cost, double *pace, rv_body body, void *env) {
  rv_parallel_by(t, from, to, 1, cost, pace, body, env);
}

/* Iterations of a parallel loop hand on a number, one to the next: first the iteration that comes next, then the number. Each waits
   for the one before it, which a running thread has taken; if that fails, the number does not matter any more. */
RV_INLINE int64_t rv_receive(const rv_thread *t, const int64_t *chain, int64_t turn) {
#if RV_THREADS
  for (int waits = 0; __atomic_load_n(&chain[0], __ATOMIC_ACQUIRE) != turn; waits++) {
    if (__atomic_load_n(t->failed, __ATOMIC_RELAXED) < t->chunk) break;
    if (waits < 4096) rv_relax();
    else sched_yield();
  }
#else
  (void)t, (void)turn;
#endif
  return __atomic_load_n(&chain[1], __ATOMIC_RELAXED);
}
RV_INLINE void rv_hand_on(int64_t *chain, int64_t turn, int64_t number) {
  __atomic_store_n(&chain[1], number, __ATOMIC_RELAXED);
  __atomic_store_n(&chain[0], turn + 1, __ATOMIC_RELEASE);
}
