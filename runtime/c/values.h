/* Values as text: what is written reads back as the same value. */
/* The most dimensions that a value may have when written. */
#define RV_DEEPEST 100

static const int rv_sizes[] = {1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8};

RV_INLINE int rv_tag_prim(const rv_form *form) { return form->count <= 256 ? RV_U8 : RV_U32; }

/* The type, from some dimension on. */
RV_FUN void rv_type(rv_text *out, const rv_form *form, int level) {
  const char *const ends[] = {"", "", ")", "}", ""};
  if (form->kind == RV_SCALAR) rv_words(out, rv_prim_name(form->prim));
  if (form->kind == RV_TUPLE) rv_words(out, "(");
  if (form->kind == RV_RECORD) rv_words(out, "{");
  if (form->kind == RV_ARRAY) {
    for (int i = level; i < form->count; i++)
      rv_words(out, form->dims[i] == '~' ? "[~]" : form->dims[i] == '.' ? "[..]" : "[]");
    rv_type(out, form->parts, 0);
  }
  for (int i = 0; form->kind >= RV_TUPLE && i < form->count; i++) {
    if (i > 0) rv_words(out, form->kind == RV_SUM ? " | " : ", ");
    if (form->kind == RV_SUM) rv_words(out, "#");
    if (form->kind != RV_TUPLE) rv_words(out, form->names[i]);
    if (form->kind == RV_RECORD) rv_words(out, ": ");
    if (form->kind != RV_SUM) rv_type(out, &form->parts[i], 0);
    for (int k = 0; form->kind == RV_SUM && k < form->parts[i].count; k++) {
      rv_words(out, " ");
      rv_type(out, &form->parts[i].parts[k], 0);
    }
  }
  rv_words(out, ends[form->kind]);
}

/* A dimension of an array at hand: an extent, or the offsets of its rows. */
typedef struct {
  int64_t extent;
  const int64_t *offsets;
} rv_level;

/* The dimensions of an array; gives how many there are. */
static int rv_levels(const rv_form *form, const rv_value *values, rv_level *levels) {
  int count = 0, at = form->first;
  for (int i = 0; i < form->count; i++, at++) {
    if (form->dims[i] == '.') {
      int64_t rank = (int64_t)values[at++].bits;
      for (int64_t k = 0; k < rank && count < RV_DEEPEST; k++)
        levels[count++] = (rv_level){((const int64_t *)values[at].data)[k], NULL};
    } else if (count < RV_DEEPEST) {
      bool jagged = form->dims[i] == '~';
      levels[count++] = (rv_level){(int64_t)values[at].bits, jagged ? values[at].data : NULL};
    }
  }
  return count;
}

RV_INLINE int64_t rv_row_begin(const rv_level *level, int64_t row) {
  return level->offsets ? level->offsets[row] : row * level->extent;
}

static uint64_t rv_element(const void *data, int prim, int64_t at) {
  uint64_t bits = 0;
  memcpy(&bits, (const char *)data + at * rv_sizes[prim], (size_t)rv_sizes[prim]);
  return bits;
}

static void rv_write(rv_text *out, const rv_form *form, const rv_value *values, int64_t row, bool inside);

static void rv_write_scalar(rv_text *out, int prim, uint64_t bits) {
  double number = 0;
  float single;
  uint32_t low = (uint32_t)bits;
  if (prim == RV_F64) memcpy(&number, &bits, sizeof number);
  if (prim == RV_F16) number = (double)rv_f32_of_f16((rv_f16)bits);
  if (prim == RV_F32) memcpy(&single, &low, sizeof single), number = (double)single;
  rv_scalar(out, prim, bits);
  /* The names of infinities and of NaN hold the type already. */
  if (prim != RV_BOOL && number - number == 0) rv_words(out, rv_prim_name(prim));
}

/* An array without elements, where brackets would not tell its shape. */
static bool rv_write_empty(rv_text *out, const rv_form *form, const rv_level *levels, int count, int64_t row) {
  int64_t from = row, to = row + 1;
  if (form->parts->kind != RV_SCALAR || count == 0) return false;
  for (int i = 0; i < count; i++) {
    from = rv_row_begin(&levels[i], from);
    to = rv_row_begin(&levels[i], to);
    if (i > 0 && levels[i].offsets && from != to) return false;
  }
  if (from != to) return false;
  rv_words(out, "empty(");
  for (int i = 0; i < count; i++) {
    bool jagged = i > 0 && levels[i].offsets;
    rv_words(out, jagged ? "[~" : "[");
    if (i == 0) rv_number(out, rv_row_begin(levels, row + 1) - rv_row_begin(levels, row));
    else if (!jagged) rv_number(out, levels[i].extent);
    rv_words(out, "]");
  }
  rv_words(out, rv_prim_name(form->parts->prim));
  rv_words(out, ")");
  return true;
}

static void rv_write_rows(rv_text *out, const rv_form *form, const rv_value *values, const rv_level *levels, int count,
                          int64_t row) {
  if (count == 0) {
    rv_write(out, form->parts, values, row, true);
    return;
  }
  int64_t end = rv_row_begin(levels, row + 1);
  rv_words(out, "[");
  for (int64_t i = rv_row_begin(levels, row); i < end; i++) {
    rv_write_rows(out, form, values, levels + 1, count - 1, i);
    if (i + 1 < end) rv_words(out, ", ");
  }
  rv_words(out, "]");
}

static void rv_write_fields(rv_text *out, const rv_form *form, const rv_value *values, int64_t row, bool inside) {
  bool record = form->kind == RV_RECORD;
  rv_words(out, record ? "{" : "(");
  for (int i = 0; i < form->count; i++) {
    if (i > 0) rv_words(out, ", ");
    if (record) rv_words(out, form->names[i]), rv_words(out, " = ");
    rv_write(out, &form->parts[i], values, row, inside);
  }
  rv_words(out, record ? "}" : ")");
}

static uint64_t rv_tag(const rv_form *form, const rv_value *values, int64_t row, bool inside) {
  const rv_value *tags = &values[form->first];
  return inside ? rv_element(tags->data, rv_tag_prim(form), row) : tags->bits;
}

static void rv_write_sum(rv_text *out, const rv_form *form, const rv_value *values, int64_t row, bool inside) {
  uint64_t tag = rv_tag(form, values, row, inside);
  rv_words(out, "#");
  rv_words(out, form->names[tag]);
  for (int i = 0; i < form->parts[tag].count; i++) {
    const rv_form *part = &form->parts[tag].parts[i];
    bool enclosed = part->kind == RV_SUM && part->parts[rv_tag(part, values, row, inside)].count > 0;
    rv_words(out, enclosed ? " (" : " ");
    rv_write(out, part, values, row, inside);
    if (enclosed) rv_words(out, ")");
  }
}

/* The value; `row` says which one of those in the arrays around, if there are any. */
static void rv_write(rv_text *out, const rv_form *form, const rv_value *values, int64_t row, bool inside) {
  switch (form->kind) {
  case RV_SCALAR: {
    const rv_value *value = &values[form->first];
    rv_write_scalar(out, form->prim, inside ? rv_element(value->data, form->prim, row) : value->bits);
    break;
  }
  case RV_ARRAY: {
    rv_level levels[RV_DEEPEST];
    int count = rv_levels(form, values, levels);
    if (!rv_write_empty(out, form, levels, count, row)) rv_write_rows(out, form, values, levels, count, row);
    break;
  }
  case RV_SUM: rv_write_sum(out, form, values, row, inside); break;
  default: rv_write_fields(out, form, values, row, inside); break;
  }
}
