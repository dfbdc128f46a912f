/* The end of a thread's stack, attempts. */
#define RV_STACK_RESERVE (256 * 1024)

/* The address below which a stack frame of the calling thread is too deep. */
RV_SYSTEM RV_COLD char *rv_measure_stack(void);
#if RV_HERE(-2)
char *rv_measure_stack(void) {
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
#endif

/* Whether the stack of the calling function is too deep; checked by recursive functions. */
#define RV_TOO_DEEP(t) ((char *)__builtin_frame_address(0) < (t)->stack_end)

/* How many attempts are active. */
RV_INLINE int64_t rv_attempts(const rv_thread *t) { return t->attempt ? t->attempt->depth : 0; }

/* Runs an attempt until it ends or stops: -1 if it ended, otherwise the value of the stop. */
RV_SYSTEM RV_APART int64_t rv_try(rv_thread *t, void (*body)(rv_thread *, void *), void *env);
#if RV_HERE(-2)
int64_t rv_try(rv_thread *t, void (*body)(rv_thread *, void *), void *env) {
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
#endif

RV_FUN _Noreturn void rv_stop(rv_thread *t, int64_t value) {
  t->attempt->value = value;
  longjmp(t->attempt->jump, 1);
}
