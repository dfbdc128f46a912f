/* Values from text. The form says what is expected at every place, so that elements go to their columns at once. */
static void rv_read(rv_reader *r, const rv_form *form, bool inside, bool bare);

/* What stands for a part of a constructor that a value does not have. */
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

/* The dimensions to read. Of unknown ranks the text tells how many there are; they follow the column of the rank. */
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
      /* While they are read the extents are columns of their own. */
      shape->data = calloc((size_t)rank->count + 1, sizeof(rv_column));
      if (!shape->data) rv_wrong(r, r->line, "there is not enough memory");
      for (int64_t k = 0; k < rank->count; k++) ((rv_column *)(void *)shape->data)[k].count = -1;
    }
    for (int64_t k = 0; k < rank->count; k++) levels[count++] = (rv_reading){(rv_column *)(void *)shape->data + k, false};
  }
  return count;
}

/* `([0][~]i32)` behind the word `empty`, for an array from some level on. */
static void rv_read_empty(rv_reader *r, const rv_form *form, const rv_reading *levels, int count, bool row) {
  int64_t line = r->line, rows = 1, extents[RV_DEEPEST];
  int found = 0;
  char word[64];
  rv_expect(r, '(');
  while (rv_eat(r, '[')) {
    rv_literal x = {.whole = true};
    if (!rv_eat(r, '~')) {
      if (!rv_in_word(rv_peek(r))) rv_unexpected(r, "an extent");
      rv_word(r, word, sizeof word);
      bool fine = rv_read_literal(word, &x) && x.whole && !x.negative && x.magnitude <= INT64_MAX;
      if (!fine || (x.suffix >= 0 && x.suffix != RV_I64)) rv_wrong(r, r->line, "%s is not an extent", word);
    }
    rv_expect(r, ']');
    if (found == RV_DEEPEST) rv_wrong(r, r->line, "nested deeper than %d levels", RV_DEEPEST);
    extents[found++] = (int64_t)x.magnitude;
  }
  if (!rv_in_word(rv_peek(r))) rv_unexpected(r, "a type");
  rv_word(r, word, sizeof word);
  if (rv_prim_of(word) < 0) rv_wrong(r, r->line, "%s is not a type", word);
  rv_expect(r, ')');
  if (form->parts->kind != RV_SCALAR || rv_prim_of(word) != form->parts->prim || found != count)
    rv_mismatch(r, form, 0, "an empty array of another type");
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

/* The bytes of a string, for an array of `u8`; gives how many there are. */
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
  } else if (c == '(') {
    r->at++;
    if (++r->depth > RV_DEEPEST) rv_wrong(r, line, "nested deeper than %d levels", RV_DEEPEST);
    rv_read_rows(r, form, levels, count, row);
    r->depth--;
    rv_expect(r, ')');
  } else {
    bool word = rv_in_word(c), truth = rv_next_is(r, "true") || rv_next_is(r, "false");
    rv_mismatch(r, form, form->count > count ? form->count - count : 0, truth ? "a bool" : word ? "a number" : NULL);
  }
}

static void rv_read_scalar(rv_reader *r, const rv_form *form) {
  char c = rv_peek(r);
  int64_t line = r->line;
  bool yes = rv_next_is(r, "true"), truth = yes || rv_next_is(r, "false");
  if (c == '(') {
    r->at++;
    if (++r->depth > RV_DEEPEST) rv_wrong(r, line, "nested deeper than %d levels", RV_DEEPEST);
    rv_read_scalar(r, form);
    r->depth--;
    rv_expect(r, ')');
  } else if (truth && form->prim == RV_BOOL) {
    r->at += yes ? 4 : 5;
    rv_push(r, form->first, RV_BOOL, yes);
  } else if (truth || form->prim == RV_BOOL || !rv_in_word(c)) {
    rv_mismatch(r, form, 0, truth ? "a bool" : rv_in_word(c) ? "a number" : NULL);
  } else {
    rv_push(r, form->first, form->prim, rv_read_number(r, form->prim, line));
  }
}

static void rv_read_tuple(rv_reader *r, const rv_form *form, bool inside) {
  int64_t line = r->line;
  if (rv_peek(r) != '(') rv_mismatch(r, form, 0, rv_in_word(rv_peek(r)) ? "a number" : NULL);
  r->at++;
  for (int i = 0; i < form->count; i++) {
    if (rv_peek(r) == ')') rv_wrong(r, line, "a tuple of %d is expected, but this one has %d", form->count, i);
    if (i > 0) rv_expect(r, ',');
    rv_read(r, &form->parts[i], inside, false);
  }
  if (form->count > 0 && rv_eat(r, ',') && rv_peek(r) != ')')
    rv_wrong(r, line, "a tuple of %d is expected, but this one has more", form->count);
  rv_expect(r, ')');
}

/* A record; its fields come in any order. */
static void rv_read_record(rv_reader *r, const rv_form *form, bool inside) {
  char name[256];
  int64_t line = r->line;
  if (rv_peek(r) != '{') rv_mismatch(r, form, 0, rv_in_word(rv_peek(r)) ? "a number" : NULL);
  r->at++;
  bool *seen = calloc((size_t)form->count + 1, sizeof *seen);
  if (!seen) rv_wrong(r, line, "there is not enough memory");
  for (int i = 0; !rv_eat(r, '}'); i++) {
    if (i > 0) rv_expect(r, ',');
    if (!rv_in_word(rv_peek(r))) rv_unexpected(r, "the name of a field");
    rv_word(r, name, sizeof name);
    int field = 0;
    while (field < form->count && strcmp(form->names[field], name) != 0) field++;
    if (field == form->count || seen[field]) rv_wrong(r, r->line, "there is no field %s here", name);
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
  if (rv_eat(r, '(')) {
    if (++r->depth > RV_DEEPEST) rv_wrong(r, line, "nested deeper than %d levels", RV_DEEPEST);
    rv_read_sum(r, form, inside, false);
    r->depth--;
    rv_expect(r, ')');
    return;
  }
  if (rv_peek(r) != '#') rv_mismatch(r, form, 0, rv_in_word(rv_peek(r)) ? "a number" : NULL);
  r->at++;
  rv_word(r, name, sizeof name);
  int tag = 0;
  while (tag < form->count && strcmp(form->names[tag], name) != 0) tag++;
  if (tag == form->count) rv_wrong(r, line, "there is no constructor #%s here", name);
  if (bare && form->parts[tag].count > 0)
    rv_wrong(r, line, "#%s carries %d values: put it in parentheses", name, form->parts[tag].count);
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
