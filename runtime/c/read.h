/* Reads values from text and binary files directly into the components that compiled code works with. Malformed input ends
   the program with a message that names the place. */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>

/* A component that is being read. */
typedef struct {
  char *data;
  int64_t count, room; /* elements; an extent that is not known yet is -1 */
  int64_t line;        /* where an extent comes from; 0 if nothing depends on it */
} rv_column;

typedef struct {
  const char *program, *source; /* for messages */
  bool places;                  /* whether messages name the line */
  const char *member;           /* of an archive, which starts at a byte of it; or null */
  size_t member_start;
  const char *bytes;
  size_t length, at;
  int64_t line;
  int depth;
  bool whole;      /* whether a value is being read as text, which begins at this place */
  size_t value_at;
  int64_t value_line;
  rv_column *columns;
} rv_reader;

RV_COLD static _Noreturn void rv_wrong_at(const rv_reader *r, const char *what, int64_t place, const char *message,
                                          va_list args) {
  fflush(stdout);
  fprintf(stderr, "%s: %s: ", r->program, r->source);
  if (r->member) fprintf(stderr, "byte %llu: member `%s`: ", (unsigned long long)r->member_start, r->member);
  if (r->places) fprintf(stderr, "%s %lld: ", what, (long long)place);
  vfprintf(stderr, message, args);
  fputc('\n', stderr);
  exit(1);
}

static void rv_check_syntax(const rv_reader *r);

RV_COLD __attribute__((format(printf, 3, 4))) static _Noreturn void rv_wrong(const rv_reader *r, int64_t line,
                                                                              const char *message, ...) {
  va_list args;
  if (r->whole) rv_check_syntax(r);
  va_start(args, message);
  rv_wrong_at(r, "line", line, message, args);
}

RV_COLD __attribute__((format(printf, 3, 4))) static _Noreturn void rv_wrong_byte(const rv_reader *r, size_t byte,
                                                                                   const char *message, ...) {
  va_list args;
  va_start(args, message);
  rv_wrong_at(r, "byte", (int64_t)byte, message, args);
}

/* Makes room for more elements. */
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

/* The next character that is not a blank; 0 at the end. */
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

/* The position of the first byte that is not UTF-8; the length if all are. */
static size_t rv_text_end(const char *text, size_t length) {
  for (size_t i = 0; i < length;) {
    unsigned char c = (unsigned char)text[i], next = i + 1 < length ? (unsigned char)text[i + 1] : 0;
    int more = c < 0x80 ? 0 : c < 0xc2 ? -1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : -1;
    bool strange = (c == 0xe0 && next < 0xa0) || (c == 0xed && next >= 0xa0) || (c == 0xf0 && next < 0x90) || (c == 0xf4 && next >= 0x90);
    if (more < 0 || (more > 0 && strange) || (size_t)more >= length - i) return i;
    for (int k = 1; k <= more; k++)
      if ((text[i + (size_t)k] & 0xc0) != 0x80) return i;
    i += (size_t)more + 1;
  }
  return length;
}
