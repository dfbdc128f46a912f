/* Reference-counted blocks of memory. A thread lists the blocks it allocated; after a failure, those allocated since some
   moment are freed regardless of their counts. The thread that allocated a block frees it: blocks of an iteration of a
   parallel loop do not outlive the iteration. Memory of the caller (arguments) has no block and is not counted.

   A box is a block that refers to others. It is freed by a loop that keeps the list of boxes still to be freed inside the
   freed boxes themselves, so that long chains need no stack. */
#include <sys/mman.h>

struct rv_block {
  int64_t count;
  int64_t size; /* bytes behind the header */
  uint64_t serial;
  rv_block *newer, *older;
  rv_thread *owner; /* null once it is a result */
  int64_t refs;     /* how many references to other blocks a box has */
  int64_t words;    /* how many words come before them */
};
_Static_assert(sizeof(rv_block) == 64, "elements are aligned to 64 bytes");

/* A reference of a box to the memory of a buffer. */
typedef struct {
  void *data;
  rv_block *block;
} rv_ref;

#define RV_KEPT ((int64_t)1 << 16)
/* Each thread counts up to this many bytes locally, so that small blocks need no atomic operation. */
#define RV_BALANCE ((int64_t)1 << 18)
/* Blocks of at least this size use huge pages if the system has them: fewer page faults and TLB misses. */
#define RV_HUGE ((int64_t)4 << 20)
#define RV_HUGE_PAGE ((size_t)2 << 20)

RV_INLINE void *rv_data(rv_block *block) { return block ? (void *)(block + 1) : (void *)rv_nothing; }

/* A new block for this many elements of this size; null for none. */
RV_SYSTEM RV_APART rv_block *rv_alloc(rv_thread *t, int64_t count, int64_t size, int32_t place);
/* A block for this many elements of this size: that of a variable which nothing reads any more, if nothing else refers to it
   and it is large enough and small, or not much larger; else a new one. The variable refers to nothing afterwards. */
RV_SYSTEM RV_APART rv_block *rv_alloc_reusing(rv_thread *t, rv_block **from, int64_t count, int64_t size, int32_t place);
/* The block, or a larger one with the first elements copied, with a capacity of at least `needed`. */
RV_SYSTEM RV_APART rv_block *rv_grow(rv_thread *t, rv_block *block, const void *data, int64_t used, int64_t needed, int64_t size,
                                   int32_t place);
/* Elements take only a part of their block: gives back the rest of a large one, or moves few elements into a block of their
   own. Whether they moved. */
RV_SYSTEM RV_APART bool rv_trim(rv_thread *t, rv_block **block, const char *data, int64_t *start, int64_t count, int64_t size,
                              int32_t place);
/* Gives back a reference. */
RV_SYSTEM RV_APART void rv_release(rv_thread *t, rv_block *block);

/* In an attempt: whether a block is older than the attempt. References to such blocks are noted, because a stop (`longjmp`)
   cannot release them. */
RV_INLINE bool rv_is_older(const rv_thread *t, const rv_block *block) {
  return block->owner != t || block->serial <= t->attempt->mark;
}

RV_COLD static void rv_note(rv_thread *t, rv_block *block) {
  if (!rv_is_older(t, block)) return;
  if (t->noted == t->notes_room) {
    int64_t room = 2 * t->notes_room + 64;
    rv_block **notes = realloc(t->notes, (size_t)room * sizeof *notes);
    /* Without a note the block is freed at the end of the run. */
    if (!notes) return;
    t->notes = notes;
    t->notes_room = room;
  }
  t->notes[t->noted++] = block;
}

RV_COLD static void rv_strike(rv_thread *t, rv_block *block) {
  if (!rv_is_older(t, block)) return;
  for (int64_t i = t->noted; i-- > t->attempt->noted;) {
    if (t->notes[i] != block) continue;
    t->notes[i] = t->notes[--t->noted];
    return;
  }
}

RV_INLINE void rv_share(rv_thread *t, rv_block *block) {
  if (!block) return;
  if (t->attempt) rv_note(t, block);
  if (t->parallel) __atomic_fetch_add(&block->count, 1, __ATOMIC_RELAXED);
  else block->count++;
}

/* The block, which has one reference more. */
RV_INLINE rv_block *rv_shared(rv_thread *t, rv_block *block) {
  rv_share(t, block);
  return block;
}

/* Whether nothing else refers to a block. That of memory of the caller is null. */
RV_INLINE bool rv_is_sole(const rv_block *block) { return block && block->count == 1; }

/* The block, which the variable does not refer to any more. */
RV_INLINE rv_block *rv_moved(rv_block **from) {
  rv_block *block = *from;
  *from = NULL;
  return block;
}

/* Releases one reference. Returns whether it was the last. */
RV_INLINE bool rv_uncount(rv_thread *t, rv_block *block) {
  if (t->attempt) rv_strike(t, block);
  return (t->parallel ? __atomic_sub_fetch(&block->count, 1, __ATOMIC_ACQ_REL) : --block->count) == 0;
}

RV_INLINE rv_ref *rv_refs(rv_block *box) { return (rv_ref *)((int64_t *)(box + 1) + box->words); }

/* Gives back the reference of a variable. */
RV_INLINE void rv_leave(rv_thread *t, rv_block **block) { rv_release(t, rv_moved(block)); }

/* A box for this many references and words. */
RV_FUN rv_block *rv_new_box(rv_thread *t, int64_t refs, int64_t words, int32_t place) {
  rv_block *box = rv_alloc(t, 2 * refs + words, 8, place);
  box->refs = refs;
  box->words = words;
  return box;
}

RV_INLINE void rv_keep_ref(rv_thread *t, rv_block *box, int64_t at, void *data, rv_block *block) {
  rv_share(t, block);
  rv_refs(box)[at] = (rv_ref){.data = data, .block = block};
}

RV_INLINE void rv_copy(void *to, const void *from, int64_t count, int64_t size) {
  if (count > 0) memcpy(to, from, (size_t)(count * size));
}

/* The same past the caches: nothing reads these elements soon. */
RV_SYSTEM RV_APART void rv_copy_past(void *to, const void *from, int64_t count, int64_t size);

/* A block of at least so many bytes, of which only the size is set; null if the limit or the system does not allow it. */
RV_SYSTEM rv_block *rv_find_block(rv_thread *t, int64_t bytes);
/* Returns memory to the system. */
RV_SYSTEM void rv_discard(rv_thread *t, rv_block *block);
RV_SYSTEM RV_COLD void rv_discard_spares(rv_thread *t);
/* Frees a block that is no longer in a list. */
RV_SYSTEM void rv_free_unlinked(rv_thread *t, rv_block *block);
/* Frees the blocks that the thread allocated after the block with this serial. */
RV_SYSTEM RV_COLD void rv_free_since(rv_thread *t, uint64_t serial);
/* A result: the block no longer belongs to the thread. */
RV_SYSTEM rv_value rv_give(void *data, rv_block *block);

#if RV_HERE(-2)
void rv_copy_past(void *to, const void *from, int64_t count, int64_t size) {
#if defined(__AVX512F__) && !defined(__clang__)
  int64_t bytes = count * size, head = -(uintptr_t)to & 63, i = head < bytes ? head : bytes;
  char *out = to;
  const char *in = from;
  rv_copy(out, in, i, 1);
  for (; i + 64 <= bytes; i += 64) {
    rv_line line;
    memcpy(&line, in + i, 64);
    __builtin_ia32_movntdq512((rv_line *)(out + i), line);
  }
  rv_copy(out + i, in + i, bytes - i, 1);
  __builtin_ia32_sfence();
#else
  rv_copy(to, from, count, size);
#endif
}

static void rv_link(rv_thread *t, rv_block *block) {
  block->owner = t;
  block->serial = ++t->serial;
  block->newer = NULL;
  block->older = t->blocks;
  if (block->older) block->older->newer = block;
  t->blocks = block;
}

static void rv_unlink(rv_thread *t, rv_block *block) {
  if (block->newer) block->newer->older = block->older;
  else t->blocks = block->older;
  if (block->older) block->older->newer = block->newer;
}

/* Corrects the context's count by the thread's balance, unless that would exceed the limit. */
RV_COLD static bool rv_settle(rv_thread *t) {
  rv_context *context = t->context;
  int64_t live = __atomic_add_fetch(&context->live, t->balance, __ATOMIC_RELAXED);
  if (t->balance > 0 && live > context->limit) {
    __atomic_fetch_sub(&context->live, t->balance, __ATOMIC_RELAXED);
    return false;
  }
  t->balance = 0;
  return true;
}

/* Counts bytes that are taken, or freed if they are negative. Returns whether the limit is kept, as far as the thread knows. */
RV_INLINE bool rv_count_bytes(rv_thread *t, int64_t bytes) {
  t->balance += bytes;
  return (-RV_BALANCE < t->balance && t->balance < RV_BALANCE) || rv_settle(t);
}

/* The cost of a block: its bytes, its header and the overhead of malloc. */
RV_INLINE int64_t rv_cost(int64_t size) { return size + (int64_t)sizeof(rv_block) + 16; }

void rv_discard(rv_thread *t, rv_block *block) {
  rv_count_bytes(t, -rv_cost(block->size));
  free(block);
}

void rv_discard_spares(rv_thread *t) {
  for (int i = 0; i < RV_SPARES; i++) {
    if (t->spares[i]) rv_discard(t, t->spares[i]);
    t->spares[i] = NULL;
  }
}

/* Frees spare blocks. Outside of parallel loops this includes those of other threads, which are idle. */
RV_COLD static void rv_make_room(rv_thread *t) {
  rv_context *context = t->context;
  rv_discard_spares(t);
  for (int64_t i = 0; !t->parallel && i < context->thread_count; i++) rv_discard_spares(&context->threads[i]);
}

void rv_free_unlinked(rv_thread *t, rv_block *block) {
#ifdef RV_STATS
  rv_count_held(t, -block->size);
#endif
  if (block->size < RV_KEPT) {
    rv_discard(t, block);
    return;
  }
  /* Blocks come and go in turn in loops: one that is kept for later goes only if there are too many. */
  int place = 0;
  while (place < RV_SPARES && t->spares[place]) place++;
  if (place == RV_SPARES) {
    place = (int)(t->next_spare++ % RV_SPARES);
    rv_discard(t, t->spares[place]);
  }
  t->spares[place] = block;
}

static void rv_free_block(rv_thread *t, rv_block *block) {
  rv_unlink(t, block);
  rv_free_unlinked(t, block);
}

/* A spare block that is large enough and not much larger. */
static rv_block *rv_reuse(rv_thread *t, int64_t size) {
  for (int i = 0; i < RV_SPARES; i++) {
    rv_block *block = t->spares[i];
    if (block && block->size >= size && block->size - size <= size / 4) {
      t->spares[i] = NULL;
      return block;
    }
  }
  return NULL;
}

/* A large block, for huge pages where the system has some. */
RV_COLD static void *rv_obtain_huge(size_t bytes) {
  void *block = aligned_alloc(RV_HUGE_PAGE, (bytes + RV_HUGE_PAGE - 1) & ~(RV_HUGE_PAGE - 1));
#ifdef MADV_HUGEPAGE
  /* The end stays in small pages, so that no memory is wasted. */
  if (block) madvise(block, bytes & ~(RV_HUGE_PAGE - 1), MADV_HUGEPAGE);
#endif
  return block;
}

/* A new block of this many bytes; null if the limit or the system does not allow it. */
static rv_block *rv_obtain(rv_thread *t, int64_t size) {
  size_t bytes = sizeof(rv_block) + (size_t)size;
  rv_block *block = NULL;
  if (!rv_count_bytes(t, rv_cost(size))) {}
  else if (size < 4096) block = malloc(bytes);
  else if (size < RV_HUGE) block = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
  else block = rv_obtain_huge(bytes);
  if (block) block->size = size;
  else rv_count_bytes(t, -rv_cost(size));
  return block;
}

rv_block *rv_find_block(rv_thread *t, int64_t bytes) {
  rv_block *block = bytes >= RV_KEPT ? rv_reuse(t, bytes) : NULL;
  if (!block) block = rv_obtain(t, bytes);
  if (!block) {
    rv_make_room(t);
    block = rv_obtain(t, bytes);
  }
  return block;
}

/* Ends the run because there is no memory for an array of this many elements and bytes. */
RV_COLD static _Noreturn void rv_refuse(rv_thread *t, int32_t place, int64_t count, int64_t bytes) {
  int64_t live = __atomic_load_n(&t->context->live, __ATOMIC_RELAXED), limit = t->context->limit;
  rv_fail_memory(t, place, count, bytes > limit - live - RV_BALANCE ? limit : 0);
}

rv_block *rv_alloc(rv_thread *t, int64_t count, int64_t size, int32_t place) {
  if (count == 0) return NULL;
  if (count < 0 || count > (INT64_MAX / 4) / size) rv_refuse(t, place, count, INT64_MAX / 4);
  int64_t bytes = count * size;
  rv_block *block = rv_find_block(t, bytes);
  if (!block) rv_refuse(t, place, count, bytes);
#ifdef RV_STATS
  t->allocations++;
  rv_count_held(t, block->size);
#endif
  block->count = 1;
  block->refs = 0;
  rv_link(t, block);
  return block;
}

/* Frees a box and everything that nothing else refers to. Boxes still to be freed are linked by `older`. */
static __attribute__((noinline)) void rv_free_box(rv_thread *t, rv_block *box) {
  rv_unlink(t, box);
  box->older = NULL;
  while (box) {
    rv_block *waiting = box->older;
    for (int64_t i = 0; i < box->refs; i++) {
      rv_block *inner = rv_refs(box)[i].block;
      if (!inner || !rv_uncount(t, inner)) continue;
      rv_unlink(t, inner);
      if (inner->refs == 0) {
        rv_free_unlinked(t, inner);
      } else {
        inner->older = waiting;
        waiting = inner;
      }
    }
    rv_free_unlinked(t, box);
    box = waiting;
  }
}

void rv_release(rv_thread *t, rv_block *block) {
  if (!block || !rv_uncount(t, block)) return;
  if (block->refs == 0) rv_free_block(t, block);
  else rv_free_box(t, block);
}

rv_block *rv_alloc_reusing(rv_thread *t, rv_block **from, int64_t count, int64_t size, int32_t place) {
  rv_block *block = rv_moved(from);
  int64_t bytes = count > 0 && count <= (INT64_MAX / 4) / size ? count * size : -1;
  bool own = block && block->count == 1 && block->owner == t && block->refs == 0 && !t->attempt;
  bool fits = bytes >= 0 && own && bytes <= block->size;
  if (fits && (block->size < RV_KEPT || block->size - bytes <= bytes / 4)) return block;
  rv_release(t, block);
  return rv_alloc(t, count, size, place);
}

rv_block *rv_grow(rv_thread *t, rv_block *block, const void *data, int64_t used, int64_t needed, int64_t size, int32_t place) {
  int64_t room = block ? block->size / size : 0;
  if (needed <= room) return block;
  int64_t more = room > INT64_MAX / 2 / size ? needed : room + room / 2;
  rv_block *larger = rv_alloc(t, needed > more ? needed : more, size, place);
  if (used > 0) memcpy(rv_data(larger), data, (size_t)(used * size));
  rv_release(t, block);
  return larger;
}

void rv_free_since(rv_thread *t, uint64_t serial) {
  while (t->blocks && t->blocks->serial > serial) rv_free_block(t, t->blocks);
}

/* The same if the run continues: also releases the attempt's references to older blocks, to which others still refer. */
RV_COLD static void rv_undo_since(rv_thread *t, const rv_attempt *attempt) {
  while (t->noted > attempt->noted) {
    rv_block *block = t->notes[--t->noted];
    if (t->parallel) __atomic_fetch_sub(&block->count, 1, __ATOMIC_RELAXED);
    else block->count--;
  }
  rv_free_since(t, attempt->mark);
}

/* An attempt inside of another has ended: the outer one needs only the notes about blocks older than itself. */
RV_COLD static void rv_keep_notes(rv_thread *t, const rv_attempt *attempt) {
  int64_t kept = attempt->noted;
  for (int64_t i = kept; t->attempt && i < t->noted; i++) {
    if (rv_is_older(t, t->notes[i])) t->notes[kept++] = t->notes[i];
  }
  t->noted = kept;
}

/* Gives back the end of a large block to which nothing else refers, behind so many bytes. */
static void rv_give_back(rv_thread *t, rv_block *block, int64_t bytes) {
#ifdef MADV_DONTNEED
  uintptr_t page = RV_HUGE_PAGE, data = (uintptr_t)(block + 1);
  uintptr_t from = (data + (uintptr_t)bytes + page - 1) & ~(page - 1), to = (data + (uintptr_t)block->size) & ~(page - 1);
  if (from < to) madvise((void *)from, to - from, MADV_DONTNEED);
#endif
  rv_count_bytes(t, bytes - block->size);
#ifdef RV_STATS
  rv_count_held(t, bytes - block->size);
#endif
  block->size = bytes;
}

bool rv_trim(rv_thread *t, rv_block **block, const char *data, int64_t *start, int64_t count, int64_t size, int32_t place) {
  if (!*block) return false;
  if ((*block)->size >= RV_HUGE && *start == 0 && (*block)->count == 1 && !t->attempt && (*block)->owner == t) {
    rv_give_back(t, *block, count * size);
    return false;
  }
  if ((*block)->size < 1024 || count * size >= (*block)->size / 2) return false;
  rv_block *part = rv_alloc(t, count, size, place);
  rv_copy(rv_data(part), data + *start * size, count, size);
  rv_release(t, *block);
  *block = part;
  *start = 0;
  return true;
}

rv_value rv_give(void *data, rv_block *block) {
  if (block && block->owner) {
    block->owner->context->given++;
    rv_unlink(block->owner, block);
    block->owner = NULL;
  }
  return (rv_value){.data = data, .block = block};
}
#endif
