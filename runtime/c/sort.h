/* Stable sorting of numbers by their bits: radix sort from the lowest digit on. Each pass counts how many words of each block
   of the array have which digit, and then moves the words of all blocks to their places at once.

   A word is a number itself, or a key together with the index of its element. Before the first pass keys are changed such that
   their order is that of unsigned integers. A survey finds the bits in which keys differ: only those become digits. In large
   arrays, words wait in a line of the cache for each digit until the whole line can be written past the caches. */

enum {
  RV_DIGIT = 11,              /* bits of a digit in long arrays */
  RV_BUCKETS = 1 << RV_DIGIT,
  RV_LINE = 64,               /* bytes of a line of the cache */
  RV_AHEAD = 2048,            /* bytes from what is read to what is fetched meanwhile */
  RV_FEW = 24,                /* so many elements are sorted by insertion */
  RV_LONG = 1 << 20,          /* bytes of an array that is written past the caches */
  RV_PIECE = 1 << 16,         /* elements that are worth a block of their own */
};

/* What keys are, by their bits: x ^ (x < 0 ? spread : 0) ^ flip orders them as unsigned integers. */
typedef struct {
  int bytes;
  uint64_t sign, spread, flip;
  uint64_t infinity; /* of floats, else 0 */
} rv_keys;

typedef struct {
  const void *from;
  void *to;
  int64_t count, blocks;
  int64_t skew; /* places count from so many words before `to`: a multiple of 64 bytes */
  int shift, bits;
  bool last, streams, doubled; /* `doubled`: words take 16 bytes */
  rv_keys keys, come; /* `come`: what the words of this pass are, if they are not yet in unsigned order */
  int64_t *places, *starts; /* for each block, of each digit */
  char *waiting;            /* for each block, a line for each digit */
  uint64_t *varying;        /* for each block: bits that are not the same in all keys */
  bool *special;            /* for each block: whether there are negative zeros or NaNs */
  int64_t *order;
  bool wide; /* whether pairs of keys and indices take 16 bytes */
} rv_sort;

static const rv_keys rv_keys_of[] = {
    [RV_BOOL] = {1, 0x80, 0, 0, 0},
    [RV_I8] = {1, 0x80, 0, 0x80, 0},
    [RV_I16] = {2, 0x8000, 0, 0x8000, 0},
    [RV_I32] = {4, 0x80000000, 0, 0x80000000, 0},
    [RV_I64] = {8, (uint64_t)1 << 63, 0, (uint64_t)1 << 63, 0},
    [RV_U8] = {1, 0x80, 0, 0, 0},
    [RV_U16] = {2, 0x8000, 0, 0, 0},
    [RV_U32] = {4, 0x80000000, 0, 0, 0},
    [RV_U64] = {8, (uint64_t)1 << 63, 0, 0, 0},
    [RV_F16] = {2, 0x8000, 0x7fff, 0x8000, 0x7c00},
    [RV_F32] = {4, 0x80000000, 0x7fffffff, 0x80000000, 0x7f800000},
    [RV_F64] = {8, (uint64_t)1 << 63, INT64_MAX, (uint64_t)1 << 63, (uint64_t)0x7ff << 52},
};

#define RV_ALWAYS static inline __attribute__((always_inline, unused))

RV_ALWAYS uint64_t rv_load_word(const void *words, int64_t at, int size) {
  switch (size) {
  case 1: return ((const uint8_t *)words)[at];
  case 2: return ((const uint16_t *)words)[at];
  case 4: return ((const uint32_t *)words)[at];
  case 8: return ((const uint64_t *)words)[at];
  default: return ((const uint64_t *)words)[2 * at];
  }
}

RV_ALWAYS void rv_store_word(void *words, int64_t at, uint64_t word, int size) {
  switch (size) {
  case 1: ((uint8_t *)words)[at] = (uint8_t)word; break;
  case 2: ((uint16_t *)words)[at] = (uint16_t)word; break;
  case 4: ((uint32_t *)words)[at] = (uint32_t)word; break;
  default: ((uint64_t *)words)[at] = word; break;
  }
}

/* All bits of a number are its highest one. */
RV_ALWAYS uint64_t rv_signs(uint64_t x, int size) {
  switch (size) {
  case 1: return (uint8_t)((int8_t)x >> 7);
  case 2: return (uint16_t)((int16_t)x >> 15);
  case 4: return (uint32_t)((int32_t)x >> 31);
  default: return (uint64_t)((int64_t)x >> 63);
  }
}
/* Bits whose unsigned order is that of the keys, and back. */
RV_ALWAYS uint64_t rv_to_key(uint64_t x, rv_keys k, int size) { return x ^ (rv_signs(x, size) & k.spread) ^ k.flip; }
RV_ALWAYS uint64_t rv_from_key(uint64_t x, rv_keys k, int size) {
  x ^= k.flip;
  return x ^ (rv_signs(x, size) & k.spread);
}
RV_ALWAYS bool rv_is_special(uint64_t x, rv_keys k) { return k.infinity && (x == k.sign || (x & ~k.sign) > k.infinity); }
/* Equal keys have equal bits: one zero, and one NaN behind all numbers. */
RV_ALWAYS uint64_t rv_plain_key(uint64_t x, rv_keys k, int size) {
  if (rv_is_special(x, k)) x = x == k.sign ? 0 : k.spread;
  return rv_to_key(x, k, size);
}

RV_INLINE int64_t rv_block_start(const rv_sort *s, int64_t block) {
  return s->count / s->blocks * block + s->count % s->blocks * block / s->blocks;
}

/* Writes a line past the caches, if the processor can do that. */
RV_ALWAYS void rv_stream_line(void *to, const void *line) {
  to = __builtin_assume_aligned(to, RV_LINE), line = __builtin_assume_aligned(line, RV_LINE);
#if defined(__AVX512F__) && !defined(__clang__)
  typedef long long v8 __attribute__((vector_size(64)));
  __builtin_ia32_movntdq512((v8 *)to, *(const v8 *)line);
#elif defined(__SSE2__) && !defined(__clang__)
  typedef long long v2 __attribute__((vector_size(16)));
  for (int i = 0; i < 4; i++) __builtin_ia32_movntdq((v2 *)to + i, ((const v2 *)line)[i]);
#else
  memcpy(to, line, RV_LINE);
#endif
}
RV_ALWAYS void rv_stream_end(void) {
#if defined(__SSE2__) && !defined(__clang__)
  __builtin_ia32_sfence();
#endif
}

/* Finds the bits in which keys differ, and whether some are special: in vectors of words. */
#define RV_SURVEY(size, word)                                                                                         \
  RV_ALWAYS void rv_survey_words_##size(const rv_sort *s, int64_t block) {                                            \
    const word *words = s->from;                                                                                      \
    int64_t end = rv_block_start(s, block + 1);                                                                       \
    word varying = 0, special = 0, sign = (word)s->keys.sign, infinity = (word)s->keys.infinity;                      \
    word spread = (word)s->keys.spread, some = (word)rv_to_key(words[0], s->keys, size) ^ (word)s->keys.flip;         \
    for (int64_t i = rv_block_start(s, block); i < end; i++) {                                                        \
      word x = words[i];                                                                                              \
      varying |= (word)(x ^ ((word)rv_signs(x, size) & spread) ^ some);                                               \
      special |= (word)((x == sign) | ((x & (word)~sign) > infinity));                                                \
    }                                                                                                                 \
    s->varying[block] = varying;                                                                                      \
    s->special[block] = infinity && special;                                                                          \
  }
RV_SURVEY(1, uint8_t)
RV_SURVEY(2, uint16_t)
RV_SURVEY(4, uint32_t)
RV_SURVEY(8, uint64_t)

/* The digit of a word in unsigned order. */
RV_ALWAYS uint64_t rv_digit(const rv_sort *s, uint64_t word) { return word >> s->shift & (((uint64_t)1 << s->bits) - 1); }

/* Counts the digits of a block, in four tables, so that equal digits do not wait for each other. Of pairs in 16 bytes the first 8
   are counted. */
RV_ALWAYS void rv_count_digits(const rv_sort *s, int64_t block, int size) {
  enum { TABLES = 4 };
  uint32_t tables[TABLES][RV_BUCKETS];
  int64_t buckets = (int64_t)1 << s->bits, i = rv_block_start(s, block), end = rv_block_start(s, block + 1);
  int doubled = size == 8 && s->doubled;
  memset(tables, 0, sizeof tables);
  for (; i + TABLES <= end; i += TABLES) {
    __builtin_prefetch((const char *)s->from + (i << doubled) * size + RV_AHEAD);
    RV_UNROLL(4)
    for (int k = 0; k < TABLES; k++) {
      tables[k][rv_digit(s, rv_to_key(rv_load_word(s->from, (i + k) << doubled, size), s->come, size))]++;
    }
  }
  for (; i < end; i++) tables[0][rv_digit(s, rv_to_key(rv_load_word(s->from, i << doubled, size), s->come, size))]++;
  int64_t *counts = s->places + block * buckets;
  for (int64_t d = 0; d < buckets; d++) counts[d] = (int64_t)tables[0][d] + tables[1][d] + tables[2][d] + tables[3][d];
}

/* From counts to places: digits in order, of each digit the blocks in order. */
static void rv_places_of_digits(const rv_sort *s) {
  int64_t place = s->skew, buckets = (int64_t)1 << s->bits;
  for (int64_t d = 0; d < buckets; d++) {
    for (int64_t block = 0; block < s->blocks; block++) {
      int64_t at = block * buckets + d, next = place + s->places[at];
      s->places[at] = s->starts[at] = place;
      place = next;
    }
  }
}

RV_ALWAYS void rv_copy_word(void *to, int64_t to_at, const void *from, int64_t from_at, int size) {
  if (size == 16) memcpy((char *)to + to_at * 16, (const char *)from + from_at * 16, 16);
  else rv_store_word(to, to_at, rv_load_word(from, from_at, size), size);
}

/* Writes words that wait for a digit to their places from `first` on: those of its first line and of its last. */
RV_ALWAYS void rv_write_words(const rv_sort *s, void *to, const void *line, int64_t first, int64_t end, int size) {
  int64_t lanes = RV_LINE / size;
  for (int64_t i = first; i < end; i++) {
    if (s->last) rv_store_word(to, i, rv_from_key(rv_load_word(line, i & (lanes - 1), size), s->keys, size), size);
    else rv_copy_word(to, i, line, i & (lanes - 1), size);
  }
}

RV_ALWAYS void rv_write_line(const rv_sort *s, void *to, void *line, int size) {
  if (s->last) {
    for (int i = 0; i < RV_LINE / size; i++) {
      rv_store_word(line, i, rv_from_key(rv_load_word(line, i, size), s->keys, size), size);
    }
  }
  rv_stream_line(to, line);
}

/* Moves a block through lines that wait. */
RV_ALWAYS void rv_move_lines(const rv_sort *s, int64_t block, int size) {
  int64_t buckets = (int64_t)1 << s->bits, lanes = RV_LINE / size, end = rv_block_start(s, block + 1);
  int64_t *places = s->places + block * buckets, *starts = s->starts + block * buckets;
  char *waiting = s->waiting + block * buckets * RV_LINE, *to = (char *)s->to - s->skew * size;
  for (int64_t i = rv_block_start(s, block); i < end; i++) {
    if (i % lanes == 0) __builtin_prefetch((const char *)s->from + i * size + RV_AHEAD);
    uint64_t word = rv_to_key(rv_load_word(s->from, i, size), s->come, size), d = rv_digit(s, word);
    char *line = waiting + d * RV_LINE;
    int64_t place = places[d]++, at = place & (lanes - 1);
    if (size == 16) rv_copy_word(line, at, s->from, i, size);
    else rv_store_word(line, at, word, size);
    if (at != lanes - 1) continue;
    int64_t begin = place - (lanes - 1);
    if (begin >= starts[d]) rv_write_line(s, to + begin * size, line, size);
    else rv_write_words(s, to, line, starts[d], place + 1, size);
  }
  for (int64_t d = 0; d < buckets; d++) {
    int64_t begin = places[d] & ~(lanes - 1);
    rv_write_words(s, to, waiting + d * RV_LINE, begin > starts[d] ? begin : starts[d], places[d], size);
  }
  rv_stream_end();
}

/* Moves a block word by word. */
RV_ALWAYS void rv_move_words(const rv_sort *s, int64_t block, int size) {
  int64_t *places = s->places + (block << s->bits), end = rv_block_start(s, block + 1);
  for (int64_t i = rv_block_start(s, block); i < end; i++) {
    uint64_t word = rv_to_key(rv_load_word(s->from, i, size), s->come, size);
    int64_t place = places[rv_digit(s, word)]++;
    if (size == 16) rv_copy_word(s->to, place, s->from, i, size);
    else rv_store_word(s->to, place, s->last ? rv_from_key(word, s->keys, size) : word, size);
  }
}

/* Keys with the indices of their elements: in 8 bytes the key is above the index, in 16 bytes before it. */
RV_ALWAYS void rv_pair_words(const rv_sort *s, int64_t block, int key, int size) {
  int64_t end = rv_block_start(s, block + 1);
  uint64_t varying = 0, special = 0, some = rv_plain_key(rv_load_word(s->from, 0, key), s->keys, key);
  for (int64_t i = rv_block_start(s, block); i < end; i++) {
    uint64_t x = rv_load_word(s->from, i, key), bits = rv_plain_key(x, s->keys, key);
    varying |= bits ^ some;
    special |= rv_is_special(x, s->keys);
    if (size == 8) ((uint64_t *)s->to)[i] = bits << 32 | (uint64_t)i;
    else ((uint64_t *)s->to)[2 * i] = bits, ((uint64_t *)s->to)[2 * i + 1] = (uint64_t)i;
  }
  s->varying[block] = size == 8 ? varying << 32 : varying;
  s->special[block] = special != 0;
}

/* Takes pairs apart: indices, and the values that keys stand for, if they are needed and no two have the same key. */
RV_ALWAYS void rv_unpair_words(const rv_sort *s, int64_t block, int key, int size) {
  const uint64_t *words = s->from;
  int64_t end = rv_block_start(s, block + 1);
  for (int64_t i = rv_block_start(s, block); i < end; i++) {
    uint64_t bits = size == 8 ? words[i] >> 32 : words[2 * i];
    s->order[i] = size == 8 ? (int64_t)(words[i] & UINT32_MAX) : (int64_t)words[2 * i + 1];
    if (s->to) rv_store_word(s->to, i, rv_from_key(bits, s->keys, key), key);
  }
}

/* The elements in the order that was found. */
RV_ALWAYS void rv_gather(const rv_sort *s, int64_t block, int size) {
  int64_t end = rv_block_start(s, block + 1);
  for (int64_t i = rv_block_start(s, block); i < end; i++) {
    rv_store_word(s->to, i, rv_load_word(s->from, s->order[i], size), size);
  }
}

/* A step as the body of a parallel loop over blocks. */
#define RV_STEP(name, call)                                                                                           \
  RV_FUN void name(rv_thread *t, void *env, int64_t from, int64_t to) {                                               \
    /* A copy, so that the C compiler knows that stores do not change it. */                                          \
    const rv_sort copy = *(const rv_sort *)env, *s = &copy;                                                           \
    (void)t;                                                                                                          \
    for (int64_t block = from; block < to; block++) call;                                                             \
  }

RV_APART static void rv_step(rv_thread *t, rv_sort *s, rv_body body) {
  double pace = 0;
  rv_parallel(t, 0, s->blocks, (double)(s->count / s->blocks), &pace, body, s);
}

/* How words of one size are counted and moved. */
typedef struct {
  int size;
  rv_body count, move;
} rv_steps;

static int rv_digit_bits(int64_t count) { return count < 256 ? 6 : count < 1 << 16 ? 8 : RV_DIGIT; }

/* Sorts words of `from` by the bits that vary, through two buffers. Values, which the first and last pass change, end up in
   `to`. Pairs are in `to` already and end up where the last pass puts them. */
RV_COLD static void rv_radix(rv_thread *t, rv_sort *s, void *to, void *other, uint64_t varying, bool changes, rv_steps steps) {
  int low = __builtin_ctzll(varying), all = 64 - __builtin_clzll(varying) - low, most = rv_digit_bits(s->count);
  int passes = (all + most - 1) / most, bits = (all + passes - 1) / passes;
  s->streams = s->count * steps.size > RV_LONG;
  for (int pass = 0; pass < passes; pass++) {
    if (pass > 0) s->from = s->to;
    s->to = (changes ? passes - pass : pass) % 2 ? to : other;
    s->shift = low + pass * bits;
    s->bits = pass == passes - 1 ? all - pass * bits : bits;
    s->last = changes && pass == passes - 1;
    s->skew = s->streams ? (int64_t)((uintptr_t)s->to % RV_LINE) / steps.size : 0;
    s->come = changes && pass == 0 ? s->keys : (rv_keys){0};
    s->doubled = steps.size == 16;
    rv_step(t, s, steps.count);
    rv_places_of_digits(s);
    rv_step(t, s, steps.move);
  }
}

/* Memory for the tables of all blocks. */
RV_COLD static rv_block *rv_sort_tables(rv_thread *t, rv_sort *s, int size, int32_t place) {
  bool streams = s->count * size > RV_LONG;
  int64_t buckets = (int64_t)1 << rv_digit_bits(s->count), each = 2 * 8 * buckets + 16 + (streams ? buckets * RV_LINE : 0);
  rv_block *block = rv_alloc(t, s->blocks * each, 1, place);
  s->waiting = rv_data(block);
  s->places = (int64_t *)(s->waiting + (streams ? s->blocks * buckets * RV_LINE : 0));
  s->starts = s->places + s->blocks * buckets;
  s->varying = (uint64_t *)(s->starts + s->blocks * buckets);
  s->special = (bool *)(s->varying + s->blocks);
  return block;
}

/* What the blocks found. */
static uint64_t rv_surveyed(const rv_sort *s, bool *special) {
  uint64_t varying = 0;
  for (int64_t i = 0; i < s->blocks; i++) varying |= s->varying[i], *special |= s->special[i];
  return varying;
}

static rv_sort rv_new_sort(const rv_thread *t, rv_keys keys, const void *from, int64_t count) {
  int64_t threads = rv_thread_count(t), most = threads == 1 ? 1 : 4 * threads;
  int64_t blocks = count / RV_PIECE, least = (count >> 31) + 1; /* tables count up to 32 bits */
  if (blocks > most) blocks = most;
  if (blocks < least) blocks = least;
  bool wide = keys.bytes == 8 || count > UINT32_MAX;
  return (rv_sort){.from = from, .count = count, .blocks = blocks, .keys = keys, .wide = wide};
}

/* What is done with keys of one size. */
typedef struct {
  rv_body survey, pair, unpair, gather;
  rv_steps values, pairs;
} rv_methods;

/* Sorts few elements by insertion. */
RV_ALWAYS void rv_sort_few(rv_keys keys, const void *from, int64_t count, void *values, int64_t *order, int size) {
  uint64_t sorted[RV_FEW];
  int64_t indices[RV_FEW];
  for (int64_t i = 0; i < count; i++) {
    uint64_t key = rv_plain_key(rv_load_word(from, i, size), keys, size);
    int64_t at = i;
    for (; at > 0 && sorted[at - 1] > key; at--) sorted[at] = sorted[at - 1], indices[at] = indices[at - 1];
    sorted[at] = key, indices[at] = i;
  }
  for (int64_t i = 0; values && i < count; i++) rv_store_word(values, i, rv_load_word(from, indices[i], size), size);
  for (int64_t i = 0; order && i < count; i++) order[i] = indices[i];
}

/* Sorts values alone. Returns whether it did: not if some are special. */
RV_COLD static bool rv_sort_values(rv_thread *t, rv_sort *s, void *values, rv_methods methods, int32_t place) {
  int64_t bytes = s->count * methods.values.size;
  bool special = false;
  rv_block *tables = rv_sort_tables(t, s, methods.values.size, place);
  rv_step(t, s, methods.survey);
  uint64_t varying = rv_surveyed(s, &special);
  if (!special && varying) {
    rv_block *other = rv_alloc(t, s->count, methods.values.size, place);
    rv_radix(t, s, values, rv_data(other), varying, true, methods.values);
    rv_release(t, other);
  } else if (!special) {
    memcpy(values, s->from, (size_t)bytes);
  }
  rv_release(t, tables);
  return !special;
}

/* Sorts indices by the keys of their elements, and values with them if `values` is not null. */
RV_COLD static void rv_sort_pairs(rv_thread *t, rv_sort *s, void *values, int64_t *order, rv_methods methods, int32_t place) {
  const void *from = s->from;
  int64_t words = s->count * (methods.pairs.size / 8);
  bool special = false;
  rv_block *tables = rv_sort_tables(t, s, methods.pairs.size, place), *second = rv_alloc(t, words, 8, place);
  rv_block *first = s->wide ? rv_alloc(t, words, 8, place) : NULL;
  void *pairs = first ? rv_data(first) : (void *)order;
  s->to = pairs;
  rv_step(t, s, methods.pair);
  uint64_t varying = rv_surveyed(s, &special);
  s->from = pairs;
  if (varying) rv_radix(t, s, pairs, rv_data(second), varying, false, methods.pairs);
  s->from = s->to, s->to = special ? NULL : values, s->order = order;
  rv_step(t, s, methods.unpair);
  if (values && special) {
    s->from = from, s->to = values;
    rv_step(t, s, methods.gather);
  }
  rv_release(t, first);
  rv_release(t, second);
  rv_release(t, tables);
}

RV_COLD static void rv_sort_any(rv_thread *t, rv_keys keys, const void *from, int64_t count, void *values, int64_t *order,
                        rv_methods methods, int32_t place) {
  rv_sort s = rv_new_sort(t, keys, from, count);
  if (!order && rv_sort_values(t, &s, values, methods, place)) return;
  rv_block *indices = order ? NULL : rv_alloc(t, count, 8, place);
  rv_sort_pairs(t, &s, values, order ? order : rv_data(indices), methods, place);
  rv_release(t, indices);
}

#define RV_COUNT(size) RV_STEP(rv_count_##size, rv_count_digits(s, block, size))
#define RV_MOVE(size)                                                                                                 \
  RV_STEP(rv_move_##size, if (s->streams) rv_move_lines(s, block, size); else rv_move_words(s, block, size))

#define RV_SORT_HEAD(size)                                                                                            \
  void rv_sort_##size(rv_thread *t, int prim, bool descending, const void *from, int64_t count, void *values,         \
                      int64_t *order, int32_t place)

/* Sorting by keys of one size: the values, and the indices that elements had in the source, unless they are null. */
#define RV_SORT(size)                                                                                                 \
  RV_STEP(rv_survey_##size, rv_survey_words_##size(s, block))                                                         \
  RV_STEP(rv_pair_##size, rv_pair_words(s, block, size, size == 8 || s->wide ? 16 : 8))                               \
  RV_STEP(rv_unpair_##size, rv_unpair_words(s, block, size, size == 8 || s->wide ? 16 : 8))                           \
  RV_STEP(rv_gather_##size, rv_gather(s, block, size))                                                                \
  RV_SORT_HEAD(size) {                                                                                                \
    rv_keys keys = rv_keys_of[prim];                                                                                  \
    if (descending) keys.flip ^= keys.sign | (keys.sign - 1);                                                         \
    if (count <= RV_FEW) {                                                                                            \
      rv_sort_few(keys, from, count, values, order, size);                                                            \
      return;                                                                                                         \
    }                                                                                                                 \
    rv_steps of_values = {size, rv_count_##size, rv_move_##size};                                                     \
    rv_steps narrow = {8, rv_count_8, rv_move_8}, wide = {16, rv_count_8, rv_move_16};                                \
    bool is_wide = size == 8 || count > UINT32_MAX;                                                                   \
    rv_sort_any(t, keys, from, count, values, order,                                                                  \
                (rv_methods){rv_survey_##size, rv_pair_##size, rv_unpair_##size, rv_gather_##size, of_values,         \
                             is_wide ? wide : narrow}, place);                                                        \
  }
