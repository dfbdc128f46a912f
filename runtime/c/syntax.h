/* The grammar of values as text, without types. Values are read directly by their types, which is fast. If that fails, the
   functions here decide whether the text is a value at all, and of which kind. Syntax errors are reported before type errors. */
static const char *rv_syntax(rv_reader *s, int depth);

/* The characters of an unknown token. */
RV_COLD static _Noreturn void rv_strange(const rv_reader *s) {
  unsigned char c = (unsigned char)s->bytes[s->at];
  size_t length = 1;
  while (s->at + length < s->length && ((unsigned char)s->bytes[s->at + length] & 0xc0) == 0x80) length++;
  if (c >= ' ' && c != 127 && c != '\\') rv_wrong(s, s->line, "'%.*s' cannot be part of a value", (int)length, s->bytes + s->at);
  if (c == 0 || c == '\\') rv_wrong(s, s->line, "'\\%c' cannot be part of a value", c == 0 ? '0' : '\\');
  rv_wrong(s, s->line, "'\\u{%x}' cannot be part of a value", (unsigned)c);
}

/* The length of a string from its opening quote on, up to the closing one. */
static size_t rv_string_end(rv_reader *s) {
  int64_t line = s->line;
  for (size_t at = s->at + 1; at < s->length; at++) {
    if (s->bytes[at] == '"') return at;
    if (s->bytes[at] == '\n') s->line++;
    if (s->bytes[at] == '\\') at++;
  }
  rv_wrong(s, line, "this string has no closing quote");
}

static bool rv_is_mark(char c) { return c && strchr("[](){},=~:", c); }

/* What begins here: a mark as itself, 'w' a word, '#', '"', 0 at the end. Reports anything else. */
static char rv_token(rv_reader *s) {
  rv_skip(s);
  if (s->at >= s->length) return 0;
  char c = s->bytes[s->at];
  rv_reader ahead = *s;
  if (c == '"') rv_string_end(&ahead);
  if (c == '"' || c == '#' || rv_is_mark(c)) return c;
  if (!rv_in_word(c)) rv_strange(s);
  return 'w';
}

/* As `rv_token`, where something must follow. */
static char rv_some_token(rv_reader *s) {
  int64_t line = s->line;
  char token = rv_token(s);
  if (token == 0) rv_wrong(s, line, "the value ends too early");
  return token;
}

/* Reports that something else is here. */
RV_COLD static _Noreturn void rv_unexpected(rv_reader *s, const char *expected) {
  char token = rv_some_token(s), word[512] = {0};
  if (token == '#') s->at++;
  if (token == 'w' || token == '#') rv_word(s, word, sizeof word);
  if (token == 'w' || token == '#') rv_wrong(s, s->line, "%s is expected, but here is %s%s", expected, token == '#' ? "#" : "", word);
  if (token == '"') rv_wrong(s, s->line, "%s is expected, but here is a string", expected);
  rv_wrong(s, s->line, "%s is expected, but here is '%c'", expected, token);
}

static bool rv_eats(rv_reader *s, char mark) {
  rv_reader ahead = *s;
  if (rv_token(&ahead) != mark) return false;
  *s = ahead;
  s->at++;
  return true;
}

static void rv_expects(rv_reader *s, char mark) {
  char expected[4] = {'\'', mark, '\'', 0};
  if (rv_some_token(s) != mark) rv_unexpected(s, expected);
  s->at++;
}

static void rv_syntax_string(rv_reader *s) {
  int64_t line = s->line;
  size_t end = rv_string_end(s);
  for (size_t at = s->at + 1; at < end; at++) {
    if (s->bytes[at] != '\\') continue;
    size_t length = 1;
    char name = s->bytes[++at];
    while (at + length < end && ((unsigned char)s->bytes[at + length] & 0xc0) == 0x80) length++;
    if (!name || !strchr("ntr0\"\\'", name)) rv_wrong(s, line, "\\%.*s means nothing in a string", (int)length, s->bytes + at);
  }
  s->at = end + 1;
}

/* `([0][~]i32)` after the word `empty`. */
static void rv_syntax_empty(rv_reader *s) {
  char word[512];
  rv_literal x;
  for (rv_expects(s, '('); rv_eats(s, '[');) {
    char token = rv_some_token(s);
    if (token == 'w') {
      rv_word(s, word, sizeof word);
      bool fine = rv_read_literal(word, &x) && x.whole && !x.negative && x.magnitude <= INT64_MAX;
      if (!fine || (x.suffix >= 0 && x.suffix != RV_I64)) rv_wrong(s, s->line, "%s is not an extent", word);
    } else if (token != '~') {
      rv_unexpected(s, "an extent");
    } else {
      s->at++;
    }
    rv_expects(s, ']');
  }
  if (rv_some_token(s) != 'w') rv_unexpected(s, "a type");
  rv_word(s, word, sizeof word);
  if (rv_prim_of(word) < 0) rv_wrong(s, s->line, "%s is not a type", word);
  rv_expects(s, ')');
}

/* A constructor takes the values after it on its line; returns how many. */
static int rv_syntax_constructor(rv_reader *s, int depth) {
  char word[512];
  int64_t line = s->line;
  int count = 0;
  s->at++;
  if (s->at >= s->length || !rv_in_word(s->bytes[s->at])) rv_wrong(s, line, "the name of a constructor is expected behind '#'");
  rv_word(s, word, sizeof word);
  for (;; count++) {
    rv_reader ahead = *s;
    char token = rv_token(&ahead);
    if (token == 0 || ahead.line != line || !strchr("w\"[({#", token)) return count;
    *s = ahead;
    if (token != '#') {
      rv_syntax(s, depth + 1);
      continue;
    }
    if (s->at + 1 >= s->length || !rv_in_word(s->bytes[s->at + 1])) return count;
    s->at++;
    rv_word(s, word, sizeof word);
  }
}

/* Items separated by commas, including the closing mark; returns how many, and the kind of the last one. */
static int rv_syntax_items(rv_reader *s, char close, int depth, const char **kind) {
  int count = 0;
  for (; !rv_eats(s, close); count++) {
    /* Between elements of an array a comma may be left out. */
    if (count > 0 && !rv_eats(s, ',') && close != ']') rv_expects(s, ',');
    if (close == '}') {
      char word[512] = ".";
      char token = rv_some_token(s);
      size_t at = s->at;
      if (token == 'w') rv_word(s, word, sizeof word);
      if (strpbrk(word, ".-+")) s->at = at, rv_unexpected(s, "the name of a field");
      rv_expects(s, '=');
    }
    *kind = rv_syntax(s, depth + 1);
  }
  return count;
}

/* Any value; returns its kind. */
static const char *rv_syntax(rv_reader *s, int depth) {
  char word[512], token = rv_some_token(s);
  const char *kind = NULL;
  int64_t line = s->line;
  if (depth > RV_DEEPEST) rv_wrong(s, line, "nested deeper than %d levels", RV_DEEPEST);
  rv_literal x;
  switch (token) {
  case 'w':
    rv_word(s, word, sizeof word);
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) return "a bool";
    if (strcmp(word, "empty") == 0) {
      rv_syntax_empty(s);
      return "an array";
    }
    if (!rv_read_literal(word, &x)) rv_wrong(s, line, "%s is not a number", word);
    return "a number";
  case '"': rv_syntax_string(s); return "an array";
  case '#': rv_syntax_constructor(s, depth); return "a constructor";
  case '[': s->at++, rv_syntax_items(s, ']', depth, &kind); return "an array";
  case '{': s->at++, rv_syntax_items(s, '}', depth, &kind); return "a record";
  case '(': s->at++; return rv_syntax_items(s, ')', depth, &kind) == 1 ? kind : "a tuple";
  default: rv_wrong(s, line, "a value is expected, but here is '%c'", token);
  }
}

/* A reader for the syntax alone, from some place to the end of the text. */
static rv_reader rv_syntax_from(const rv_reader *r, size_t at, int64_t line) {
  rv_reader s = *r;
  s.whole = false;
  s.at = at;
  s.line = line;
  s.length = at + rv_text_end(r->bytes + at, r->length - at);
  return s;
}

/* The value being read has an error: if its syntax is wrong, reports that. */
RV_COLD static void rv_check_syntax(const rv_reader *r) {
  rv_reader s = rv_syntax_from(r, r->value_at, r->value_line);
  rv_reader start = s;
  rv_skip(&start);
  if (start.at == start.length && start.length < r->length)
    rv_wrong_byte(r, start.length, "this is neither text nor a binary value");
  rv_syntax(&s, 0);
}

/* Reports a value of this kind where another one is expected, from some dimension on. */
RV_COLD static _Noreturn void rv_other_kind(const rv_reader *r, const rv_form *form, int level, int64_t line, const char *kind) {
  rv_text type = {0};
  if (form->kind == RV_TUPLE) {
    rv_words(&type, "a tuple of ");
    rv_number(&type, form->count);
  } else if (form->kind == RV_RECORD || form->kind == RV_SUM) {
    rv_words(&type, form->kind == RV_RECORD ? "a record" : "a constructor");
  } else {
    rv_words(&type, "a value of type ");
    rv_type(&type, form, level);
  }
  rv_wrong(r, line, "%s is expected, but here is %s", type.text, kind);
}

RV_COLD static _Noreturn void rv_mismatch(rv_reader *r, const rv_form *form, int level) {
  rv_check_syntax(r);
  rv_skip(r);
  rv_reader here = rv_syntax_from(r, r->at, r->line);
  rv_other_kind(r, form, level, r->line, rv_syntax(&here, 0));
}
