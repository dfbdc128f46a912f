/* NumPy's .npz files for one value: a zip archive of .npy members, stored or deflated. `data` holds the elements,
   `offsetsD` the offsets of dimension D, `shape` the extents where a regular dimension lies above a jagged one. */
typedef struct {
  char *name;
  size_t start; /* where it starts in the archive */
  char *bytes;
  size_t size;
} rv_member;

static const char *rv_zip_part(const rv_reader *r, size_t at, size_t count) {
  if (at > r->length || r->length - at < count) rv_wrong_byte(r, r->length, "the archive ends too early");
  return r->bytes + at;
}

static uint32_t rv_zip_number(const rv_reader *r, size_t at, int bytes) { return rv_low_first(rv_zip_part(r, at, (size_t)bytes), bytes); }

/* The last end record: a comment of up to 64 KiB may follow it. */
static size_t rv_zip_end(const rv_reader *r) {
  size_t last = r->length < 22 ? 0 : r->length - 22, first = last < 65535 ? 0 : last - 65535;
  for (size_t at = last + 1; at-- > first;)
    if (r->length - at >= 4 && memcmp(r->bytes + at, "PK\5\6", 4) == 0) return at;
  rv_wrong_byte(r, r->length, "the archive is cut off: its list of members is missing");
}

/* The start of a member's data, after its own header. */
static size_t rv_zip_start(const rv_reader *r, size_t at, const char *name, size_t local) {
  const char *wrong = r->length < local || r->length - local < 4 ? "the archive ends too early" : NULL;
  size_t byte = wrong ? r->length : local;
  if (!wrong && memcmp(r->bytes + local, "PK\3\4", 4) != 0) wrong = "no member starts here";
  if (!wrong && r->length - local < 30) wrong = "the archive ends too early", byte = r->length;
  if (wrong) rv_wrong_byte(r, at, "member `%s` is not where the list says: byte %llu: %s", name, (unsigned long long)byte, wrong);
  return local + 30 + rv_zip_number(r, local + 26, 2) + rv_zip_number(r, local + 28, 2);
}

static void rv_zip_unpack(const rv_reader *r, size_t at, rv_member *member, unsigned method, size_t packed, size_t size) {
  const char *name = member->name;
  if (method != 0 && method != 8)
    rv_wrong_byte(r, at, "member `%s` is packed by method %u; stored and deflated members can be read", name, method);
  /* One more than there should be, so that a longer one is noticed and none fills the memory. */
  rv_unpacking u = {.in = (const unsigned char *)r->bytes + member->start, .length = packed, .most = size + 1};
  int state = RV_UNPACKED;
  if (method == 8) {
    state = rv_inflate(&u);
  } else if (rv_room(&u, packed <= size ? packed : 0)) {
    u.size = packed;
    if (packed == size && size > 0) memcpy(u.out, u.in, packed);
  }
  if (u.state == RV_NO_ROOM) rv_wrong_byte(r, at, "member `%s`: there is not enough memory", name);
  if (state == RV_DAMAGED || u.size != size)
    rv_wrong_byte(r, at, "member `%s` is damaged: it does not unpack to %llu bytes", name, (unsigned long long)size);
  member->bytes = (char *)u.out;
  member->size = size;
}

/* The member whose list entry is at a byte; returns the position of the next entry. */
static size_t rv_zip_member(const rv_reader *r, size_t at, rv_member *member) {
  if (memcmp(rv_zip_part(r, at, 4), "PK\1\2", 4) != 0) rv_wrong_byte(r, at, "the list of members is damaged");
  const char *entry = rv_zip_part(r, at, 46);
  unsigned flags = rv_low_first(entry + 8, 2), method = rv_low_first(entry + 10, 2);
  uint32_t sum = rv_low_first(entry + 16, 4), packed = rv_low_first(entry + 20, 4), size = rv_low_first(entry + 24, 4);
  size_t length = rv_low_first(entry + 28, 2), behind = rv_low_first(entry + 30, 2) + rv_low_first(entry + 32, 2);
  uint32_t local = rv_low_first(entry + 42, 4);
  const char *name = rv_zip_part(r, at + 46, length);
  member->name = calloc(length + 1, 1);
  if (!member->name) rv_wrong_byte(r, at, "there is not enough memory");
  memcpy(member->name, name, length);
  if (flags & 1) rv_wrong_byte(r, at, "member `%s` is encrypted", member->name);
  if (packed == UINT32_MAX || size == UINT32_MAX || local == UINT32_MAX)
    rv_wrong_byte(r, at, "member `%s` is too large: members beyond 4 GiB are not supported", member->name);
  member->start = rv_zip_start(r, at, member->name, local);
  if (member->start > r->length || r->length - member->start < packed) rv_wrong_byte(r, at, "member `%s` is cut off", member->name);
  rv_zip_unpack(r, at, member, method, packed, size);
  if (rv_checksum(0, member->bytes, size) != sum)
    rv_wrong_byte(r, at, "member `%s` is damaged: its checksum does not agree", member->name);
  return at + 46 + length + behind;
}

/* All members, unpacked; returns how many there are. */
static int rv_zip_members(const rv_reader *r, rv_member **members) {
  bool zip = r->length >= 4 && (memcmp(r->bytes, "PK\3\4", 4) == 0 || memcmp(r->bytes, "PK\5\6", 4) == 0);
  if (!zip) rv_wrong_byte(r, 0, "this is not a zip archive: it does not start with PK");
  size_t end = rv_zip_end(r);
  int count = (int)rv_zip_number(r, end + 10, 2);
  size_t at = rv_zip_number(r, end + 16, 4);
  *members = calloc((size_t)count + 1, sizeof **members);
  if (!*members) rv_wrong_byte(r, 0, "there is not enough memory");
  for (int i = 0; i < count; i++) at = rv_zip_member(r, at, &(*members)[i]);
  return count;
}

/* A vector of integers of any type; returns how many there are. */
static int64_t rv_npz_integers(const rv_reader *r, const rv_member *member, const rv_whole_value *value, int64_t **numbers) {
  rv_text type = {0};
  rv_value_type(&type, value);
  if (value->rank != 1 || value->prim == RV_BOOL || value->prim >= RV_F16)
    rv_wrong_byte(r, member->start, "member `%s`: a vector of integers is expected, but this is of type %s", member->name, type.text);
  free(type.text);
  *numbers = malloc((size_t)(value->count + 1) * 8);
  if (!*numbers) rv_wrong_byte(r, member->start, "member `%s`: there is not enough memory", member->name);
  for (int64_t i = 0; i < value->count; i++) {
    uint64_t bits = rv_element(value->data, value->prim, i);
    int shift = 64 - 8 * rv_sizes[value->prim];
    (*numbers)[i] = value->prim < RV_U8 ? (int64_t)(bits << shift) >> shift : (int64_t)bits;
    if (value->prim == RV_U64 && bits > INT64_MAX)
      rv_wrong_byte(r, member->start, "member `%s`: number %lld is too large", member->name, (long long)i);
  }
  return value->count;
}

/* The members that were read so far. */
typedef struct {
  rv_whole_value data;
  char *own; /* elements of `data` in another order, or null */
  bool found;
  int64_t *shape, shape_count; /* null if there is none */
  struct {
    int64_t *numbers, count;
  } offsets[256];
  int last;       /* the innermost dimension with offsets, or 0 */
  uint64_t beyond; /* one that is too deep for any value, or 0 */
} rv_npz_parts;

/* Takes a member as the part of an array that its name says; `part` is the end of that name. */
static void rv_npz_add(const rv_reader *r, const rv_member *member, const char *part, bool alone, rv_npz_parts *parts) {
  rv_reader inner = *r;
  rv_whole_value value = {0};
  inner.member = member->name;
  inner.member_start = member->start;
  inner.bytes = member->bytes ? member->bytes : "";
  inner.length = member->size;
  char *own = rv_read_npy(&inner, &value), *end = NULL;
  bool data = strcmp(part, "data") == 0, shape = strcmp(part, "shape") == 0, leveled = strncmp(part, "offsets", 7) == 0;
  const char *digits = leveled ? part + 7 : "";
  leveled = leveled && *digits >= '0' && *digits <= '9';
  errno = 0;
  uint64_t level = leveled ? strtoull(digits, &end, 10) : 0;
  leveled = leveled && *end == 0 && errno == 0;
  if (data || (alone && !leveled)) {
    free(parts->own);
    parts->data = value;
    parts->own = own;
    parts->found = true;
    return;
  }
  if (!leveled && !shape)
    rv_wrong_byte(r, member->start,
                  "member `%s`: this name means nothing here; an array is `data` alone, or `data`, `offsets1`, `offsets2` and "
                  "so on, and perhaps `shape`; to read this member alone write @FILE.npz:%s",
                  member->name, member->name);
  if (leveled && level == 0) rv_wrong_byte(r, member->start, "member `%s`: the outermost dimension, number 0, is never jagged", member->name);
  int64_t *numbers, count = rv_npz_integers(r, member, &value, &numbers);
  free(own);
  if (leveled && level > 255) {
    parts->beyond = level;
    free(numbers);
    return;
  }
  int64_t **place = leveled ? &parts->offsets[level].numbers : &parts->shape;
  free(*place);
  *place = numbers;
  *(leveled ? &parts->offsets[level].count : &parts->shape_count) = count;
  if (leveled && (int)level > parts->last) parts->last = (int)level;
}

/* A dimension above the elements; `rows` is how many rows it has, and then how many the next one has. */
static rv_found rv_npz_dim(const rv_reader *r, const rv_npz_parts *parts, int level, int64_t *rows, uint64_t most) {
  int64_t *numbers = parts->offsets[level].numbers, count = parts->offsets[level].count;
  char from[24] = "shape";
  rv_found dim = {.rows = *rows, .offsets = numbers};
  if (numbers) snprintf(from, sizeof from, "offsets%d", level);
  if (numbers && parts->shape && parts->shape[level] != -1)
    rv_wrong_byte(r, 0, "dimension %d has offsets, but `shape` says %lld, not -1", level, (long long)parts->shape[level]);
  if (!numbers && parts->shape) dim.extent = parts->shape[level];
  else if (!numbers && level == 0 && parts->offsets[1].numbers) dim.extent = parts->offsets[1].count - 1;
  else if (!numbers) rv_wrong_byte(r, 0, "dimension %d has neither offsets nor an extent in `shape`", level);
  if (numbers && (*rows == INT64_MAX || count != *rows + 1))
    rv_wrong_byte(r, 0, "member `%s`: %lld offsets for %lld rows, which need one more than there are rows", from, (long long)count,
                  (long long)*rows);
  const char *wrong = rv_rows_of(&dim, rows);
  if (wrong) rv_wrong_byte(r, 0, "member `%s`: %s", from, wrong);
  if (*rows > RV_MOST_EMPTY_ROWS && (uint64_t)*rows > most)
    rv_wrong_byte(r, 0, "member `%s`: %lld rows are more than this file can hold", from, (long long)*rows);
  return dim;
}

/* The value that the members make; `most` limits the number of rows without elements. */
static void rv_npz_value(const rv_reader *r, const rv_npz_parts *parts, uint64_t most, rv_whole_value *value) {
  const rv_whole_value *data = &parts->data;
  const int64_t *shape = parts->shape;
  if (!parts->found) rv_wrong_byte(r, 0, "member `data` is missing");
  *value = *data;
  if (parts->last == 0 && !parts->beyond) return;
  if (data->rank == 0) rv_wrong_byte(r, 0, "member `data` is a scalar, but there are offsets");
  if (shape && (parts->beyond || parts->shape_count != parts->last + data->rank))
    rv_wrong_byte(r, 0, "member `shape` has another number of dimensions than `offsets` and `data` make");
  int64_t rows = 1;
  int last = parts->beyond ? 255 : parts->last;
  for (int level = 0; level <= last; level++) value->dims[level] = rv_npz_dim(r, parts, level, &rows, most);
  value->rank = last + data->rank;
  if (value->rank > 255) rv_wrong_byte(r, 0, "more than 255 dimensions are not supported");
  for (int i = 1; i < data->rank; i++) {
    if (shape && shape[last + i] != data->dims[i].extent) rv_wrong_byte(r, 0, "member `shape` has other extents than `data`");
    value->dims[last + i] = data->dims[i];
  }
  if (data->dims[0].extent != rows)
    rv_wrong_byte(r, 0, "member `data` has %lld rows, but the offsets make %lld", (long long)data->dims[0].extent, (long long)rows);
}

/* The members of an archive, and the limit on rows without elements. */
typedef struct {
  rv_member *members;
  int count;
  uint64_t most;
} rv_opened;

RV_COLD static _Noreturn void rv_npz_missing(const rv_reader *r, const rv_opened *opened, const char *name) {
  rv_text known = {0};
  for (int i = 0; i < opened->count; i++) {
    rv_words(&known, i > 0 ? ", `" : "`");
    rv_words(&known, opened->members[i].name);
    rv_words(&known, "`");
  }
  rv_wrong_byte(r, 0, "there is no member `%s`; the members are %s", name, known.text ? known.text : "");
}

/* The scalar or array of a name, which is empty for the whole file. */
static void rv_npz_array_of(rv_reader *r, const rv_opened *opened, const rv_form *form, const char *name) {
  rv_npz_parts *parts = calloc(2, sizeof *parts);
  if (!parts) rv_wrong_byte(r, 0, "there is not enough memory");
  size_t length = strlen(name);
  bool any = length == 0;
  for (int i = 0; i < opened->count; i++) {
    const rv_member *member = &opened->members[i];
    bool whole = length > 0 && strcmp(member->name, name) == 0;
    bool below = length > 0 && strncmp(member->name, name, length) == 0 && member->name[length] == '.';
    if (length == 0) rv_npz_add(r, member, member->name, opened->count == 1, parts);
    else if (whole || below) rv_npz_add(r, member, whole ? "data" : member->name + length + 1, false, parts);
    any |= whole || below;
  }
  if (!any) rv_npz_missing(r, opened, name);
  rv_npz_value(r, parts, opened->most, &parts[1].data);
  bool places = r->places;
  r->places = false;
  rv_fit(r, form, 0, &parts[1].data);
  r->places = places;
  free(parts->own);
  free(parts->shape);
  free(parts);
}

/* The value of a name: the parts of tuples and records are members below it. */
static void rv_npz_named(rv_reader *r, const rv_opened *opened, const rv_form *form, const char *name) {
  if (form->kind == RV_ARRAY && form->parts->kind != RV_SCALAR)
    rv_wrong_byte(r, 0, "executables cannot read an array of tuples or records from an .npz file; give it as text, or use `ravel run`");
  if (form->kind != RV_TUPLE && form->kind != RV_RECORD) {
    rv_npz_array_of(r, opened, form, name);
    return;
  }
  for (int i = 0; i < form->count; i++) {
    char number[16];
    snprintf(number, sizeof number, "%d", i);
    const char *part = form->kind == RV_RECORD ? form->names[i] : number;
    size_t room = strlen(name) + strlen(part) + 2;
    char *inner = malloc(room);
    if (!inner) rv_wrong_byte(r, 0, "there is not enough memory");
    snprintf(inner, room, "%s%s%s", name, *name ? "." : "", part);
    rv_npz_named(r, opened, &form->parts[i], inner);
    free(inner);
  }
}

/* Reads an .npz file, or the members of a name in it, as the form requires it. */
RV_COLD static void rv_read_npz(rv_reader *r, const rv_form *form, const char *name) {
  rv_opened opened = {.most = r->length};
  opened.count = rv_zip_members(r, &opened.members);
  uint64_t size = 0;
  for (int i = 0; i < opened.count; i++) {
    char *own = opened.members[i].name;
    size_t length = strlen(own);
    if (length >= 4 && strcmp(own + length - 4, ".npy") == 0) own[length - 4] = 0;
    size += opened.members[i].size;
  }
  if (size > opened.most) opened.most = size;
  rv_npz_named(r, &opened, form, name);
  for (int i = 0; i < opened.count; i++) free(opened.members[i].bytes), free(opened.members[i].name);
  free(opened.members);
}
