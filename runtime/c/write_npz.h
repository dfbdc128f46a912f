/* Results as .npz: an archive of named .npy members. The fields of records are members under their names, the parts of tuples
   under their numbers; an array of records is a record of arrays. */
/* A member of an archive: the head of its .npy file, and the elements. */
typedef struct {
  char *name;
  rv_text head;
  const void *data;
  size_t size;
  char *own; /* memory that only this member needs, or null */
} rv_packing;

typedef struct {
  const rv_writing *writing;
  const char *path, *which; /* for messages: where to, and which results */
  rv_packing *members;
  int count;
} rv_archive;

/* A name below another one, or alone; the caller frees it. */
static char *rv_below(const rv_archive *a, const char *name, const char *part) {
  size_t room = strlen(name) + strlen(part) + 2;
  char *out = malloc(room);
  if (!out) rv_cannot_write(a->writing, a->path, "there is not enough memory");
  snprintf(out, room, "%s%s%s", name, *name ? "." : "", part);
  return out;
}

/* Adds a member. Takes its name. */
static rv_packing *rv_pack(rv_archive *a, char *name, int prim, bool complex, int rank, const int64_t *shape, const void *data,
                           size_t size) {
  rv_packing *members = realloc(a->members, (size_t)(a->count + 1) * sizeof *members);
  if (!members) rv_cannot_write(a->writing, a->path, "there is not enough memory");
  a->members = members;
  rv_packing *member = &members[a->count++];
  *member = (rv_packing){.data = data, .size = size};
  size_t room = strlen(name) + 5;
  member->name = malloc(room);
  if (!member->name) rv_cannot_write(a->writing, a->path, "there is not enough memory");
  snprintf(member->name, room, "%s.npy", name);
  free(name);
  rv_npy_head(&member->head, prim, complex, rank, shape);
  return member;
}

/* The members of an array of scalars under some dimensions: a shape where it is needed, the offsets of jagged dimensions, the
   elements. `inside` tells an array of rank 0 from a scalar. */
static void rv_npz_array(rv_archive *a, const rv_form *element, const char *name, const rv_level *levels, int rank, bool inside) {
  const rv_value *value = &a->writing->values[element->first];
  bool jagged = false, between = false;
  int last = 0;
  int64_t shape[RV_DEEPEST], rows[RV_DEEPEST + 1] = {1};
  for (int i = 0; i < rank; i++) {
    shape[i] = levels[i].offsets ? -1 : levels[i].extent;
    rows[i + 1] = rv_row_begin(&levels[i], rows[i]);
    if (levels[i].offsets) last = i, jagged = true;
  }
  for (int i = 1; i < last; i++) between |= !levels[i].offsets;
  if (between) {
    rv_packing *member = rv_pack(a, rv_below(a, name, "shape"), RV_I64, false, 1, (int64_t[]){rank}, NULL, (size_t)rank * 8);
    member->own = malloc((size_t)rank * 8);
    if (!member->own) rv_cannot_write(a->writing, a->path, "there is not enough memory");
    memcpy(member->own, shape, (size_t)rank * 8);
    member->data = member->own;
  }
  for (int i = 0; i <= last && jagged; i++) {
    char part[24];
    snprintf(part, sizeof part, "offsets%d", i);
    if (levels[i].offsets)
      rv_pack(a, rv_below(a, name, part), RV_I64, false, 1, (int64_t[]){rows[i] + 1}, levels[i].offsets, (size_t)(rows[i] + 1) * 8);
  }
  int64_t below[RV_DEEPEST + 1] = {rows[jagged ? last + 1 : rank]};
  for (int i = last + 1; i < rank && jagged; i++) below[i - last] = shape[i];
  size_t size = (size_t)(rows[rank] * rv_sizes[element->prim]);
  const void *data = inside ? value->data : (const void *)&value->bits;
  char *own = !jagged && *name ? rv_below(a, "", name) : rv_below(a, name, "data");
  rv_pack(a, own, element->prim, false, jagged ? rank - last : rank, jagged ? below : shape, data, size);
}

/* The members of a value, below a name and under some dimensions, if it is inside of an array. */
static void rv_npz_form(rv_archive *a, const rv_form *form, const char *name, const rv_level *levels, int rank, bool inside) {
  const rv_form *re, *im;
  bool jagged = false;
  int64_t shape[RV_DEEPEST], count = 1;
  for (int i = 0; i < rank; i++) {
    jagged |= levels[i].offsets != NULL;
    shape[i] = levels[i].extent;
    count *= levels[i].extent;
  }
  if (form->kind == RV_SUM)
    rv_cannot_write(a->writing, a->which, "a constructor has no .npz form; write it as text or .json");
  if (form->kind == RV_SCALAR) {
    rv_npz_array(a, form, name, levels, rank, inside);
  } else if (form->kind == RV_ARRAY) {
    rv_level below[RV_DEEPEST], own[RV_DEEPEST];
    int more = rv_levels(form, a->writing->values, own);
    if (rank + more > RV_DEEPEST) rv_cannot_write(a->writing, a->which, "more than %d dimensions are not supported", RV_DEEPEST);
    if (rank > 0) memcpy(below, levels, (size_t)rank * sizeof *levels);
    memcpy(below + rank, own, (size_t)more * sizeof *own);
    rv_npz_form(a, form->parts, name, below, rank + more, true);
  } else if (!jagged && rv_complex(form, &re, &im)) {
    char *own = *name ? rv_below(a, "", name) : rv_below(a, "", "data");
    rv_packing *member = rv_pack(a, own, re->prim, true, rank, shape, NULL, (size_t)count * 2 * (size_t)rv_sizes[re->prim]);
    member->own = rv_interleaved(a->writing, re, im, !inside, count);
    member->data = member->own;
  } else {
    for (int i = 0; i < form->count; i++) {
      char number[16];
      snprintf(number, sizeof number, "%d", i);
      char *part = rv_below(a, name, form->kind == RV_RECORD ? form->names[i] : number);
      rv_npz_form(a, &form->parts[i], part, levels, rank, inside);
      free(part);
    }
  }
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

/* Writes all results to an archive: one alone, several below their numbers. */
static void rv_write_npz(const rv_writing *w, const char *path) {
  rv_archive a = {.writing = w, .path = path ? path : "standard output", .which = w->count == 1 ? "result 0" : "results"};
  for (int i = 0; i < w->count; i++) {
    char number[16] = "";
    if (w->count > 1) snprintf(number, sizeof number, "%d", i);
    rv_npz_form(&a, &w->forms[i], number, NULL, 0, false);
  }
  uint64_t at = 0;
  for (int i = 0; i < a.count; i++) at += 30 + strlen(a.members[i].name) + a.members[i].head.length + a.members[i].size;
  if (at >= UINT32_MAX) rv_cannot_write(w, a.which, "an .npz file holds at most 4 GiB; write it as binary");
  rv_text list = {0}, local = {0};
  rv_output out = rv_create(w, path);
  at = 0;
  for (int i = 0; i < a.count; i++) {
    rv_packing *member = &a.members[i];
    uint32_t sum = rv_checksum(rv_checksum(0, member->head.text, member->head.length), member->data, member->size);
    local.length = 0;
    rv_zip_entry(&local, member, sum, NULL);
    rv_zip_entry(&list, member, sum, &at);
    rv_put(&out, local.text, local.length);
    rv_put(&out, member->head.text, member->head.length);
    rv_put(&out, member->data, member->size);
    at += local.length + member->head.length + member->size;
    free(member->head.text);
    free(member->name);
    free(member->own);
  }
  size_t length = list.length;
  rv_append(&list, "PK\5\6\0\0\0", 8);
  rv_put_number(&list, (uint64_t)a.count, 2);
  rv_put_number(&list, (uint64_t)a.count, 2);
  rv_put_number(&list, length, 4);
  rv_put_number(&list, at, 4);
  rv_put_number(&list, 0, 2);
  rv_put(&out, list.text, list.length);
  rv_close(&out);
  free(list.text);
  free(local.text);
  free(a.members);
}
