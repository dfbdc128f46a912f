/* Values in Futhark's binary format and its extension by jagged dimensions. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "binary values are read and written by machines that keep the lowest byte first"
#endif

/* Whether a binary value starts here, of whatever version: no text has `b` before a control character. */
static bool rv_is_binary(const rv_reader *r) {
  if (r->length - r->at < 2 || r->bytes[r->at] != 'b') return false;
  char version = r->bytes[r->at + 1];
  bool blank = version == '\t' || version == '\n' || version == '\f' || version == '\r';
  return version == 'J' || version == 127 || (version >= 0 && version < ' ' && !blank);
}

static const char *rv_take(rv_reader *r, int64_t count, int64_t size, const char *what) {
  size_t left = r->length - r->at;
  if (count > INT64_MAX / size || (uint64_t)(count * size) > left)
    rv_wrong_byte(r, r->at, "%s should take %lld times %lld bytes, but only %llu are left", what, (long long)count,
                  (long long)size, (unsigned long long)left);
  r->at += (size_t)(count * size);
  return r->bytes + r->at - count * size;
}

static int64_t rv_take_extent(rv_reader *r) {
  uint64_t extent;
  memcpy(&extent, rv_take(r, 1, 8, "an extent"), sizeof extent);
  if (extent > INT64_MAX) rv_wrong_byte(r, r->at - 8, "an extent is %llu, which is too large", (unsigned long long)extent);
  return (int64_t)extent;
}

/* A dimension as the file has it: an extent, or a copy of the offsets, which must be in order. */
typedef struct {
  int64_t extent, rows;
  int64_t *offsets;
} rv_found;

static rv_found rv_take_dim(rv_reader *r, bool jagged, int64_t rows) {
  size_t start = r->at;
  char kind = jagged ? *rv_take(r, 1, 1, "the kind of a dimension") : 0;
  if (kind == 0) return (rv_found){rv_take_extent(r), rows, NULL};
  if (kind != 1) rv_wrong_byte(r, start, "%d is not a kind of dimension, which is 0 or 1", (unsigned char)kind);
  if (rows == INT64_MAX) rv_wrong_byte(r, start, "offsets for %lld rows are too many", (long long)rows);
  const char *bytes = rv_take(r, rows + 1, 8, "the offsets of a jagged dimension");
  int64_t *offsets = malloc((size_t)(rows + 1) * 8);
  if (!offsets) rv_wrong_byte(r, start, "there is not enough memory for %lld rows", (long long)rows);
  memcpy(offsets, bytes, (size_t)(rows + 1) * 8);
  if (offsets[0] != 0) rv_wrong_byte(r, start, "the first offset is %lld and not 0", (long long)offsets[0]);
  for (int64_t i = 0; i < rows; i++)
    if (offsets[i + 1] < offsets[i]) rv_wrong_byte(r, start, "the offsets of row %lld decrease", (long long)i);
  return (rv_found){0, rows, offsets};
}

/* Puts a dimension where the form wants it: regular ones fit jagged ones, and back if their rows agree. */
static void rv_fit_dim(rv_reader *r, size_t start, rv_found dim, int level, const rv_reading *to) {
  if (to->jagged) {
    if (!dim.offsets && dim.rows > 1 << 24 && (uint64_t)dim.rows > r->length)
      rv_wrong_byte(r, start, "%lld rows without elements are too many for a jagged array", (long long)dim.rows);
    for (int64_t i = 0; i < dim.rows; i++)
      rv_push_row(r, to->column, dim.offsets ? dim.offsets[i + 1] - dim.offsets[i] : dim.extent);
    return;
  }
  int64_t first = dim.offsets ? (dim.rows > 0 ? dim.offsets[1] : 0) : dim.extent;
  for (int64_t i = 1; dim.offsets && i < dim.rows; i++) {
    int64_t other = dim.offsets[i + 1] - dim.offsets[i];
    if (other != first)
      rv_wrong_byte(r, start,
                    "rows of dimension %d must all have the same length, but row 0 has %lld elements and row %lld has %lld",
                    level, (long long)first, (long long)i, (long long)other);
  }
  to->column->count = first;
}

RV_COLD static _Noreturn void rv_other_type(rv_reader *r, const rv_form *form, size_t start, const rv_found *dims, int rank,
                                            int prim) {
  rv_text text = {0};
  rv_words(&text, "a value of type ");
  rv_type(&text, form, 0);
  rv_words(&text, " is expected, but this one is ");
  for (int i = 0; i < rank; i++) rv_words(&text, dims[i].offsets ? "[~]" : "[]");
  rv_words(&text, rv_prim_name(prim));
  rv_wrong_byte(r, start, "%s", text.text);
}

static int rv_take_prim(rv_reader *r) {
  char name[5] = {0};
  memcpy(name, rv_take(r, 4, 1, "the type"), 4);
  int prim = rv_prim_of(name + strspn(name, " "));
  if (prim < 0) rv_wrong_byte(r, r->at - 4, "\"%.4s\" is not a type of the binary format", name);
  return prim;
}

/* The dimensions of the expected form, if the value has as many. */
static int rv_wanted(rv_reader *r, const rv_form *form, int rank, rv_reading *levels) {
  int before = form->count - 1, at = form->first;
  if (form->kind != RV_ARRAY || form->parts->kind != RV_SCALAR) return form->kind == RV_SCALAR ? 0 : -1;
  for (int i = 0; i < form->count; i++, at++) {
    if (form->dims[i] != '.') continue;
    rv_column *own = &r->columns[at];
    own->count = rank > before ? rank - before : 0;
    own[1].data = calloc((size_t)own->count + 1, sizeof(rv_column));
    if (!own[1].data) rv_wrong(r, r->line, "there is not enough memory");
  }
  return rv_readings(r, form, levels);
}

static void rv_read_binary(rv_reader *r, const rv_form *form) {
  size_t start = r->at;
  rv_found dims[256];
  rv_reading levels[512];
  int64_t rows = 1;
  r->at++;
  unsigned char version = (unsigned char)*rv_take(r, 1, 1, "the version");
  if (version != 2 && version != 'J')
    rv_wrong_byte(r, start + 1, "version %d of the binary format is unknown; version 2 is known", version);
  int rank = (unsigned char)*rv_take(r, 1, 1, "the number of dimensions");
  int prim = rv_take_prim(r);
  for (int i = 0; i < rank; i++) {
    dims[i] = rv_take_dim(r, version == 'J', rows);
    if (dims[i].offsets) rows = dims[i].offsets[rows];
    else if (__builtin_mul_overflow(rows, dims[i].extent, &rows)) rv_wrong_byte(r, r->at, "this shape is too large");
  }
  int wanted = rv_wanted(r, form, rank, levels);
  const rv_form *element = form->kind == RV_ARRAY ? form->parts : form;
  if (wanted != rank || element->kind != RV_SCALAR || element->prim != prim) rv_other_type(r, form, start, dims, rank, prim);
  for (int i = 0; i < rank; i++) {
    rv_fit_dim(r, start, dims[i], i, &levels[i]);
    free(dims[i].offsets);
  }
  const char *bytes = rv_take(r, rows, rv_sizes[prim], "the elements");
  if (rows > 0) memcpy(rv_extend(r, &r->columns[element->first], rows, rv_sizes[prim]), bytes, (size_t)(rows * rv_sizes[prim]));
  for (int64_t i = 0; prim == RV_BOOL && i < rows; i++) {
    char *truth = &r->columns[element->first].data[i];
    *truth = *truth != 0;
  }
}

/* Writes a value; false if it has no binary form. */
static bool rv_write_binary(rv_text *out, const rv_form *form, const rv_value *values) {
  rv_level levels[RV_DEEPEST];
  const rv_form *element = form->kind == RV_ARRAY ? form->parts : form;
  if (element->kind != RV_SCALAR) return false;
  int rank = form->kind == RV_ARRAY ? rv_levels(form, values, levels) : 0;
  bool jagged = false;
  for (int i = 0; i < rank; i++) jagged |= levels[i].offsets != NULL;
  char head[8];
  snprintf(head, sizeof head, "b%c%c%4s", jagged ? 'J' : 2, rank, rv_prim_name(element->prim));
  rv_append(out, head, 7);
  int64_t rows = 1;
  for (int i = 0; i < rank; i++) {
    if (jagged) rv_append(out, levels[i].offsets ? "\1" : "", 1);
    if (levels[i].offsets) rv_append(out, (const char *)levels[i].offsets, (size_t)(rows + 1) * 8);
    else rv_append(out, (const char *)&levels[i].extent, 8);
    rows = rv_row_begin(&levels[i], rows);
  }
  const rv_value *value = &values[element->first];
  const char *data = form->kind == RV_ARRAY ? value->data : (const char *)&value->bits;
  size_t size = (size_t)(rows * rv_sizes[element->prim]);
  /* In pieces, so that a large array is not held twice. */
  for (size_t at = 0; at < size; at += 1 << 16) rv_append(out, data + at, size - at < 1 << 16 ? size - at : 1 << 16);
  return true;
}
