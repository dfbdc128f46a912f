/* Counted blocks of memory. A thread lists the blocks it took; after a failure those taken since some moment are freed
   whatever their counts say. A block is freed by the thread that took it: what an iteration of a parallel loop takes does
   not outlive the iteration. Memory of others (arguments) has no block, and nothing counts it. */
struct rv_block {
  int64_t count;
  int64_t size; /* bytes behind the header */
  uint64_t serial;
  rv_block *newer, *older;
  rv_thread *owner; /* null once it was handed out as a result */
  char gap[16];
};
_Static_assert(sizeof(rv_block) == 64, "elements are aligned to 64 bytes");

#define RV_LARGE ((int64_t)1 << 20)
#define RV_KEPT ((int64_t)1 << 16)

/* Where buffers without elements point to. */
static char rv_nothing[64] __attribute__((aligned(64), unused));

RV_INLINE void *rv_data(rv_block *block) { return block ? (void *)(block + 1) : (void *)rv_nothing; }

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

/* Gives memory back to the system. */
RV_COLD static void rv_discard(rv_context *context, rv_block *block) {
  if (block->size >= RV_LARGE) __atomic_fetch_sub(&context->live, block->size, __ATOMIC_RELAXED);
  free(block);
}

RV_COLD static void rv_discard_spares(rv_thread *t) {
  for (int i = 0; i < RV_SPARES; i++) {
    if (t->spares[i]) rv_discard(t->context, t->spares[i]);
    t->spares[i] = NULL;
  }
}

/* Makes room: nobody else is at work on other threads' lists unless the loop is parallel. */
RV_COLD static void rv_make_room(rv_thread *t) {
  rv_context *context = t->context;
  rv_discard_spares(t);
  for (int64_t i = 0; !t->parallel && i < context->thread_count; i++) rv_discard_spares(&context->threads[i]);
}

static void rv_free_block(rv_thread *t, rv_block *block) {
  rv_unlink(t, block);
  if (block->size < RV_KEPT) {
    free(block);
    return;
  }
  rv_block **spare = &t->spares[t->next_spare++ % RV_SPARES];
  if (*spare) rv_discard(t->context, *spare);
  *spare = block;
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

static rv_block *rv_obtain(rv_context *context, int64_t size) {
  size_t bytes = sizeof(rv_block) + (size_t)size;
  if (size < 4096) return malloc(bytes);
  if (size >= RV_LARGE && __atomic_add_fetch(&context->live, size, __ATOMIC_RELAXED) > context->limit) {
    __atomic_fetch_sub(&context->live, size, __ATOMIC_RELAXED);
    return NULL;
  }
  rv_block *block = aligned_alloc(64, (bytes + 63) & ~(size_t)63);
  if (!block && size >= RV_LARGE) __atomic_fetch_sub(&context->live, size, __ATOMIC_RELAXED);
  return block;
}

/* A new block for so many elements of this size; null for none. */
static __attribute__((noinline, unused)) rv_block *rv_alloc(rv_thread *t, int64_t count, int64_t size, int32_t place) {
  if (count == 0) return NULL;
  if (count < 0 || count > (INT64_MAX / 2 - 4096) / size) rv_fail_memory(t, place, count);
  int64_t bytes = count * size;
  rv_block *block = bytes >= RV_KEPT ? rv_reuse(t, bytes) : NULL;
  if (!block) {
    block = rv_obtain(t->context, bytes);
    if (!block) {
      rv_make_room(t);
      block = rv_obtain(t->context, bytes);
    }
    if (!block) rv_fail_memory(t, place, count);
    block->size = bytes;
  }
  block->count = 1;
  rv_link(t, block);
  return block;
}

RV_INLINE void rv_share(rv_thread *t, rv_block *block) {
  if (!block) return;
  if (t->parallel) __atomic_fetch_add(&block->count, 1, __ATOMIC_RELAXED);
  else block->count++;
}

static __attribute__((noinline, unused)) void rv_release(rv_thread *t, rv_block *block) {
  if (!block) return;
  int64_t left = t->parallel ? __atomic_sub_fetch(&block->count, 1, __ATOMIC_ACQ_REL) : --block->count;
  if (left == 0) rv_free_block(t, block);
}

/* The block, or a larger one with the first elements copied, so that there is room for `needed`. */
RV_FUN rv_block *rv_grow(rv_thread *t, rv_block *block, const void *data, int64_t used, int64_t needed, int64_t size,
                         int32_t place) {
  int64_t room = block ? block->size / size : 0;
  if (needed <= room) return block;
  int64_t more = room > INT64_MAX / 2 / size ? needed : room + room / 2;
  rv_block *larger = rv_alloc(t, needed > more ? needed : more, size, place);
  if (used > 0) memcpy(rv_data(larger), data, (size_t)(used * size));
  rv_release(t, block);
  return larger;
}

/* Whether most of a block is not used by so many elements. */
RV_INLINE bool rv_wasteful(const rv_block *block, int64_t count, int64_t size) {
  return block && block->size >= 1024 && count * size < block->size / 2;
}

/* Frees what the thread took after the block with this serial. */
RV_COLD static void rv_free_since(rv_thread *t, uint64_t serial) {
  while (t->blocks && t->blocks->serial > serial) rv_free_block(t, t->blocks);
}

RV_INLINE void rv_copy(void *to, const void *from, int64_t count, int64_t size) {
  if (count > 0) memcpy(to, from, (size_t)(count * size));
}

/* A result: the block no longer belongs to the thread. */
RV_FUN rv_value rv_give(void *data, rv_block *block) {
  if (block && block->owner) {
    block->owner->context->given++;
    rv_unlink(block->owner, block);
    block->owner = NULL;
  }
  return (rv_value){.data = data, .block = block};
}
