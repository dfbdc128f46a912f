/* The implementation of a library's functions: contexts with the message of the last failure, and array objects. The
   compiler writes functions with the proper types that call these. */
typedef struct {
  rv_context *context;
  char *error; /* of the last call, or null */
} rv_host;

/* A dimension of an array object. */
typedef struct {
  int64_t extent;        /* -1 if it is jagged */
  const int64_t *numbers; /* the offsets of a jagged dimension */
  rv_block *block;
} rv_side;

typedef struct {
  void *data;
  rv_block *block; /* null if the elements belong to the caller */
  int64_t count;   /* elements */
  int64_t rank;
  int64_t *shape;  /* as numbers, -1 for jagged dimensions */
  rv_side *sides;
  bool constant;   /* whether the elements must not be written to */
  bool overwritten; /* by a call: it no longer has elements, and can only be freed */
} rv_array;

/* Where the elements of an array object are: in memory of its own; in the caller's; there, and not to be changed. */
enum { RV_COPIED, RV_WRAPPED, RV_VIEWED };

/* An argument that an entry point overwrites. */
typedef struct {
  rv_array *array;
  const char *name;
  int component;
  int64_t size; /* of an element */
} rv_changed;

RV_COLD RV_FUN rv_host *rv_host_new(int64_t threads, int64_t memory_limit) {
  rv_host *host = calloc(1, sizeof *host);
  if (!host) return NULL;
  host->context = rv_context_new(threads, memory_limit);
  if (!host->context) {
    free(host);
    return NULL;
  }
  rv_listen(host->context);
  return host;
}

RV_COLD RV_FUN void rv_host_free(rv_host *host) {
  if (!host) return;
  rv_context_free(host->context);
  free(host->error);
  free(host);
}

/* Stores why a function failed. */
RV_COLD RV_FUN int rv_host_fail(rv_host *host, const char *argument, const char *words) {
  rv_text text = {0};
  if (!host) return 1;
  if (argument) rv_words(&text, argument), rv_words(&text, ": ");
  rv_words(&text, words);
  rv_words(&text, "\n");
  free(host->error);
  host->error = text.text;
  return 1;
}

static rv_block *rv_share_result(rv_block *block) {
  if (block) block->count++;
  return block;
}

/* Allocates memory for a context. */
static rv_block *rv_host_block(rv_host *host, int64_t bytes) {
  rv_thread *t = &host->context->threads[0];
  rv_block *block = rv_find_block(t, bytes);
  if (block) *block = (rv_block){.count = 1, .size = block->size}, host->context->given++;
  return block;
}

RV_COLD RV_FUN void rv_array_free(rv_host *host, rv_array *array) {
  if (!array) return;
  rv_drop(host->context, array->block);
  for (int64_t i = 0; i < array->rank; i++) rv_drop(host->context, array->sides[i].block);
  free(array->sides);
  free(array->shape);
  free(array);
}

/* An array object without elements. */
static rv_array *rv_array_start(rv_host *host, int64_t rank) {
  rv_array *array = calloc(1, sizeof *array);
  if (array) {
    array->rank = rank;
    array->shape = calloc((size_t)rank + 1, sizeof *array->shape);
    array->sides = calloc((size_t)rank + 1, sizeof *array->sides);
  }
  if (array && array->shape && array->sides) return array;
  if (array) array->rank = 0;
  rv_array_free(host, array);
  rv_host_fail(host, NULL, "there is not enough memory");
  return NULL;
}

/* How many rows the next dimension has, or elements the array; -1 if the dimensions are invalid. */
static int64_t rv_rows_below(int64_t rows, const rv_side *side) {
  if (!side->numbers) return side->extent < 0 || __builtin_mul_overflow(rows, side->extent, &rows) ? -1 : rows;
  if (side->numbers[0] != 0) return -1;
  for (int64_t i = 0; i < rows; i++)
    if (side->numbers[i + 1] < side->numbers[i]) return -1;
  return side->numbers[rows];
}

static bool rv_own(rv_host *host, const void *data, int64_t bytes, void **own, rv_block **block) {
  *own = rv_nothing;
  if (bytes == 0) return true;
  if (!(*block = rv_host_block(host, bytes))) return false;
  *own = rv_data(*block);
  memcpy(*own, data, (size_t)bytes);
  return true;
}

/* An array object with these elements: theirs, or a copy of them. `sides` says what the caller knows of each dimension. */
RV_FUN rv_array *rv_array_new(rv_host *host, const void *data, int64_t size, int64_t rank, const rv_side *sides, int how) {
  rv_array *array = host ? rv_array_start(host, rank) : NULL;
  int64_t rows = 1;
  bool room = true, copy = how == RV_COPIED;
  if (!array) return NULL;
  array->constant = how == RV_VIEWED;
  for (int64_t i = 0; i < rank && rows >= 0; i++) {
    int64_t before = rows;
    rv_side *own = &array->sides[i];
    *own = (rv_side){.extent = sides[i].numbers ? -1 : sides[i].extent, .numbers = sides[i].numbers};
    array->shape[i] = own->extent;
    rows = rv_rows_below(rows, own);
    if (rows >= 0 && copy && own->numbers) {
      void *offsets;
      room = room && rv_own(host, own->numbers, (before + 1) * 8, &offsets, &own->block);
      if (room) own->numbers = offsets;
    }
  }
  if (rows < 0 || rows > INT64_MAX / 2 / size || (rows > 0 && !data)) {
    rv_host_fail(host, NULL, rows < 0      ? "extents must not be negative, and offsets must begin with 0 and never decrease"
                             : rows > 0 && data ? "these extents are too large"
                                                : "an array with elements needs a pointer to them");
    rv_array_free(host, array);
    return NULL;
  }
  array->count = rows;
  array->data = rows > 0 ? (void *)(uintptr_t)data : (void *)rv_nothing;
  if (room && copy) room = rv_own(host, data, rows * size, &array->data, &array->block);
  if (room) return array;
  rv_array_free(host, array);
  rv_host_fail(host, NULL, "there is not enough memory");
  return NULL;
}

/* Sets a dimension of an argument. Arrays that share a dimension must agree: `known` says that another array has set it. */
RV_FUN bool rv_side_in(rv_host *host, const char *name, const rv_array *array, int64_t dim, rv_value *in, bool known) {
  const rv_side *side = &array->sides[dim];
  if (!known) {
    *in = (rv_value){.data = (void *)(uintptr_t)side->numbers, .block = side->block, .bits = (uint64_t)side->extent};
    return true;
  }
  bool same = side->numbers ? true : in->bits == (uint64_t)side->extent;
  const int64_t *other = in->data;
  int64_t rows = 1;
  for (int64_t i = 0; side->numbers && i < dim; i++) rows = rv_rows_below(rows, &array->sides[i]);
  for (int64_t i = 0; side->numbers && same && i <= rows; i++) same = side->numbers[i] == other[i];
  if (!same) rv_host_fail(host, name, "the arrays that belong together differ in shape");
  return same;
}

/* The shape of an argument of unknown rank, without its last dimensions, which are counted separately. */
RV_FUN bool rv_shape_in(rv_host *host, const char *name, const rv_array *array, int64_t first, int64_t behind, rv_value *in,
                        bool known) {
  int64_t rank = array->rank - first - behind;
  bool same = rank >= 0 && (!known || in[0].bits == (uint64_t)rank);
  for (int64_t i = 0; known && same && i < rank; i++) same = ((const int64_t *)in[1].data)[i] == array->shape[first + i];
  if (!same) {
    rv_host_fail(host, name, "the arrays that belong together differ in shape");
    return false;
  }
  in[0].bits = (uint64_t)rank;
  in[1].data = array->shape + first;
  return true;
}

/* Whether an array object can be an argument. */
RV_FUN bool rv_usable(rv_host *host, const char *name, const rv_array *array) {
  const char *wrong = !array ? "this pointer is null" : array->overwritten ? "this array was overwritten by an earlier call" : NULL;
  if (wrong) rv_host_fail(host, name, wrong);
  return !wrong;
}

/* Frees copies of arguments, from the first on. */
static void rv_drop_copies(rv_host *host, const rv_value *in, const rv_changed *changed, int count) {
  for (int i = 0; i < count; i++)
    if (changed[i].array->constant) rv_drop(host->context, in[changed[i].component].block);
}

/* Removes the elements from arrays that a call has overwritten, even if it failed: results may own them now. */
static void rv_take_changed(rv_host *host, const rv_changed *changed, int count) {
  for (int i = 0; i < count; i++) {
    rv_array *array = changed[i].array;
    if (array->constant) continue;
    rv_drop(host->context, array->block);
    array->overwritten = true;
    array->block = NULL;
    array->data = NULL;
  }
}

/* An argument that is overwritten must not be passed twice. It is copied first if it must not be written to. */
static bool rv_ready_to_change(rv_host *host, rv_value *in, int in_count, const rv_changed *changed, int count) {
  for (int i = 0; i < count; i++) {
    rv_value *own = &in[changed[i].component];
    for (int k = 0; changed[i].array->count > 0 && k < in_count; k++) {
      if (&in[k] == own || in[k].data != own->data) continue;
      rv_drop_copies(host, in, changed, i);
      rv_host_fail(host, changed[i].name, "this array is overwritten, but it is given twice");
      return false;
    }
    if (!changed[i].array->constant) continue;
    if (rv_own(host, own->data, changed[i].array->count * changed[i].size, &own->data, &own->block)) continue;
    rv_drop_copies(host, in, changed, i);
    rv_host_fail(host, changed[i].name, "there is not enough memory for a copy");
    return false;
  }
  return true;
}

/* Calls an entry point. A result may be an argument that was overwritten: it then has the argument's memory. */
RV_FUN int rv_host_call(rv_host *host, int32_t entry, rv_value *in, int in_count, rv_value *out, int out_count,
                        const rv_changed *changed, int changed_count) {
  free(host->error);
  host->error = NULL;
  if (!rv_ready_to_change(host, in, in_count, changed, changed_count)) return 1;
  int failed = rv_call(host->context, entry, in, out);
  if (failed) host->error = rv_failure_text(host->context);
  for (int i = 0; !failed && i < out_count; i++)
    for (int k = 0; k < in_count && out[i].data && !out[i].block; k++)
      if (in[k].data == out[i].data) out[i].block = rv_share_result(in[k].block);
  rv_drop_copies(host, in, changed, changed_count);
  rv_take_changed(host, changed, changed_count);
  return failed;
}

/* An array object for a result with these components; null if there is no memory. */
RV_FUN rv_array *rv_array_out(rv_host *host, const rv_value *out, int data, const char *dims, const int *components) {
  int64_t rank = 0, rows = 1;
  for (int i = 0; dims[i]; i++) rank += dims[i] == '.' ? (int64_t)out[components[i] - 1].bits : 1;
  rv_array *array = rv_array_start(host, rank);
  if (!array) return NULL;
  rv_side *side = array->sides;
  for (int i = 0; dims[i]; i++) {
    const rv_value *from = &out[components[i]];
    if (dims[i] == 'n') *side++ = (rv_side){.extent = (int64_t)from->bits};
    if (dims[i] == '~') *side++ = (rv_side){.extent = -1, .numbers = from->data, .block = rv_share_result(from->block)};
    for (int64_t k = 0; dims[i] == '.' && k < (int64_t)from[-1].bits; k++)
      *side++ = (rv_side){.extent = ((const int64_t *)from->data)[k]};
  }
  for (int64_t i = 0; i < rank; i++) {
    array->shape[i] = array->sides[i].extent;
    rows = array->sides[i].numbers ? array->sides[i].numbers[rows] : rows * array->sides[i].extent;
  }
  array->count = rows;
  array->data = out[data].data;
  array->block = rv_share_result(out[data].block);
  return array;
}

/* Releases the call's references to its results, which the array objects refer to now. */
RV_FUN void rv_host_done(rv_host *host, rv_value *out, int count) {
  for (int i = 0; i < count; i++) rv_drop(host->context, out[i].block);
}
