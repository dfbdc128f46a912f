/* NumPy's .npy files: versions 1 to 3, either byte order, by rows and by columns. */
static void rv_npy_blanks(rv_reader *h) {
  while (h->at < h->length && strchr(" \t\n\v\f\r", h->bytes[h->at]) && h->bytes[h->at]) h->at++;
}

static bool rv_npy_eat(rv_reader *h, char mark) {
  rv_npy_blanks(h);
  bool found = h->at < h->length && h->bytes[h->at] == mark;
  if (found) h->at++;
  return found;
}

static void rv_npy_expect(rv_reader *h, char mark) {
  if (!rv_npy_eat(h, mark)) rv_wrong_byte(h, h->at, "'%c' is expected in the header", mark);
}

/* The contents of a quoted string; returns its length. */
static int rv_npy_string(rv_reader *h, const char **inside) {
  rv_npy_blanks(h);
  char quote = h->at < h->length ? h->bytes[h->at] : 0;
  *inside = h->bytes + h->at + 1;
  const char *end = quote == '\'' || quote == '"' ? memchr(*inside, quote, h->length - h->at - 1) : NULL;
  if (!end) rv_wrong_byte(h, h->at, "a string is expected in the header");
  h->at += (size_t)(end - *inside) + 2;
  return (int)(end - *inside);
}

/* The type, and whether it is big-endian. */
static int rv_npy_type(rv_reader *h, bool *high_first) {
  static const char *const known[] = {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"};
  const char *text;
  rv_npy_blanks(h);
  size_t start = h->at;
  if (h->at < h->length && h->bytes[h->at] == '[') rv_wrong_byte(h, h->at, "arrays of records are not supported");
  int length = rv_npy_string(h, &text), marks = 0;
  while (marks < length && strchr("<>|=", text[marks]) && text[marks]) marks++;
  *high_first = length > 0 && text[0] == '>';
  if (length - marks == 1 && text[marks] == '?' && marks <= 1) return RV_BOOL;
  for (int prim = RV_BOOL; prim <= RV_F64 && length - marks == 2 && marks <= 1; prim++)
    if (memcmp(text + marks, known[prim], 2) == 0) return prim;
  rv_wrong_byte(h, start, "elements of type \"%.*s\" are not supported", length, text);
}

static bool rv_npy_truth(rv_reader *h) {
  rv_npy_blanks(h);
  size_t left = h->length - h->at;
  bool truth = left >= 4 && memcmp(h->bytes + h->at, "True", 4) == 0;
  if (!truth && (left < 5 || memcmp(h->bytes + h->at, "False", 5) != 0))
    rv_wrong_byte(h, h->at, "True or False is expected in the header");
  h->at += truth ? 4 : 5;
  return truth;
}

static void rv_npy_shape(rv_reader *h, rv_whole_value *value) {
  rv_npy_expect(h, '(');
  for (value->rank = 0; !rv_npy_eat(h, ')'); value->rank++) {
    int64_t extent = 0;
    rv_npy_blanks(h);
    size_t at = h->at;
    bool fits = true;
    for (; at < h->length && h->bytes[at] >= '0' && h->bytes[at] <= '9'; at++)
      fits = fits && !__builtin_mul_overflow(extent, 10, &extent) && !__builtin_add_overflow(extent, h->bytes[at] - '0', &extent);
    if (at == h->at || !fits) rv_wrong_byte(h, h->at, "the shape in the header is not a tuple of extents");
    if (value->rank == 255) rv_wrong_byte(h, h->at, "more than 255 dimensions are not supported");
    value->dims[value->rank] = (rv_found){.extent = extent};
    h->at = at;
    if (rv_npy_eat(h, ',')) continue;
    rv_npy_expect(h, ')');
    value->rank++;
    break;
  }
}

/* The header's text: returns its start and sets its end. */
static size_t rv_npy_header(const rv_reader *r, size_t *end) {
  if (r->length < 6 || memcmp(r->bytes, "\x93NUMPY", 6) != 0)
    rv_wrong_byte(r, 0, "this is not an .npy file: it does not start with \\x93NUMPY");
  unsigned version = r->length < 8 ? 1 : (unsigned char)r->bytes[6];
  if (version < 1 || version > 3) rv_wrong_byte(r, 6, "version %u of .npy files is unknown", version);
  size_t start = version == 1 ? 10 : 12;
  size_t length = r->length < start ? 0 : rv_low_first(r->bytes + 8, version == 1 ? 2 : 4);
  if (r->length < start || r->length - start < length) rv_wrong_byte(r, r->length, "the file ends in its header");
  size_t text = rv_text_end(r->bytes + start, length);
  if (text < length) rv_wrong_byte(r, start + text, "the header is not text");
  *end = start + length;
  return start;
}

typedef struct {
  bool high_first, columns;
} rv_npy_order;

/* The dictionary in the header. */
static rv_npy_order rv_npy_dictionary(rv_reader *h, rv_whole_value *value) {
  static const char *const keys[] = {"descr", "fortran_order", "shape"};
  size_t start = h->at;
  bool seen[3] = {false};
  rv_npy_order order = {false, false};
  rv_npy_expect(h, '{');
  while (!rv_npy_eat(h, '}')) {
    const char *key;
    size_t at = h->at;
    int length = rv_npy_string(h, &key), which = 0;
    rv_npy_expect(h, ':');
    while (which < 3 && !(strlen(keys[which]) == (size_t)length && memcmp(keys[which], key, (size_t)length) == 0)) which++;
    if (which == 3) rv_wrong_byte(h, at, "the header has an unknown key \"%.*s\"", length, key);
    if (which == 0) value->prim = rv_npy_type(h, &order.high_first);
    if (which == 1) order.columns = rv_npy_truth(h);
    if (which == 2) rv_npy_shape(h, value);
    seen[which] = true;
    if (rv_npy_eat(h, ',')) continue;
    rv_npy_expect(h, '}');
    break;
  }
  for (int i = 0; i < 3; i++)
    if (!seen[i]) rv_wrong_byte(h, start, "the header has no key '%s'", keys[i]);
  return order;
}

/* How many elements the shape has, all of which must be there. */
static void rv_npy_count(const rv_reader *r, size_t start, rv_whole_value *value) {
  rv_text shape = {0};
  rv_words(&shape, "[");
  uint64_t size = (uint64_t)rv_sizes[value->prim], left = r->length - start, bytes = 0;
  bool fits = true;
  value->count = 1;
  for (int i = 0; i < value->rank; i++) {
    if (i > 0) rv_words(&shape, ", ");
    rv_number(&shape, value->dims[i].extent);
    value->dims[i].rows = value->count;
    fits = fits && !__builtin_mul_overflow(value->count, value->dims[i].extent, &value->count);
  }
  rv_words(&shape, "]");
  if (!fits || __builtin_mul_overflow((uint64_t)value->count, size, &bytes)) rv_wrong_byte(r, start, "a shape of %s is too large", shape.text);
  if (left < bytes)
    rv_wrong_byte(r, start, "a shape of %s takes %llu bytes, but only %llu are left", shape.text, (unsigned long long)bytes,
                  (unsigned long long)left);
  if (left > bytes)
    rv_wrong_byte(r, start, "a shape of %s takes %llu bytes, but %llu follow", shape.text, (unsigned long long)bytes,
                  (unsigned long long)left);
  free(shape.text);
}

/* The elements in row-major order and little-endian, in new memory. */
static char *rv_npy_reordered(const rv_reader *r, const rv_whole_value *value, rv_npy_order order) {
  size_t size = (size_t)rv_sizes[value->prim];
  int64_t subscripts[256] = {0};
  char *data = malloc((size_t)value->count * size + 1);
  if (!data) rv_wrong_byte(r, 0, "there is not enough memory for %lld elements", (long long)value->count);
  for (int64_t i = 0; i < value->count; i++) {
    int64_t from = i;
    if (order.columns) {
      from = 0;
      for (int d = value->rank; d-- > 0;) from = from * value->dims[d].extent + subscripts[d];
      for (int d = value->rank; d-- > 0 && ++subscripts[d] == value->dims[d].extent;) subscripts[d] = 0;
    }
    const char *element = value->data + (size_t)from * size;
    for (size_t k = 0; k < size; k++) data[(size_t)i * size + k] = element[order.high_first ? size - 1 - k : k];
  }
  return data;
}

/* Reads an .npy file. Returns the memory of the elements if they had to be reordered, else null. */
RV_COLD static char *rv_read_npy(const rv_reader *r, rv_whole_value *value) {
  size_t end = 0;
  rv_reader header = *r;
  header.at = rv_npy_header(r, &end);
  header.length = end;
  rv_npy_order order = rv_npy_dictionary(&header, value);
  rv_npy_count(r, end, value);
  value->data = r->bytes + end;
  if (!order.high_first && !(order.columns && value->rank > 1)) return NULL;
  char *own = rv_npy_reordered(r, value, order);
  value->data = own;
  return own;
}
