/* Values from text and from binary files, straight into the components that compiled code works with. What is malformed
   ends the program with a message that names the place. */
#include <stdarg.h>

/* A component in the making. */
typedef struct {
  char *data;
  int64_t count, room; /* elements; an extent that is not known yet is -1 */
  int64_t line;        /* where an extent comes from; 0 if nothing depends on it */
} rv_column;

typedef struct {
  const char *program, *source; /* for messages */
  bool places;                  /* whether a message tells the line */
  const char *bytes;
  size_t length, at;
  int64_t line;
  int depth;
  rv_column *columns;
} rv_reader;

RV_COLD static _Noreturn void rv_wrong_at(const rv_reader *r, const char *what, int64_t place, const char *message,
                                          va_list args) {
  fflush(stdout);
  fprintf(stderr, "%s: %s: ", r->program, r->source);
  if (r->places) fprintf(stderr, "%s %lld: ", what, (long long)place);
  vfprintf(stderr, message, args);
  fputc('\n', stderr);
  exit(1);
}

RV_COLD __attribute__((format(printf, 3, 4))) static _Noreturn void rv_wrong(const rv_reader *r, int64_t line,
                                                                              const char *message, ...) {
  va_list args;
  va_start(args, message);
  rv_wrong_at(r, "line", line, message, args);
}

RV_COLD __attribute__((format(printf, 3, 4))) static _Noreturn void rv_wrong_byte(const rv_reader *r, size_t byte,
                                                                                   const char *message, ...) {
  va_list args;
  va_start(args, message);
  rv_wrong_at(r, "byte", (int64_t)byte, message, args);
}

/* Room for more elements. */
static char *rv_extend(const rv_reader *r, rv_column *column, int64_t count, int64_t size) {
  if (count > (INT64_MAX / 4) / size - column->count) rv_wrong(r, r->line, "too many elements");
  int64_t needed = column->count + count;
  if (needed > column->room) {
    int64_t room = needed > 2 * column->room ? needed : 2 * column->room;
    if (room < 16) room = 16;
    char *data = realloc(column->data, (size_t)(room * size));
    if (!data) rv_wrong(r, r->line, "there is not enough memory for %lld elements", (long long)needed);
    column->data = data;
    column->room = room;
  }
  char *new = column->data + column->count * size;
  column->count = needed;
  return new;
}

static void rv_push(const rv_reader *r, int component, int prim, uint64_t bits) {
  memcpy(rv_extend(r, &r->columns[component], 1, rv_sizes[prim]), &bits, (size_t)rv_sizes[prim]);
}

/* Another row of a jagged dimension. */
static void rv_push_row(const rv_reader *r, rv_column *column, int64_t length) {
  int64_t last = ((int64_t *)(void *)column->data)[column->count - 1] + length;
  memcpy(rv_extend(r, column, 1, sizeof last), &last, sizeof last);
}

/* A dimension of an array that is being read. */
typedef struct {
  rv_column *column; /* of the offsets if it is jagged, else of the extent */
  bool jagged;
} rv_reading;

static void rv_row(const rv_reader *r, const rv_reading *level, int64_t length, int64_t line) {
  rv_column *column = level->column;
  if (level->jagged) {
    rv_push_row(r, column, length);
  } else if (column->count < 0 || column->line == 0) {
    column->count = length;
    column->line = line;
  } else if (column->count != length) {
    rv_wrong(r, line,
             "rows must all have the same length here, but the row on line %lld has %lld elements and this one has %lld",
             (long long)column->line, (long long)column->count, (long long)length);
  }
}

/* Blanks and comments. */
static void rv_skip(rv_reader *r) {
  for (; r->at < r->length; r->at++) {
    char c = r->bytes[r->at];
    if (c == '\n') {
      r->line++;
    } else if (c == '-' && r->at + 1 < r->length && r->bytes[r->at + 1] == '-') {
      while (r->at + 1 < r->length && r->bytes[r->at + 1] != '\n') r->at++;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\f') {
      return;
    }
  }
}

static bool rv_in_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '+' ||
         c == '_' || c == '\'';
}

/* The next character that is no blank; 0 at the end. */
static char rv_peek(rv_reader *r) {
  rv_skip(r);
  return r->at < r->length ? r->bytes[r->at] : 0;
}

static bool rv_eat(rv_reader *r, char mark) {
  bool found = rv_peek(r) == mark;
  if (found) r->at++;
  return found;
}

/* The next word, cut where it would be too long for any number. */
static void rv_word(rv_reader *r, char *word, size_t room) {
  size_t length = 0;
  for (; r->at < r->length && rv_in_word(r->bytes[r->at]); r->at++)
    if (length + 1 < room) word[length++] = r->bytes[r->at];
  word[length] = 0;
}

/* What stands here, for a message. */
RV_COLD static _Noreturn void rv_unexpected(rv_reader *r, const char *expected) {
  char word[64], c = rv_peek(r);
  if (c == 0) rv_wrong(r, r->line, "the value ends too early");
  if (c == '"') rv_wrong(r, r->line, "%s is expected, but here is a string", expected);
  if (rv_in_word(c) || c == '#') {
    if (c == '#') r->at++;
    rv_word(r, word, sizeof word);
    rv_wrong(r, r->line, "%s is expected, but here is %s%s", expected, c == '#' ? "#" : "", word);
  }
  if (strchr("[](){},=~:", c)) rv_wrong(r, r->line, "%s is expected, but here is '%c'", expected, c);
  if (c < ' ' || c > '~') rv_wrong_byte(r, r->at, "this is neither text nor a binary value");
  rv_wrong(r, r->line, "'%c' cannot be part of a value", c);
}

static void rv_expect(rv_reader *r, char mark) {
  char expected[4] = {'\'', mark, '\'', 0};
  if (!rv_eat(r, mark)) rv_unexpected(r, expected);
}

/* A value of another kind stands here. */
RV_COLD static _Noreturn void rv_mismatch(rv_reader *r, const rv_form *form, int level, const char *kind) {
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
  char c = rv_peek(r);
  if (!kind) kind = c == '[' || c == '"' ? "an array" : c == '(' ? "a tuple" : c == '{' ? "a record" : c == '#' ? "a constructor" : NULL;
  if (!kind) rv_unexpected(r, type.text);
  rv_wrong(r, r->line, "%s is expected, but here is %s", type.text, kind);
}
