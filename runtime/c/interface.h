/* The functions for the program that loads the code. The compiler writes `rv_enter`, which calls an entry point by its number. */
static void rv_enter(rv_thread *t, int32_t entry, const rv_value *in, rv_value *out);

/* A context for calls, one at a time; null if there is no memory. Limit 0: three quarters of the memory that is
   available; 0 threads: one for each core. */
RV_EXPORT RV_COLD rv_context *rv_context_new(int64_t threads, int64_t memory_limit);
RV_EXPORT RV_COLD void rv_context_free(rv_context *context);
RV_EXPORT RV_COLD void rv_context_trace(rv_context *context, void (*trace)(void *, int32_t, const rv_value *), void *data);
/* Calls an entry point: 0, or 1 if it failed. Arguments belong to the caller, results until they are dropped. */
RV_EXPORT RV_COLD int32_t rv_call(rv_context *context, int32_t entry, const rv_value *in, rv_value *out);
RV_EXPORT RV_COLD void rv_drop(rv_context *context, rv_block *block);
/* The number of blocks that the last call leaked, and of results that were not dropped. */
RV_EXPORT int64_t rv_left(const rv_context *context);
#ifdef RV_STATS
/* What the calls of the context took: bytes at most, allocations, parallel loops, those on several threads; then for each
   place the nanoseconds in its loops and how often they ran. */
RV_EXPORT void rv_stats(const rv_context *context, int64_t *totals, int64_t *times, int64_t *runs);
#endif
/* Why the last call failed. */
RV_EXPORT int32_t rv_failure_kind(const rv_context *context);
RV_EXPORT int32_t rv_failure_site(const rv_context *context);
RV_EXPORT int64_t rv_failure_count(const rv_context *context);
RV_EXPORT const rv_arg *rv_failure_args(const rv_context *context);

rv_context *rv_context_new(int64_t threads, int64_t memory_limit) {
  rv_context *context = calloc(1, sizeof *context);
  if (!context) return NULL;
  context->thread_count = threads > 0 ? threads : rv_available_threads();
  context->limit = memory_limit > 0 ? memory_limit : rv_default_limit();
  context->threads = calloc((size_t)context->thread_count, sizeof(rv_thread));
  for (int64_t i = 0; context->threads && i < context->thread_count; i++) context->threads[i].context = context;
#if RV_THREADS
  if (context->threads && !rv_pool_new(context)) rv_context_free(context), context = NULL;
#endif
  if (context && !context->threads) free(context), context = NULL;
  return context;
}

void rv_context_free(rv_context *context) {
  if (!context) return;
#if RV_THREADS
  rv_pool_free(context->pool);
#endif
  for (int64_t i = 0; i < context->thread_count; i++) {
    rv_free_since(&context->threads[i], 0);
    rv_discard_spares(&context->threads[i]);
    rv_forget(&context->threads[i].failure);
    free(context->threads[i].notes);
  }
  free(context->threads);
  free(context);
}

void rv_context_trace(rv_context *context, void (*trace)(void *, int32_t, const rv_value *), void *data) {
  context->trace = trace;
  context->trace_data = data;
}

/* The number of blocks that were not released. After a failure some are expected. */
static int64_t rv_count_left(const rv_context *context) {
  int64_t left = 0;
  for (int64_t i = 0; i < context->thread_count; i++)
    for (const rv_block *block = context->threads[i].blocks; block; block = block->older) left++;
  return left;
}

int32_t rv_call(rv_context *context, int32_t entry, const rv_value *in, rv_value *out) {
  rv_thread *t = &context->threads[0];
  jmp_buf here;
#if RV_THREADS
  rv_pool_check(context->pool);
#endif
  rv_forget(&t->failure);
  t->stack_end = rv_measure_stack();
  t->handler = &here;
  t->attempt = NULL;
  t->noted = 0;
  t->parallel = false;
#ifdef RV_STATS
  t->quiet = 0;
#endif
  volatile int32_t failed = 0;
  if (setjmp(here) == 0) rv_enter(t, entry, in, out);
  else failed = 1;
  context->left = failed ? 0 : rv_count_left(context);
  rv_free_since(t, 0);
  return failed;
}

void rv_drop(rv_context *context, rv_block *block) {
  if (!block || --block->count > 0) return;
  context->given--;
  /* The next call may need as much again: memory from the system has to be cleared first, which takes longer than many a loop.
     Blocks that take much of what there may be would leave too little for others. */
  if (block->size > context->limit / 8) rv_discard(&context->threads[0], block);
  else rv_free_unlinked(&context->threads[0], block);
}

int64_t rv_left(const rv_context *context) { return context->left + context->given; }

int32_t rv_failure_kind(const rv_context *context) { return context->threads[0].failure.kind; }
int32_t rv_failure_site(const rv_context *context) { return context->threads[0].failure.site; }
int64_t rv_failure_count(const rv_context *context) { return context->threads[0].failure.count; }
const rv_arg *rv_failure_args(const rv_context *context) { return context->threads[0].failure.args; }

#ifdef RV_STATS
void rv_stats(const rv_context *context, int64_t *totals, int64_t *times, int64_t *runs) {
  totals[0] = context->peak, totals[1] = 0, totals[2] = context->regions, totals[3] = context->shared;
  for (int64_t i = 0; i < context->thread_count; i++) totals[1] += context->threads[i].allocations;
  memcpy(times, context->times, sizeof context->times);
  memcpy(runs, context->runs, sizeof context->runs);
}
#endif
