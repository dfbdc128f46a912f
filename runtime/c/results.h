/* Results: to standard output and to files, as text, in binary, as .npy and as .npz. */
typedef struct {
  const char *program;
  const rv_form *forms;
  const rv_value *values;
  int count;
} rv_writing;

RV_COLD __attribute__((format(printf, 3, 4))) static _Noreturn void rv_cannot_write(const rv_writing *w, const char *what,
                                                                                     const char *message, ...) {
  va_list args;
  va_start(args, message);
  fflush(stdout);
  fprintf(stderr, "%s: %s: ", w->program, what);
  vfprintf(stderr, message, args);
  fputc('\n', stderr);
  exit(1);
}

/* The dimensions of a result that is a scalar or an array of scalars; ends with a message if it is something else, or is
   jagged and must not be. */
static int rv_plain(const rv_writing *w, int number, const char *kind, rv_level *levels, bool *jagged) {
  static const char *const other[] = {"", "an array of anything but scalars", "a tuple", "a record", "a constructor"};
  const rv_form *form = &w->forms[number];
  char which[32];
  snprintf(which, sizeof which, "result %d", number);
  if (form->kind > RV_ARRAY || (form->kind == RV_ARRAY && form->parts->kind != RV_SCALAR))
    rv_cannot_write(w, which, "%s has no %s form; write it as text", other[form->kind], kind);
  int rank = form->kind == RV_ARRAY ? rv_levels(form, w->values, levels) : 0;
  bool found = false;
  for (int i = 0; i < rank; i++) found |= levels[i].offsets != NULL;
  if (jagged) *jagged = found;
  if (jagged || !found) return rank;
  rv_text type = {0};
  for (int i = 0; i < rank; i++) rv_words(&type, levels[i].offsets ? "[~]" : "[]");
  rv_words(&type, rv_prim_name(form->parts->prim));
  rv_cannot_write(w, which, "a jagged array (%s) has no %s form; write it as .npz, text or binary", type.text, kind);
}

static const rv_form *rv_element_form(const rv_form *form) { return form->kind == RV_ARRAY ? form->parts : form; }

/* The elements of a result, and how many bytes they take. */
static const char *rv_elements(const rv_writing *w, const rv_form *form, const rv_level *levels, int rank, size_t *size) {
  int64_t rows = 1;
  const rv_form *element = rv_element_form(form);
  const rv_value *value = &w->values[element->first];
  for (int i = 0; i < rank; i++) rows = rv_row_begin(&levels[i], rows);
  *size = (size_t)(rows * rv_sizes[element->prim]);
  return form->kind == RV_ARRAY ? value->data : (const char *)&value->bits;
}

static void rv_write_binary(rv_text *out, const rv_writing *w, int number) {
  rv_level levels[RV_DEEPEST];
  bool jagged;
  int rank = rv_plain(w, number, "binary", levels, &jagged);
  char head[8];
  int64_t rows = 1;
  snprintf(head, sizeof head, "b%c%c%4s", jagged ? 'J' : 2, rank, rv_prim_name(rv_element_form(&w->forms[number])->prim));
  rv_append(out, head, 7);
  for (int i = 0; i < rank; i++) {
    if (jagged) rv_append(out, levels[i].offsets ? "\1" : "", 1);
    if (levels[i].offsets) rv_append(out, (const char *)levels[i].offsets, (size_t)(rows + 1) * 8);
    else rv_append(out, (const char *)&levels[i].extent, 8);
    rows = rv_row_begin(&levels[i], rows);
  }
  size_t size;
  const char *data = rv_elements(w, &w->forms[number], levels, rank, &size);
  /* In pieces, so that a large array is not held twice. */
  for (size_t at = 0; at < size; at += 1 << 16) rv_append(out, data + at, size - at < 1 << 16 ? size - at : 1 << 16);
}

/* All results, one behind the other. */
static void rv_write_all(const rv_writing *w, FILE *file, bool binary) {
  rv_text text = {.file = file};
  for (int i = 0; i < w->count; i++) {
    if (binary) {
      rv_write_binary(&text, w, i);
      continue;
    }
    rv_write(&text, &w->forms[i], w->values, 0, false);
    rv_words(&text, "\n");
  }
  rv_flush(&text);
  free(text.text);
}

/* What stands in an .npy file before the elements. */
static void rv_npy_head(rv_text *out, int prim, int rank, const int64_t *shape) {
  static const char kinds[] = "biiiiuuuufff";
  char part[32];
  rv_text text = {0};
  snprintf(part, sizeof part, "{'descr': '%c%c%d'", rv_sizes[prim] == 1 ? '|' : '<', kinds[prim], rv_sizes[prim]);
  rv_words(&text, part);
  rv_words(&text, ", 'fortran_order': False, 'shape': (");
  for (int i = 0; i < rank; i++) {
    if (i > 0) rv_words(&text, ", ");
    rv_number(&text, shape[i]);
  }
  rv_words(&text, rank == 1 ? ",), }" : "), }");
  /* Ten bytes stand before, and the elements begin at a multiple of 64. */
  while ((text.length + 11) % 64 != 0) rv_words(&text, " ");
  rv_words(&text, "\n");
  char length[2] = {(char)(text.length & 255), (char)(text.length >> 8)};
  rv_append(out, "\x93NUMPY\1\0", 8);
  rv_append(out, length, 2);
  rv_append(out, text.text, text.length);
  free(text.text);
}

/* A file that is being written, or a part of an archive. */
typedef struct {
  const rv_writing *writing;
  const char *path;
  FILE *file;
} rv_output;

static rv_output rv_create(const rv_writing *w, const char *path) {
  rv_output out = {w, path, fopen(path, "wb")};
  if (!out.file) rv_cannot_write(w, path, "%s", rv_reason());
  return out;
}

static void rv_put(const rv_output *out, const void *data, size_t size) {
  if (size > 0 && fwrite(data, 1, size, out->file) != size) rv_cannot_write(out->writing, out->path, "%s", rv_reason());
}

static void rv_close(const rv_output *out) {
  bool failed = ferror(out->file);
  if (fclose(out->file) != 0 || failed) rv_cannot_write(out->writing, out->path, "%s", rv_reason());
}

static void rv_write_npy(const rv_writing *w, int number, const char *path) {
  rv_level levels[RV_DEEPEST];
  int64_t shape[RV_DEEPEST];
  int rank = rv_plain(w, number, ".npy", levels, NULL);
  size_t size;
  rv_text head = {0};
  for (int i = 0; i < rank; i++) shape[i] = levels[i].extent;
  rv_npy_head(&head, rv_element_form(&w->forms[number])->prim, rank, shape);
  const char *data = rv_elements(w, &w->forms[number], levels, rank, &size);
  rv_output out = rv_create(w, path);
  rv_put(&out, head.text, head.length);
  rv_put(&out, data, size);
  rv_close(&out);
  free(head.text);
}

/* A member of an archive: the head of its .npy file, and the elements. */
typedef struct {
  char name[32];
  rv_text head;
  const void *data;
  size_t size;
} rv_packing;

static void rv_pack(rv_packing *member, const char *name, int prim, int rank, const int64_t *shape, const void *data, size_t size) {
  snprintf(member->name, sizeof member->name, "%s.npy", name);
  rv_npy_head(&member->head, prim, rank, shape);
  member->data = data;
  member->size = size;
}

/* The members of a result: a shape where it is needed, the offsets of jagged dimensions, the elements. `shape` is kept by the
   caller; gives how many members there are. */
static int rv_npz_members(const rv_writing *w, int number, rv_packing *members, int64_t *shape) {
  rv_level levels[RV_DEEPEST];
  bool jagged, between = false;
  int rank = rv_plain(w, number, ".npz", levels, &jagged), last = 0, count = 0;
  int64_t rows[RV_DEEPEST + 1] = {1};
  for (int i = 0; i < rank; i++) {
    shape[i] = levels[i].offsets ? -1 : levels[i].extent;
    rows[i + 1] = rv_row_begin(&levels[i], rows[i]);
    if (levels[i].offsets) last = i;
  }
  for (int i = 1; i < last; i++) between |= !levels[i].offsets;
  if (between) rv_pack(&members[count++], "shape", RV_I64, 1, (int64_t[]){rank}, shape, (size_t)rank * 8);
  for (int i = 0; i <= last && jagged; i++) {
    char name[24];
    snprintf(name, sizeof name, "offsets%d", i);
    if (levels[i].offsets) rv_pack(&members[count++], name, RV_I64, 1, (int64_t[]){rows[i] + 1}, levels[i].offsets, (size_t)(rows[i] + 1) * 8);
  }
  int64_t below[RV_DEEPEST + 1] = {rows[last + 1]};
  for (int i = last + 1; i < rank && jagged; i++) below[i - last] = shape[i];
  size_t size;
  const char *data = rv_elements(w, &w->forms[number], levels, rank, &size);
  int prim = rv_element_form(&w->forms[number])->prim;
  rv_pack(&members[count++], "data", prim, jagged ? rank - last : rank, jagged ? below : shape, data, size);
  return count;
}

static void rv_put_number(rv_text *out, uint64_t number, int bytes) {
  char low[8];
  memcpy(low, &number, sizeof low);
  rv_append(out, low, (size_t)bytes);
}

/* An entry in the list of members, or without its start the header of a member. */
static void rv_zip_entry(rv_text *out, const rv_packing *member, uint32_t sum, const uint64_t *start) {
  size_t size = member->head.length + member->size;
  rv_append(out, start ? "PK\1\2\x14" : "PK\3\4", start ? 6 : 4);
  /* Version, flags, method; time, and 1 January 1980, the first day there is. */
  rv_append(out, "\x14\0\0\0\0\0\0\0\x21", 10);
  rv_put_number(out, sum, 4);
  rv_put_number(out, size, 4);
  rv_put_number(out, size, 4);
  rv_put_number(out, strlen(member->name), 2);
  rv_put_number(out, 0, 2);
  /* No comment, first disk, no attributes. */
  if (start) rv_put_number(out, 0, 8), rv_put_number(out, 0, 2), rv_put_number(out, *start, 4);
  rv_words(out, member->name);
}

static void rv_write_npz(const rv_writing *w, int number, const char *path) {
  rv_packing *members = calloc(RV_DEEPEST + 2, sizeof *members);
  int64_t shape[RV_DEEPEST];
  if (!members) rv_cannot_write(w, path, "there is not enough memory");
  int count = rv_npz_members(w, number, members, shape);
  uint64_t at = 0;
  for (int i = 0; i < count; i++) at += 30 + strlen(members[i].name) + members[i].head.length + members[i].size;
  char which[32];
  snprintf(which, sizeof which, "result %d", number);
  if (at >= UINT32_MAX) rv_cannot_write(w, which, "an .npz file holds at most 4 GiB; write it as binary");
  rv_text list = {0}, local = {0};
  rv_output out = rv_create(w, path);
  at = 0;
  for (int i = 0; i < count; i++) {
    rv_packing *member = &members[i];
    uint32_t sum = rv_checksum(rv_checksum(0, member->head.text, member->head.length), member->data, member->size);
    local.length = 0;
    rv_zip_entry(&local, member, sum, NULL);
    rv_zip_entry(&list, member, sum, &at);
    rv_put(&out, local.text, local.length);
    rv_put(&out, member->head.text, member->head.length);
    rv_put(&out, member->data, member->size);
    at += local.length + member->head.length + member->size;
    free(member->head.text);
  }
  size_t length = list.length;
  rv_append(&list, "PK\5\6\0\0\0", 8);
  rv_put_number(&list, (uint64_t)count, 2);
  rv_put_number(&list, (uint64_t)count, 2);
  rv_put_number(&list, length, 4);
  rv_put_number(&list, at, 4);
  rv_put_number(&list, 0, 2);
  rv_put(&out, list.text, list.length);
  rv_close(&out);
  free(list.text);
  free(local.text);
  free(members);
}

/* Writes the results to a file: .npy, .npz, .txt, or binary for any other ending. NumPy's files hold one array, so of
   several results `x.npy` becomes `x_0.npy`, `x_1.npy` and so on. */
RV_COLD static void rv_write_file(const rv_writing *w, const char *path) {
  size_t name = strlen(path), stem = name;
  bool npz = rv_ends_in(path, &stem, ".npz");
  if (npz || rv_ends_in(path, &stem, ".npy")) {
    char *own = malloc(name + 16);
    if (!own) rv_cannot_write(w, path, "there is not enough memory");
    for (int i = 0; i < w->count; i++) {
      if (w->count == 1) snprintf(own, name + 16, "%s", path);
      else snprintf(own, name + 16, "%.*s_%d%s", (int)stem, path, i, path + stem);
      if (npz) rv_write_npz(w, i, own);
      else rv_write_npy(w, i, own);
    }
    free(own);
    return;
  }
  bool binary = !rv_ends_in(path, &stem, ".txt"), jagged;
  rv_level levels[RV_DEEPEST];
  for (int i = 0; binary && i < w->count; i++) rv_plain(w, i, "binary", levels, &jagged);
  rv_output out = rv_create(w, path);
  rv_write_all(w, out.file, binary);
  if (fflush(out.file) != 0) rv_cannot_write(w, path, "%s", rv_reason());
  rv_close(&out);
}
