/* Results as text, in binary and as .npy; write_npz.h has archives. */
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
    rv_cannot_write(w, which, "%s has no %s form; write it as %s", other[form->kind], kind,
                    strcmp(kind, ".npy") == 0 ? ".npz or text" : "text");
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
  /* In pieces, so that a large array is not in memory twice. */
  for (size_t at = 0; at < size; at += 1 << 16) rv_append(out, data + at, size - at < 1 << 16 ? size - at : 1 << 16);
}

/* Writes all results, one after the other. */
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

/* The part of an .npy file before the elements. */
static void rv_npy_head(rv_text *out, int prim, bool complex, int rank, const int64_t *shape) {
  static const char kinds[] = "biiiiuuuufff";
  char part[32], order = rv_sizes[prim] == 1 ? '|' : '<';
  rv_text text = {0};
  snprintf(part, sizeof part, "{'descr': '%c%c%d'", order, complex ? 'c' : kinds[prim], rv_sizes[prim] * (complex ? 2 : 1));
  rv_words(&text, part);
  rv_words(&text, ", 'fortran_order': False, 'shape': (");
  for (int i = 0; i < rank; i++) {
    if (i > 0) rv_words(&text, ", ");
    rv_number(&text, shape[i]);
  }
  rv_words(&text, rank == 1 ? ",), }" : "), }");
  /* Ten bytes come before, and the elements begin at a multiple of 64. */
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

/* Opens a file; no path is standard output. */
static rv_output rv_create(const rv_writing *w, const char *path) {
  rv_output out = {w, path ? path : "standard output", path ? fopen(path, "wb") : stdout};
  if (!out.file) rv_cannot_write(w, path, "%s", rv_reason());
  return out;
}

static void rv_put(const rv_output *out, const void *data, size_t size) {
  if (size > 0 && fwrite(data, 1, size, out->file) != size) rv_cannot_write(out->writing, out->path, "%s", rv_reason());
}

static void rv_close(const rv_output *out) {
  bool failed = ferror(out->file);
  int closed = out->file == stdout ? fflush(stdout) : fclose(out->file);
  if (closed != 0 || failed) rv_cannot_write(out->writing, out->path, "%s", rv_reason());
}

/* Whether a form is that of complex numbers: two floats of one type, as a pair or as a record of `re` and `im`. Gives the real
   and the imaginary part. */
static bool rv_complex(const rv_form *form, const rv_form **re, const rv_form **im) {
  if ((form->kind != RV_TUPLE && form->kind != RV_RECORD) || form->count != 2) return false;
  bool turned = form->kind == RV_RECORD && strcmp(form->names[0], "im") == 0;
  *re = &form->parts[turned];
  *im = &form->parts[!turned];
  if (form->kind == RV_RECORD && (strcmp(form->names[turned], "re") != 0 || strcmp(form->names[!turned], "im") != 0)) return false;
  return (*re)->kind == RV_SCALAR && (*im)->kind == RV_SCALAR && (*re)->prim == (*im)->prim && (*re)->prim >= RV_F32;
}

/* Complex numbers, each with its two parts adjacent; the caller frees them. */
static char *rv_interleaved(const rv_writing *w, const rv_form *re, const rv_form *im, bool scalar, int64_t count) {
  size_t size = (size_t)rv_sizes[re->prim];
  const rv_value *first = &w->values[re->first], *second = &w->values[im->first];
  const char *real = scalar ? (const char *)&first->bits : first->data, *imaginary = scalar ? (const char *)&second->bits : second->data;
  char *out = malloc((size_t)count * 2 * size + 1);
  if (!out) rv_cannot_write(w, "results", "there is not enough memory");
  for (size_t i = 0; i < (size_t)count; i++) {
    memcpy(out + 2 * i * size, real + i * size, size);
    memcpy(out + (2 * i + 1) * size, imaginary + i * size, size);
  }
  return out;
}

/* The dimensions of a result that is a complex number or a regular array of them; -1 for anything else. */
static int rv_complex_shape(const rv_writing *w, const rv_form *form, int64_t *shape, int64_t *count) {
  const rv_form *re, *im;
  rv_level levels[RV_DEEPEST];
  if (!rv_complex(rv_element_form(form), &re, &im)) return -1;
  int rank = form->kind == RV_ARRAY ? rv_levels(form, w->values, levels) : 0;
  *count = 1;
  for (int i = 0; i < rank; i++) {
    if (levels[i].offsets) return -1;
    shape[i] = levels[i].extent;
    *count *= shape[i];
  }
  return rank;
}

/* The bytes of an .npy file after its head; sets the memory that is to be freed. */
static const char *rv_npy_body(const rv_writing *w, int number, rv_text *head, size_t *size, char **own) {
  const rv_form *form = &w->forms[number], *re, *im;
  rv_level levels[RV_DEEPEST];
  int64_t shape[RV_DEEPEST], count;
  int rank = rv_complex_shape(w, form, shape, &count);
  if (rank >= 0) {
    rv_complex(rv_element_form(form), &re, &im);
    rv_npy_head(head, re->prim, true, rank, shape);
    *size = (size_t)count * 2 * (size_t)rv_sizes[re->prim];
    return *own = rv_interleaved(w, re, im, form->kind != RV_ARRAY, count);
  }
  rank = rv_plain(w, number, ".npy", levels, NULL);
  for (int i = 0; i < rank; i++) shape[i] = levels[i].extent;
  rv_npy_head(head, rv_element_form(form)->prim, false, rank, shape);
  return rv_elements(w, form, levels, rank, size);
}

static void rv_write_npy(const rv_writing *w, int number, const char *path) {
  size_t size;
  rv_text head = {0};
  char *own = NULL;
  const char *data = rv_npy_body(w, number, &head, &size, &own);
  rv_output out = rv_create(w, path);
  rv_put(&out, head.text, head.length);
  rv_put(&out, data, size);
  rv_close(&out);
  free(head.text);
  free(own);
}
