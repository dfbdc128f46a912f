/* Arguments: from text, files and standard input to the components that an entry point takes. */

/* The system's error message, in lower case. */
static const char *rv_reason(void) {
  static char words[128];
  snprintf(words, sizeof words, "%s", strerror(errno));
  for (char *c = words; *c; c++) *c = (char)tolower((unsigned char)*c);
  return words;
}

RV_COLD static _Noreturn void rv_no_file(const rv_reader *r) {
  rv_reader named = *r;
  named.places = false;
  rv_wrong(&named, 0, "%s", rv_reason());
}

/* Reads all bytes of a file into the reader. */
static char *rv_bytes(rv_reader *r, FILE *file) {
  size_t room = 1 << 16, used = 0;
  char *bytes = file ? malloc(room) : NULL;
  while (bytes) {
    used += fread(bytes + used, 1, room - used - 1, file);
    if (used + 1 < room) break;
    char *larger = realloc(bytes, 2 * room);
    if (!larger) free(bytes);
    bytes = larger;
    room *= 2;
  }
  if (!file || !bytes || ferror(file)) rv_no_file(r);
  bytes[used] = 0;
  r->bytes = bytes;
  r->length = used;
  return bytes;
}

/* Unpacks a .gz file. Frees the bytes and returns new ones. */
static char *rv_unpacked(rv_reader *r, char *bytes) {
  rv_unpacking u = {.in = (unsigned char *)bytes, .length = r->length, .most = SIZE_MAX};
  if (r->length >= 2 && memcmp(bytes, "\x1f\x8b", 2) != 0)
    rv_wrong_byte(r, 0, "this is not a .gz file: it does not start with \\x1f\\x8b");
  int state = rv_gunzip(&u);
  rv_reader named = *r;
  named.places = false;
  if (state == RV_NO_ROOM) rv_wrong(&named, 0, "there is not enough memory");
  if (state == RV_CUT_OFF) rv_wrong_byte(r, r->length, "the file is cut off");
  if (state == RV_DAMAGED) rv_wrong(&named, 0, "the file is damaged: it cannot be unpacked");
  free(bytes);
  u.most = SIZE_MAX;
  if (!rv_room(&u, 1)) rv_wrong(&named, 0, "there is not enough memory");
  r->bytes = (char *)u.out;
  r->length = u.size;
  return (char *)u.out;
}

static void rv_start_columns(rv_reader *r, const rv_form *form) {
  int at = form->first;
  for (int i = 0; form->kind == RV_ARRAY && i < form->count; i++, at++) {
    if (form->dims[i] == '~') memset(rv_extend(r, &r->columns[at], 1, 8), 0, 8);
    else r->columns[at].count = -1;
    if (form->dims[i] == '.') at++;
  }
  if (form->kind == RV_ARRAY) rv_start_columns(r, form->parts);
  for (int i = 0; form->kind >= RV_TUPLE && i < form->count; i++) rv_start_columns(r, &form->parts[i]);
}

/* Turns the columns into the arguments of the entry point. */
static void rv_finish_columns(const rv_form *form, rv_column *columns, rv_value *values, bool inside) {
  int at = form->first;
  if (form->kind == RV_SCALAR || form->kind == RV_SUM) {
    int prim = form->kind == RV_SUM ? rv_tag_prim(form) : form->prim;
    values[at].data = columns[at].data ? columns[at].data : rv_nothing;
    if (!inside) values[at].bits = rv_element(columns[at].data, prim, 0);
  }
  for (int i = 0; form->kind == RV_ARRAY && i < form->count; i++, at++) {
    int64_t count = columns[at].count;
    values[at].bits = count > 0 ? (uint64_t)count : 0;
    if (form->dims[i] == '~') values[at].data = columns[at].data;
    if (form->dims[i] != '.') continue;
    /* While reading, each extent of an array of unknown rank was a column; now it becomes a number. An array that was
       never read has one dimension, which is empty. */
    static int64_t none[1];
    rv_column *shape = &columns[++at];
    int64_t *extents = (int64_t *)(void *)shape->data;
    for (int64_t k = 0; k < count; k++) {
      int64_t extent = ((rv_column *)(void *)shape->data)[k].count;
      extents[k] = extent > 0 ? extent : 0;
    }
    values[at].data = count < 0 ? none : extents;
    values[at - 1].bits = count < 0 ? 1 : (uint64_t)count;
    shape->count = count < 0 ? 0 : count;
  }
  if (form->kind == RV_ARRAY) rv_finish_columns(form->parts, columns, values, true);
  for (int i = 0; form->kind >= RV_TUPLE && i < form->count; i++) rv_finish_columns(&form->parts[i], columns, values, inside);
}

static void rv_read_any(rv_reader *r, const rv_form *form) {
  rv_skip(r);
  rv_start_columns(r, form);
  if (rv_is_binary(r)) {
    rv_read_binary(r, form);
    return;
  }
  r->whole = true;
  r->value_at = r->at;
  r->value_line = r->line;
  rv_read(r, form, false, false);
  r->whole = false;
}

static bool rv_at_end(rv_reader *r) {
  rv_skip(r);
  return r->at == r->length;
}

/* Reports text after the only value: another value, or a syntax error. */
RV_COLD static _Noreturn void rv_wrong_rest(rv_reader *r) {
  rv_reader rest = rv_syntax_from(r, r->at, r->line);
  int64_t line = r->line;
  rv_syntax(&rest, 0);
  rv_wrong(r, line, "there is more than one value");
}

static bool rv_begins(const rv_reader *r, const char *magic, size_t length) {
  return r->length >= length && memcmp(r->bytes, magic, length) == 0;
}

/* Reads bytes that hold one value and nothing else. Without a format they are text or binary. `member` is the name of a
   member of an archive, or null. */
static void rv_read_only(rv_reader *r, const rv_form *form, int format, const char *member) {
  char *own = NULL;
  if (format == RV_AS_NPZ) {
    rv_start_columns(r, form);
    rv_read_npz(r, form, member ? member : "");
  } else if (format == RV_AS_NPY) {
    rv_whole_value value = {0};
    own = rv_read_npy(r, &value);
    r->places = false;
    rv_start_columns(r, form);
    rv_fit(r, form, 0, &value);
  } else {
    if (rv_at_end(r)) rv_wrong(r, r->line, "there is no value");
    rv_read_any(r, form);
    if (!rv_at_end(r)) rv_wrong(r, r->line, "there is more than one value");
  }
  free(own);
}

/* All bytes of standard input, unpacked if they begin like a .gz file. */
static char *rv_standard_input(rv_reader *r) {
  char *bytes = rv_bytes(r, stdin);
  return rv_begins(r, "\x1f\x8b", 2) ? rv_unpacked(r, bytes) : bytes;
}

/* The format that the first bytes of standard input show; -1 for text or binary. */
static int rv_format_of_bytes(const rv_reader *r) {
  if (rv_begins(r, "\x93NUMPY", 6)) return RV_AS_NPY;
  return rv_begins(r, "PK\3\4", 4) ? RV_AS_NPZ : -1;
}

/* Where the name of a member begins in `x.npz:name`; null if there is none, or if there is a file of the whole name. */
static char *rv_member_of(char *path) {
  char *colon = NULL;
  for (char *at = strstr(path, ".npz:"); at; at = strstr(at + 1, ".npz:")) colon = at + 4;
  FILE *whole = colon ? fopen(path, "rb") : NULL;
  if (whole) fclose(whole);
  return whole ? NULL : colon;
}

/* Reads a file with one value, or standard input. */
static void rv_read_place(rv_reader *r, rv_place place, const char *member, const rv_form *form) {
  bool is_stdin = strcmp(place.path, "-") == 0;
  r->source = is_stdin ? "standard input" : place.path;
  FILE *file = is_stdin ? NULL : fopen(place.path, "rb");
  char *bytes = is_stdin ? rv_standard_input(r) : rv_bytes(r, file);
  if (file) fclose(file);
  r->places = true;
  if (place.packed) bytes = rv_unpacked(r, bytes);
  rv_read_only(r, form, is_stdin && place.format < 0 ? rv_format_of_bytes(r) : place.format, member);
  free(bytes);
}

/* The size of a component of an argument in bytes. */
static size_t rv_column_bytes(const rv_form *form, int component, const rv_column *column) {
  int prim = RV_I64, at = form->first;
  if (form->kind == RV_SCALAR && at == component) prim = form->prim;
  if (form->kind == RV_SUM && at == component) prim = rv_tag_prim(form);
  const rv_form *found = NULL;
  int parts = form->kind == RV_SCALAR ? 0 : form->kind == RV_ARRAY ? 1 : form->count;
  for (int i = 0; i < parts; i++)
    if (form->parts[i].first <= component) found = &form->parts[i];
  if (found) return rv_column_bytes(found, component, column);
  return (size_t)(column->count > 0 ? column->count : 0) * (size_t)rv_sizes[prim];
}
