/* Parallel loops, attempts, the end of the stack. */
#ifdef _OPENMP
#include <omp.h>
#endif

#define RV_STACK_RESERVE (256 * 1024)

/* The address below which a frame of the calling thread lies too deep. */
RV_COLD static char *rv_measure_stack(void) {
  static _Thread_local char *end;
  if (!end) {
    pthread_attr_t attributes;
    void *start = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
      pthread_attr_getstack(&attributes, &start, &size);
      pthread_attr_destroy(&attributes);
    }
    size_t reserve = size / 4 < RV_STACK_RESERVE ? size / 4 : RV_STACK_RESERVE;
    end = (char *)start + reserve;
  }
  return end;
}

/* Whether the calling function lies too deep; asked by functions that may call themselves. */
#define RV_TOO_DEEP(t) ((char *)__builtin_frame_address(0) < (t)->stack_end)

/* How many attempts are under way. */
RV_INLINE int64_t rv_attempts(const rv_thread *t) { return t->attempt ? t->attempt->depth : 0; }

/* An attempt runs until its end or until a stop: -1 if it came to its end, otherwise the value of the stop. */
RV_FUN int64_t rv_try(rv_thread *t, void (*body)(rv_thread *, void *), void *env) {
  rv_attempt attempt;
  attempt.depth = rv_attempts(t) + 1;
  attempt.mark = t->serial;
  attempt.noted = t->noted;
  attempt.outer = t->attempt;
  t->attempt = &attempt;
  if (setjmp(attempt.jump) == 0) {
    body(t, env);
    t->attempt = attempt.outer;
    if (t->noted > attempt.noted) rv_keep_notes(t, &attempt);
    return -1;
  }
  t->attempt = attempt.outer;
  rv_undo_since(t, &attempt);
  return attempt.value;
}

RV_FUN _Noreturn void rv_stop(rv_thread *t, int64_t value) {
  t->attempt->value = value;
  longjmp(t->attempt->jump, 1);
}

/* The iterations of a parallel loop from the first to the second number. */
typedef void (*rv_body)(rv_thread *, void *, int64_t, int64_t);

#ifdef _OPENMP
typedef struct {
  rv_body body;
  void *env;
  int64_t from, to, step;
  int64_t chunks, next;
  int64_t failed; /* the first chunk known to have failed */
  char lock;
  rv_failure failure;
} rv_region;

/* Keeps the failure of the earliest chunk, so that every run reports the same. */
RV_COLD static void rv_record(rv_region *region, rv_thread *t, int64_t chunk) {
  while (__atomic_test_and_set(&region->lock, __ATOMIC_ACQUIRE)) {}
  if (chunk < __atomic_load_n(&region->failed, __ATOMIC_RELAXED)) {
    rv_forget(&region->failure);
    region->failure = t->failure;
    t->failure.count = 0;
    __atomic_store_n(&region->failed, chunk, __ATOMIC_RELAXED);
  }
  __atomic_clear(&region->lock, __ATOMIC_RELEASE);
}

/* Takes chunks until none is left. Chunks behind a failed one are left out, those before it are not. */
static void rv_work(rv_thread *t, rv_region *region) {
  jmp_buf here;
  jmp_buf *outer = t->handler;
  uint64_t mark = t->serial;
  volatile int64_t chunk;
  t->handler = &here;
  t->parallel = true;
  for (;;) {
    chunk = __atomic_fetch_add(&region->next, 1, __ATOMIC_RELAXED);
    if (chunk >= region->chunks || chunk > __atomic_load_n(&region->failed, __ATOMIC_RELAXED)) break;
    int64_t start = region->from + chunk * region->step;
    int64_t end = region->to - start > region->step ? start + region->step : region->to;
    if (setjmp(here) == 0) {
      region->body(t, region->env, start, end);
    } else {
      t->attempt = NULL;
      t->noted = 0;
      rv_free_since(t, mark);
      rv_record(region, t, chunk);
    }
  }
  t->parallel = false;
  t->handler = outer;
}
#endif

/* How many threads rv_parallel can use here. */
RV_FUN int64_t rv_thread_count(const rv_thread *t) {
#ifdef _OPENMP
  return t->parallel || t->attempt ? 1 : t->context->thread_count;
#else
  (void)t;
  return 1;
#endif
}

/* Runs the iterations on all threads, unless they are at work already or there is too little to do. */
RV_FUN void rv_parallel(rv_thread *t, int64_t from, int64_t to, rv_body body, void *env) {
#ifdef _OPENMP
  rv_context *context = t->context;
  int64_t count = from < to ? to - from : 0;
  if (count > 1 && context->thread_count > 1 && !t->parallel && !t->attempt) {
    rv_region region = {.body = body, .env = env, .from = from, .to = to, .failed = INT64_MAX};
    int64_t threads = context->thread_count < count ? context->thread_count : count;
    region.step = (count + threads * 16 - 1) / (threads * 16);
    region.chunks = (count + region.step - 1) / region.step;
#pragma omp parallel num_threads((int)threads)
    {
      rv_thread *me = &context->threads[omp_get_thread_num()];
      if (me != t) me->stack_end = rv_measure_stack();
      me->place = t->place;
      rv_work(me, &region);
    }
    if (region.failed != INT64_MAX) {
      rv_forget(&t->failure);
      t->failure = region.failure;
      longjmp(*t->handler, 1);
    }
    return;
  }
#endif
  body(t, env, from, to);
}
