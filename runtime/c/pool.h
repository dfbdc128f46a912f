/* The threads that help with parallel loops.

   A loop is divided into chunks. The thread that reaches the loop publishes it and takes chunks until none is left. Helpers
   join it when they get a processor, and take chunks too. In the end the first thread waits only for helpers that are
   in the middle of a chunk, never for one that sleeps or has no processor. So a loop always finishes, if necessary on one
   thread, and helpers on a busy machine cost little. A helper without work watches for the next loop for some
   microseconds, then it sleeps.

   Results do not depend on which thread computes what: iterations do not depend on each other, and of several failures the
   one of the lowest chunk is reported. */
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* The iterations of a parallel loop from the first to the second number. */
typedef void (*rv_body)(rv_thread *, void *, int64_t, int64_t);

/* The default number of threads. */
RV_SYSTEM RV_COLD int64_t rv_available_threads(void);
#if RV_HERE(-2)
int64_t rv_available_threads(void) {
#if RV_THREADS
  const char *asked = getenv("OMP_NUM_THREADS");
  long long count = asked ? strtoll(asked, NULL, 10) : 0;
#ifdef __linux__
  cpu_set_t allowed;
  if (count < 1 && sched_getaffinity(0, sizeof allowed, &allowed) == 0) count = CPU_COUNT(&allowed);
#endif
  if (count < 1) count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : count > 1024 ? 1024 : count;
#else
  return 1;
#endif
}
#endif

#if RV_THREADS

/* A clock that takes a few nanoseconds to read; what a tick is depends on the processor. */
RV_INLINE int64_t rv_ticks(void) {
#ifdef __x86_64__
  return (int64_t)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  int64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
#endif
}

/* Microseconds in ticks, approximately. */
RV_INLINE int64_t rv_microseconds(int64_t count) {
#ifdef __x86_64__
  return count * 2500;
#elif defined(__aarch64__)
  int64_t frequency;
  __asm__ volatile("mrs %0, cntfrq_el0" : "=r"(frequency));
  return count * frequency / 1000000;
#else
  return count * 1000;
#endif
}

/* Tells the processor that this thread is spinning. */
RV_INLINE void rv_relax(void) {
#ifdef __x86_64__
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/* The helpers of a context, if it has more than one thread; whether there is memory for them. */
RV_SYSTEM RV_COLD bool rv_pool_new(rv_context *context);
RV_SYSTEM RV_COLD void rv_pool_free(rv_pool *pool);
/* Before a call: a forked process starts new helpers. */
RV_SYSTEM void rv_pool_check(rv_pool *pool);

#if RV_HERE(-2)
/* How long threads spin before they sleep, in microseconds: longer than it takes to get from one loop to the next. */
#define RV_WATCH 20

/* A running parallel loop. */
typedef struct {
  rv_body body;
  void *env;
  int64_t from, to, step, chunks;
  int64_t next;   /* the first chunk that no thread has taken */
  int64_t failed; /* the first chunk known to have failed */
  rv_failure failure;
  int32_t place;
} rv_loop;

/* The helpers of a context. The lock guards everything; `turn` and `active` are also read without it. */
struct rv_pool {
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  rv_loop *loop;    /* the loop that helpers may join, or null */
  int64_t wanted;   /* how many more may join it */
  int64_t active;   /* how many have joined it and are not done */
  int64_t sleeping; /* how many wait for `work` */
  uint64_t turn;    /* how many loops there were */
  bool ended, waiting;
  pid_t process;
  int64_t started;
  pthread_t *threads;
};

/* Stores the failure of the lowest chunk, so that every run reports the same one. */
RV_COLD static void rv_record(rv_loop *loop, rv_thread *t, int64_t chunk) {
  rv_pool *pool = t->context->pool;
  pthread_mutex_lock(&pool->lock);
  if (chunk < __atomic_load_n(&loop->failed, __ATOMIC_RELAXED)) {
    rv_forget(&loop->failure);
    loop->failure = t->failure;
    t->failure.count = 0;
    __atomic_store_n(&loop->failed, chunk, __ATOMIC_RELAXED);
  }
  pthread_mutex_unlock(&pool->lock);
}

/* Takes chunks until none is left. Chunks after a failed one are skipped, those before it are not. Returns how many
   iterations it took. */
static int64_t rv_work(rv_thread *t, rv_loop *loop) {
  jmp_buf here;
  jmp_buf *outer = t->handler;
  uint64_t mark = t->serial;
  volatile int64_t chunk, taken = 0;
  t->handler = &here;
  t->parallel = true;
  t->failed = &loop->failed;
  for (;;) {
    chunk = __atomic_fetch_add(&loop->next, 1, __ATOMIC_RELAXED);
    if (chunk >= loop->chunks || chunk > __atomic_load_n(&loop->failed, __ATOMIC_RELAXED)) break;
    t->chunk = chunk;
    int64_t start = loop->from + chunk * loop->step;
    int64_t end = loop->to - start > loop->step ? start + loop->step : loop->to;
    taken += end - start;
    if (setjmp(here) == 0) {
      loop->body(t, loop->env, start, end);
    } else {
      t->attempt = NULL;
      t->noted = 0;
      rv_free_since(t, mark);
      rv_record(loop, t, chunk);
    }
  }
  t->parallel = false;
  t->handler = outer;
  return taken;
}

/* Wakes at most two helpers, each of which wakes two more, so that no thread has to wake them all. */
static void rv_wake(rv_pool *pool, int64_t sleeping, int64_t wanted) {
  for (int64_t i = 0; i < 2 && i < sleeping && i < wanted; i++) pthread_cond_signal(&pool->work);
}

/* Waits for a loop to join that has not been seen before; false at the end of the context. The caller holds the lock,
   before and after. */
static bool rv_await_loop(rv_pool *pool, uint64_t *seen) {
  for (;;) {
    if (pool->ended) return false;
    bool found = pool->loop && pool->turn != *seen && pool->wanted > 0;
    *seen = pool->turn;
    if (found) return true;
    pthread_mutex_unlock(&pool->lock);
    int64_t end = rv_ticks() + rv_microseconds(RV_WATCH);
    while (__atomic_load_n(&pool->turn, __ATOMIC_RELAXED) == *seen && rv_ticks() < end) rv_relax();
    pthread_mutex_lock(&pool->lock);
    pool->sleeping++;
    while (pool->turn == *seen && !pool->ended) pthread_cond_wait(&pool->work, &pool->lock);
    pool->sleeping--;
  }
}

/* The main loop of a helper. */
RV_COLD static void *rv_help_out(void *argument) {
  rv_thread *t = argument;
  rv_pool *pool = t->context->pool;
  uint64_t seen = 0;
  t->stack_end = rv_measure_stack();
  pthread_mutex_lock(&pool->lock);
  while (rv_await_loop(pool, &seen)) {
    rv_loop *loop = pool->loop;
    int64_t sleeping = pool->sleeping, wanted = --pool->wanted;
    __atomic_add_fetch(&pool->active, 1, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&pool->lock);
    rv_wake(pool, sleeping, wanted);
    t->place = loop->place;
    rv_work(t, loop);
    pthread_mutex_lock(&pool->lock);
    if (__atomic_sub_fetch(&pool->active, 1, __ATOMIC_RELEASE) == 0 && pool->waiting) pthread_cond_signal(&pool->done);
  }
  pthread_mutex_unlock(&pool->lock);
  return NULL;
}

/* Starts one helper, with as large a stack as the system allows. */
RV_COLD static bool rv_start_helper(rv_pool *pool, rv_thread *t) {
  static const size_t sizes[] = {64, 16, 4};
  bool started = false;
  for (int i = 0; i < 3 && !started; i++) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, sizes[i] << 20);
    started = pthread_create(&pool->threads[pool->started], &attributes, rv_help_out, t) == 0;
    pthread_attr_destroy(&attributes);
  }
  pool->started += started;
  return started;
}

/* Starts the helpers, or fewer if the system refuses some. Helpers block all signals, which are for the program's own
   threads. */
RV_COLD static void rv_start_helpers(rv_context *context) {
  rv_pool *pool = context->pool;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  for (int64_t i = 1; i < context->thread_count && rv_start_helper(pool, &context->threads[i]); i++) {}
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* A pool without helpers, which are started when the first loop needs them. */
RV_COLD static void rv_pool_reset(rv_pool *pool) {
  pthread_t *threads = pool->threads;
  memset(pool, 0, sizeof *pool);
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->work, NULL);
  pthread_cond_init(&pool->done, NULL);
  pool->process = getpid();
  pool->threads = threads;
}

bool rv_pool_new(rv_context *context) {
  if (context->thread_count < 2) return true;
  rv_pool *pool = context->pool = calloc(1, sizeof *pool);
  if (!pool) return false;
  pool->threads = calloc((size_t)context->thread_count, sizeof(pthread_t));
  rv_pool_reset(pool);
  return pool->threads != NULL;
}

void rv_pool_free(rv_pool *pool) {
  if (!pool) return;
  /* A forked process has the memory of the helpers, but not their threads. */
  if (pool->process == getpid()) {
    pthread_mutex_lock(&pool->lock);
    pool->ended = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->lock);
    for (int64_t i = 0; i < pool->started; i++) pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->work);
    pthread_cond_destroy(&pool->done);
    pthread_mutex_destroy(&pool->lock);
  }
  free(pool->threads);
  free(pool);
}

void rv_pool_check(rv_pool *pool) {
  if (pool && pool->process != getpid()) rv_pool_reset(pool);
}

/* Closes a loop that has no chunk left, and waits for helpers that are in the middle of one. */
static void rv_end_loop(rv_pool *pool) {
  pthread_mutex_lock(&pool->lock);
  pool->loop = NULL;
  bool busy = pool->active > 0;
  pthread_mutex_unlock(&pool->lock);
  if (!busy) return;
  int64_t end = rv_ticks() + rv_microseconds(RV_WATCH);
  while (rv_ticks() < end) {
    if (__atomic_load_n(&pool->active, __ATOMIC_ACQUIRE) == 0) return;
    rv_relax();
  }
  pthread_mutex_lock(&pool->lock);
  pool->waiting = true;
  while (pool->active > 0) pthread_cond_wait(&pool->done, &pool->lock);
  pool->waiting = false;
  pthread_mutex_unlock(&pool->lock);
}

/* Runs a loop with helpers. Returns how many iterations the calling thread took. */
static int64_t rv_run_with_helpers(rv_thread *t, rv_loop *loop) {
  rv_context *context = t->context;
  rv_pool *pool = context->pool;
  int64_t wanted = (context->thread_count < loop->chunks ? context->thread_count : loop->chunks) - 1;
  if (pool->started == 0) rv_start_helpers(context);
  pthread_mutex_lock(&pool->lock);
  pool->loop = loop;
  pool->wanted = wanted;
  __atomic_add_fetch(&pool->turn, 1, __ATOMIC_RELAXED);
  int64_t sleeping = pool->sleeping;
  pthread_mutex_unlock(&pool->lock);
  rv_wake(pool, sleeping, wanted);
  int64_t taken = rv_work(t, loop);
  rv_end_loop(pool);
  return taken;
}
#endif
#endif
