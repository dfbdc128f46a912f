/* Reads values from text. The form says what is expected at each place, so elements go directly into their columns. */
static void rv_read(rv_reader *r, const rv_form *form, bool inside, bool bare);

static void rv_expect(rv_reader *r, char mark) {
  char expected[4] = {'\'', mark, '\'', 0};
  if (rv_eat(r, mark)) return;
  rv_check_syntax(r);
  rv_unexpected(r, expected);
}

/* The dummy for a part of a constructor that a value does not have. */
static void rv_read_nothing(rv_reader *r, const rv_form *form) {
  rv_column *column = &r->columns[form->first];
  switch (form->kind) {
  case RV_SCALAR: rv_push(r, form->first, form->prim, 0); return;
  case RV_SUM: rv_push(r, form->first, rv_tag_prim(form), 0); break;
  case RV_ARRAY:
    if (form->dims[0] == '~') rv_push_row(r, column, 0);
    return;
  default: break;
  }
  for (int i = 0; i < form->count; i++) rv_read_nothing(r, &form->parts[i]);
}

/* How deep the brackets go that begin here. */
static int rv_depth(rv_reader *r) {
  rv_reader ahead = *r;
  int depth = 0, most = 0, other = 0;
  do {
    char c = rv_peek(&ahead);
    if (c == 0) break;
    ahead.at++;
    if (c == '(' || c == '{') other++;
    if (c == ')' || c == '}') other--;
    if (c == '[' || c == '"') depth++;
    if (depth > most) most = depth;
    if (c == ']') depth--;
    if (c == '"') {
      for (; ahead.at < ahead.length && ahead.bytes[ahead.at] != '"'; ahead.at++)
        if (ahead.bytes[ahead.at] == '\\') ahead.at++;
      ahead.at++;
      depth--;
    }
    if (c == 'e' && depth + other == 0 && ahead.length - ahead.at > 4 && memcmp(ahead.bytes + ahead.at, "mpty", 4) == 0) {
      for (; ahead.at < ahead.length && ahead.bytes[ahead.at] != ')'; ahead.at++) most += ahead.bytes[ahead.at] == '[';
      return most;
    }
  } while (depth + other > 0 && ahead.at < ahead.length);
  return most;
}

/* The dimensions to read. For an unknown rank, the text determines their number; they follow the column of the rank. */
static int rv_readings(rv_reader *r, const rv_form *form, rv_reading *levels) {
  int count = 0, at = form->first;
  for (int i = 0; i < form->count; i++, at++) {
    if (form->dims[i] != '.') {
      levels[count++] = (rv_reading){&r->columns[at], form->dims[i] == '~'};
      continue;
    }
    rv_column *rank = &r->columns[at++], *shape = &r->columns[at];
    if (rank->count < 0) {
      int depth = rv_depth(r) - (form->count - 1);
      if (depth + form->count > RV_DEEPEST) rv_wrong(r, r->line, "nested deeper than %d levels", RV_DEEPEST);
      rank->count = depth > 0 ? depth : 0;
      /* While reading, each extent is a separate column. */
      shape->data = calloc((size_t)rank->count + 1, sizeof(rv_column));
      if (!shape->data) rv_wrong(r, r->line, "there is not enough memory");
      for (int64_t k = 0; k < rank->count; k++) ((rv_column *)(void *)shape->data)[k].count = -1;
    }
    for (int64_t k = 0; k < rank->count; k++) levels[count++] = (rv_reading){(rv_column *)(void *)shape->data + k, false};
  }
  return count;
}

/* Enters parentheses around a single value, if there are any; not those of a tuple. */
static bool rv_open(rv_reader *r, bool tuple) {
  if (rv_peek(r) != '(') return false;
  rv_reader ahead = rv_syntax_from(r, r->at + 1, r->line);
  const char *kind = NULL;
  if (tuple && rv_peek(&ahead) != '(') return false;
  if (rv_syntax_items(&ahead, ')', r->depth, &kind) != 1) return false;
  if (++r->depth > RV_DEEPEST) rv_wrong(r, r->line, "nested deeper than %d levels", RV_DEEPEST);
  r->at++;
  return true;
}

static void rv_shut(rv_reader *r) {
  r->depth--;
  rv_expect(r, ')');
}

/* An empty array of another type than is expected; or a row with this many dimensions. */
RV_COLD static _Noreturn void rv_other_empty(rv_reader *r, const rv_form *form, int row, int64_t line, int rank, int prim) {
  rv_text type = {0};
  if (row > 0 || form->parts->kind != RV_SCALAR)
    rv_other_kind(r, form, row > 0 && form->count > row ? form->count - row : 0, line, "an array");
  rv_type(&type, form, 0);
  rv_words(&type, " is expected, but this one is ");
  for (int i = 0; i < rank; i++) rv_words(&type, "[]");
  rv_wrong(r, line, "a value of type %s%s", type.text, rv_prim_name(prim));
}

/* A string, which is an array of numbers, where that is not expected. */
RV_COLD static _Noreturn void rv_other_string(rv_reader *r, const rv_form *form, int count, bool row) {
  const rv_form *element = form->parts;
  if (r->at + 1 < r->length && r->bytes[r->at + 1] == '"') rv_other_empty(r, form, row ? count : 0, r->line, 1, RV_U8);
  if (count > 1) rv_other_kind(r, form, form->count >= count ? form->count - count + 1 : 0, r->line, "a number");
  if (element->kind != RV_SCALAR || element->prim == RV_BOOL) rv_other_kind(r, element, 0, r->line, "a number");
  rv_wrong(r, r->line, "a number of type %s is expected, but this one is of type u8", rv_prim_name(element->prim));
}

/* `([0][~]i32)` after the word `empty`, for an array from some level on. */
static void rv_read_empty(rv_reader *r, const rv_form *form, const rv_reading *levels, int count, bool row) {
  int64_t line = r->line, rows = 1, extents[RV_DEEPEST];
  int found = 0;
  char word[64];
  rv_expect(r, '(');
  while (rv_eat(r, '[')) {
    rv_literal x = {.whole = true};
    if (!rv_eat(r, '~')) {
      if (!rv_in_word(rv_peek(r))) rv_wrong(r, r->line, "an extent is expected");
      rv_word(r, word, sizeof word);
      bool fine = rv_read_literal(word, &x) && x.whole && !x.negative && x.magnitude <= INT64_MAX;
      if (!fine || (x.suffix >= 0 && x.suffix != RV_I64)) rv_wrong(r, r->line, "%s is not an extent", word);
    }
    rv_expect(r, ']');
    if (found == RV_DEEPEST) rv_wrong(r, r->line, "nested deeper than %d levels", RV_DEEPEST);
    extents[found++] = (int64_t)x.magnitude;
  }
  if (!rv_in_word(rv_peek(r))) rv_wrong(r, r->line, "a type is expected");
  rv_word(r, word, sizeof word);
  if (rv_prim_of(word) < 0) rv_wrong(r, r->line, "%s is not a type", word);
  rv_expect(r, ')');
  if (form->parts->kind != RV_SCALAR || rv_prim_of(word) != form->parts->prim || found != count)
    rv_other_empty(r, form, row ? count : 0, line, found, rv_prim_of(word));
  if (row && extents[0] != 0)
    rv_wrong(r, line, "inside brackets only empty([0]...) can stand for a row; write the rows as []");
  for (int i = 0; i < count; i++) {
    if (levels[i].jagged) {
      if (rows > 1 << 24) rv_wrong(r, line, "%lld rows without elements are too many for a jagged array", (long long)rows);
      for (int64_t k = 0; k < rows; k++) rv_push_row(r, levels[i].column, extents[i]);
    } else if (rows > 0) {
      rv_row(r, &levels[i], extents[i], line);
    } else if (levels[i].column->count < 0) {
      levels[i].column->count = extents[i];
    }
    if (__builtin_mul_overflow(rows, extents[i], &rows)) rv_wrong(r, line, "this shape is too large");
  }
  if (rows != 0) rv_wrong(r, line, "a shape behind empty must have a dimension of 0 or [~]");
}

/* The bytes of a string, for an array of `u8`; returns how many there are. */
static int64_t rv_read_string(rv_reader *r, int component) {
  int64_t count = 0, line = r->line;
  static const char meant[] = "n\nt\tr\r0\0\"\"\\\\''";
  for (r->at++;; r->at++, count++) {
    if (r->at >= r->length) rv_wrong(r, line, "this string has no closing quote");
    char c = r->bytes[r->at];
    if (c == '"') break;
    if (c == '\n') r->line++;
    if (c == '\\') {
      const char *pair = meant;
      char name = ++r->at < r->length ? r->bytes[r->at] : 0;
      while (pair < meant + sizeof meant - 1 && *pair != name) pair += 2;
      if (pair >= meant + sizeof meant - 1) rv_wrong(r, r->line, "\\%c means nothing in a string", name);
      c = pair[1];
    }
    rv_push(r, component, RV_U8, (uint8_t)c);
  }
  r->at++;
  return count;
}

static bool rv_next_is(rv_reader *r, const char *word) {
  size_t length = strlen(word);
  rv_skip(r);
  return r->length - r->at >= length && memcmp(r->bytes + r->at, word, length) == 0 &&
         (r->at + length == r->length || !rv_in_word(r->bytes[r->at + length]));
}

/* An array from some level on. */
static void rv_read_rows(rv_reader *r, const rv_form *form, const rv_reading *levels, int count, bool row) {
  if (count == 0) {
    rv_read(r, form->parts, true, false);
    return;
  }
  char c = rv_peek(r);
  int64_t length = 0, line = r->line;
  if (c == '"' && count == 1 && form->parts->kind == RV_SCALAR && form->parts->prim == RV_U8) {
    rv_row(r, levels, rv_read_string(r, form->parts->first), line);
  } else if (c == '"') {
    rv_other_string(r, form, count, row);
  } else if (rv_next_is(r, "empty")) {
    r->at += 5;
    rv_read_empty(r, form, levels, count, row);
  } else if (c == '[') {
    r->at++;
    for (; !rv_eat(r, ']'); length++) {
      if (length > 0) rv_eat(r, ',');
      rv_read_rows(r, form, levels + 1, count - 1, true);
    }
    rv_row(r, levels, length, line);
  } else if (rv_open(r, false)) {
    rv_read_rows(r, form, levels, count, row);
    rv_shut(r);
  } else {
    rv_mismatch(r, form, form->count > count ? form->count - count : 0);
  }
}

static void rv_read_scalar(rv_reader *r, const rv_form *form) {
  char c = rv_peek(r);
  int64_t line = r->line;
  bool yes = rv_next_is(r, "true"), truth = yes || rv_next_is(r, "false");
  if (truth && form->prim == RV_BOOL) {
    r->at += yes ? 4 : 5;
    rv_push(r, form->first, RV_BOOL, yes);
  } else if (truth || form->prim == RV_BOOL || !rv_in_word(c) || rv_next_is(r, "empty")) {
    rv_mismatch(r, form, 0);
  } else {
    rv_push(r, form->first, form->prim, rv_read_number(r, form->prim, line));
  }
}

static void rv_read_tuple(rv_reader *r, const rv_form *form, bool inside) {
  if (rv_peek(r) != '(') rv_mismatch(r, form, 0);
  int64_t line = r->line;
  rv_reader ahead = rv_syntax_from(r, r->at + 1, r->line);
  const char *kind = NULL;
  int given = rv_syntax_items(&ahead, ')', r->depth, &kind);
  if (given == 1) rv_other_kind(r, form, 0, line, kind);
  if (given != form->count) rv_wrong(r, line, "a tuple of %d is expected, but this one has %d", form->count, given);
  r->at++;
  for (int i = 0; i < form->count; i++) {
    if (i > 0) rv_expect(r, ',');
    rv_read(r, &form->parts[i], inside, false);
  }
  rv_expect(r, ')');
}

RV_COLD static _Noreturn void rv_not_in(rv_reader *r, int64_t line, const char *what, const char *name, const rv_form *form) {
  rv_text type = {0};
  rv_type(&type, form, 0);
  rv_wrong(r, line, "there is no %s%s in %s", what, name, type.text);
}

/* A record; its fields come in any order. */
static void rv_read_record(rv_reader *r, const rv_form *form, bool inside) {
  char name[256];
  int64_t line = r->line;
  if (rv_peek(r) != '{') rv_mismatch(r, form, 0);
  r->at++;
  bool *seen = calloc((size_t)form->count + 1, sizeof *seen);
  if (!seen) rv_wrong(r, line, "there is not enough memory");
  for (int i = 0; !rv_eat(r, '}'); i++) {
    if (i > 0) rv_expect(r, ',');
    if (!rv_in_word(rv_peek(r))) rv_wrong(r, r->line, "the name of a field is expected");
    rv_word(r, name, sizeof name);
    int field = 0;
    while (field < form->count && strcmp(form->names[field], name) != 0) field++;
    if (field == form->count) rv_not_in(r, line, "field ", name, form);
    if (seen[field]) rv_wrong(r, line, "the field %s is given twice", name);
    seen[field] = true;
    rv_expect(r, '=');
    rv_read(r, &form->parts[field], inside, false);
  }
  for (int i = 0; i < form->count; i++)
    if (!seen[i]) rv_wrong(r, line, "the field %s is missing", form->names[i]);
  free(seen);
}

/* A constructor and what it carries; a bare one carries nothing. */
static void rv_read_sum(rv_reader *r, const rv_form *form, bool inside, bool bare) {
  char name[256];
  int64_t line = r->line;
  if (rv_peek(r) != '#') rv_mismatch(r, form, 0);
  line = r->line;
  rv_reader ahead = rv_syntax_from(r, r->at, r->line);
  int given = bare ? 0 : rv_syntax_constructor(&ahead, r->depth);
  r->at++;
  rv_word(r, name, sizeof name);
  int tag = 0;
  while (tag < form->count && strcmp(form->names[tag], name) != 0) tag++;
  if (tag == form->count) rv_not_in(r, line, "constructor #", name, form);
  if (form->parts[tag].count != given)
    rv_wrong(r, line, "#%s carries %d values, but here are %d", name, form->parts[tag].count, given);
  rv_push(r, form->first, rv_tag_prim(form), (uint64_t)tag);
  for (int i = 0; i < form->count; i++) {
    const rv_form *parts = &form->parts[i];
    for (int k = 0; k < parts->count; k++) {
      if (i == tag) rv_read(r, &parts->parts[k], inside, true);
      else rv_read_nothing(r, &parts->parts[k]);
    }
  }
}

static void rv_read(rv_reader *r, const rv_form *form, bool inside, bool bare) {
  if (rv_open(r, form->kind == RV_TUPLE)) {
    rv_read(r, form, inside, false);
    rv_shut(r);
    return;
  }
  switch (form->kind) {
  case RV_SCALAR: rv_read_scalar(r, form); break;
  case RV_ARRAY: {
    rv_reading levels[2 * RV_DEEPEST];
    int count = rv_readings(r, form, levels);
    rv_read_rows(r, form, levels, count, false);
    break;
  }
  case RV_TUPLE: rv_read_tuple(r, form, inside); break;
  case RV_RECORD: rv_read_record(r, form, inside); break;
  default: rv_read_sum(r, form, inside, bare); break;
  }
}
