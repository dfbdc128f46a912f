/* Headers, the state of a thread and of a context, failures. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for the size of a thread's stack */
#endif
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

/* Whether parallel loops use several threads. */
#ifndef RV_THREADS
#define RV_THREADS 1
#endif

#define RV_COLD __attribute__((cold, noinline, unused))
/* Marks loop bodies: they are never inlined or specialised, so they compute the same with threads as without. */
#ifdef __clang__
#define RV_APART __attribute__((noinline))
#else
#define RV_APART __attribute__((noipa))
#endif
/* Before a loop. RV_SIMD: its iterations are independent. It never lets sums be reordered. Clang would take such a mark
   as permission to do so, and as an order to vectorise at any cost; it sees the same by `restrict`.
   RV_UNROLL: it has so many iterations, which become as many copies of its body. */
#define RV_PRAGMA(text) _Pragma(#text)
#ifdef __clang__
#define RV_SIMD
#define RV_UNROLL(count) RV_PRAGMA(unroll count)
#else
#define RV_SIMD RV_PRAGMA(GCC ivdep)
#define RV_UNROLL(count) RV_PRAGMA(GCC unroll count)
#endif
#if defined(__AVX512F__) && !defined(__clang__)
/* What is written past the caches at a time. */
typedef long long rv_line __attribute__((vector_size(64)));
#endif
/* In a loop with few iterations: it is not made of vectors, which would cost more time to compile than it ever takes. */
#define RV_SHORT __asm__ volatile("")
#define RV_FUN static __attribute__((unused))
#define RV_INLINE static inline __attribute__((unused))
#ifndef RV_EXPORT
#define RV_EXPORT __attribute__((visibility("default")))
#endif

/* The text can be compiled in several units at once. Each function has a position from 0 to 999 that selects its unit;
   functions that lead from one parallel loop to the next have the position -1 and are a unit of their own, with those of the
   run-time system that need not be unfolded where they are called, at position -2. Without RV_UNITS all are one unit.
   RV_LINKED says that those at -2 are compiled apart (linked.c) and only declared elsewhere. */
#ifndef RV_LINKED
#define RV_LINKED 0
#endif
#ifndef RV_UNITS
#define RV_UNITS 0
#define RV_UNIT 0
#endif
#define RV_HERE(position) \
  ((position) >= 0                ? (position) * RV_UNITS / 1000 == RV_UNIT \
   : (position) < -1 && RV_LINKED ? RV_UNIT < -1 \
                                  : RV_UNIT == -1 || RV_UNITS == 0)
/* Functions that other units call: of the program, of the run-time system. */
#define RV_HIDDEN __attribute__((visibility("hidden")))
#define RV_LONE static __attribute__((unused))
#if RV_UNITS
#define RV_PART RV_HIDDEN
#else
#define RV_PART RV_LONE
#endif
#if RV_UNITS || RV_LINKED
#define RV_SYSTEM RV_HIDDEN
#else
#define RV_SYSTEM RV_LONE
#endif

typedef struct rv_block rv_block;
typedef struct rv_thread rv_thread;
typedef struct rv_context rv_context;
typedef struct rv_pool rv_pool;
typedef uint16_t rv_f16;

/* A component of an argument or result: the bits of a scalar, or the elements of an array. */
typedef struct {
  void *data;
  rv_block *block; /* of results: the block of the elements, or null */
  uint64_t bits;
} rv_value;

/* A value for a message: a scalar of the primitive type with this number, or a vector of numbers. */
enum { RV_BOOL, RV_I8, RV_I16, RV_I32, RV_I64, RV_U8, RV_U16, RV_U32, RV_U64, RV_F16, RV_F32, RV_F64, RV_NUMBERS };
typedef struct {
  int64_t *numbers;
  int64_t count;
  uint64_t bits;
  int64_t prim;
} rv_arg;

/* How many values a message has at most. */
#ifndef RV_ARGS
#define RV_ARGS 32
#endif

/* Why a run failed: the site of a check; or the place of an allocation, its number of elements and the limit that it would
   exceed (0 if the system refused). */
enum { RV_FINE, RV_CHECK, RV_MEMORY };
typedef struct {
  int32_t kind;
  int32_t site;
  int64_t count;
  rv_arg args[RV_ARGS];
} rv_failure;

#define RV_SPARES 4

/* Where a stop goes. */
typedef struct rv_attempt {
  jmp_buf jump;
  struct rv_attempt *outer;
  int64_t depth; /* how many attempts are active, including this one */
  uint64_t mark; /* the serial of the newest block before it */
  int64_t noted; /* how many notes there were before it */
  int64_t value; /* of the stop */
} rv_attempt;

struct rv_thread {
  rv_context *context;
  jmp_buf *handler;            /* where a failure goes */
  rv_attempt *attempt;         /* where a stop goes, or null */
  rv_block **notes;            /* references to older blocks that attempts took and have not released */
  int64_t noted, notes_room;
  char *stack_end;             /* frames below this address are too deep */
  rv_block *blocks;            /* all blocks taken by this thread, newest first */
  uint64_t serial;             /* of the newest block */
  int32_t place;               /* the call at which failed allocations of shared library functions are shown */
  int64_t balance;             /* bytes taken and freed since the context's count was last corrected */
  bool parallel;               /* whether other threads are running, so that counts change atomically */
  const int64_t *failed;       /* of the parallel loop that it helps with: the first chunk known to have failed */
  int64_t chunk;               /* the chunk of that loop that it runs */
  unsigned next_spare;
  unsigned tiny;               /* how many tiny loops there were */
  rv_block *spares[RV_SPARES]; /* large freed blocks, kept for reuse */
  rv_failure failure;
#ifdef RV_STATS
  int64_t inside;              /* time of the measured loops inside of the current one */
  int64_t held;                /* bytes taken and freed that the context has not counted */
  int64_t allocations;
  int64_t quiet;               /* how many parallel loops are active: nothing inside of them is measured */
#endif
  char gap[64];                /* threads do not share cache lines */
};

struct rv_context {
  rv_thread *threads; /* the first one is the caller's */
  int64_t thread_count;
  rv_pool *pool; /* helpers for parallel loops; null if there is one thread */
  int64_t live;  /* bytes of all blocks, without the threads' balances */
  int64_t limit; /* bytes that blocks may take together */
  int64_t left;  /* blocks that the last call did not free */
  int64_t given; /* blocks of results that were not dropped */
  void (*trace)(void *data, int32_t number, const rv_value *components);
  void *trace_data;
#ifdef RV_STATS
  int64_t in_use, peak; /* bytes of arrays */
  int64_t regions, shared;                /* parallel loops, and those that ran on several threads */
  int64_t times[RV_STATS], runs[RV_STATS]; /* of the loops of each place, in nanoseconds */
#endif
};

/* Nothing has failed. */
RV_SYSTEM RV_COLD void rv_forget(rv_failure *failure);
/* Ends the run with the message of a check. */
RV_SYSTEM RV_COLD _Noreturn void rv_fail(rv_thread *t, int32_t site, int64_t count, const rv_arg *args);
/* Ends the run because there is no memory for this many elements. */
RV_SYSTEM RV_COLD _Noreturn void rv_fail_memory(rv_thread *t, int32_t place, int64_t count, int64_t limit);

#if RV_HERE(-2)
void rv_forget(rv_failure *failure) {
  for (int64_t i = 0; i < failure->count; i++) free(failure->args[i].numbers);
  failure->count = 0;
  failure->kind = RV_FINE;
}

/* Stores a value; the numbers of a vector are copied, because their memory is freed. */
RV_COLD static rv_arg rv_keep(rv_arg arg) {
  if (arg.prim == RV_NUMBERS) {
    const int64_t *from = arg.numbers;
    arg.numbers = arg.count > 0 ? malloc((size_t)arg.count * sizeof(int64_t)) : NULL;
    if (arg.numbers) memcpy(arg.numbers, from, (size_t)arg.count * sizeof(int64_t));
    else arg.count = 0;
  }
  return arg;
}

RV_COLD static _Noreturn void rv_end(rv_thread *t, int32_t kind, int32_t site, int64_t count, const rv_arg *args) {
  rv_forget(&t->failure);
  t->failure.kind = kind;
  t->failure.site = site;
  t->failure.count = count;
  for (int64_t i = 0; i < count; i++) t->failure.args[i] = rv_keep(args[i]);
  longjmp(*t->handler, 1);
}

void rv_fail(rv_thread *t, int32_t site, int64_t count, const rv_arg *args) {
  rv_end(t, RV_CHECK, site, count, args);
}

void rv_fail_memory(rv_thread *t, int32_t place, int64_t count, int64_t limit) {
  rv_arg args[] = {{.prim = RV_I64, .bits = (uint64_t)count}, {.prim = RV_I64, .bits = (uint64_t)limit}};
  rv_end(t, RV_MEMORY, place, 2, args);
}
#endif

/* Where buffers without elements point to. */
static char rv_nothing[64] __attribute__((aligned(64), unused));

/* Shows a value, with the function of the caller. */
RV_FUN void rv_trace(rv_thread *t, int32_t number, const rv_value *components) {
  if (t->context->trace) t->context->trace(t->context->trace_data, number, components);
}
