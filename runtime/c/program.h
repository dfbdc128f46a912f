/* The main function of an executable: reads arguments, runs an entry point, writes its results. */
#include <errno.h>
#include <time.h>

typedef struct {
  const char *name, *type;
  int params, results;       /* how many */
  const rv_form *param_forms, *result_forms;
  int in, out;               /* how many components */
  bool consumes;             /* whether it overwrites arguments */
} rv_entry_point;

typedef struct {
  const char *name, *file;
  int entries;
  const rv_entry_point *entry;
} rv_program;

typedef struct {
  const rv_program *program;
  const rv_entry_point *entry;
  int number;
  bool binary, quiet, asked;
  int64_t runs, threads, memory;
  const char *times;
  char **values; /* arguments on the command line */
  int value_count;
  const char *shown; /* the name by which the program was called */
  int status;
} rv_run;

RV_COLD __attribute__((format(printf, 3, 4))) static _Noreturn void rv_complain(const rv_run *run, int status,
                                                                                 const char *message, ...) {
  va_list args;
  va_start(args, message);
  fprintf(stderr, "%s: ", run->shown);
  vfprintf(stderr, message, args);
  fputc('\n', stderr);
  exit(status);
}

RV_COLD static void rv_help(const rv_run *run) {
  const rv_program *program = run->program;
  printf("Usage: %s [OPTION...] [ARG...]\n\n%s, compiled by Ravel. Entry points:\n", run->shown, program->file);
  for (int i = 0; i < program->entries; i++) printf("  %s : %s\n", program->entry[i].name, program->entry[i].type);
  puts("\nEach ARG is a value as text, or @FILE for a file with a value: .npy, text or binary. Without any the values are read from\n"
       "standard input. Results are written to standard output, one a line.\n\n"
       "Options:\n"
       "  -e, --entry NAME    run this entry point [default: main, or the only one there is]\n"
       "  -b, --binary        write results in binary\n"
       "  -n, --no-result     write no results\n"
       "  -r, --runs N        run it N times; results are those of the last run\n"
       "  -t, --times FILE    write the time of each run in microseconds to a file, one a line\n"
       "      --threads N     use N threads [default: one a core]\n"
       "      --memory MIB    let arrays take so much memory [default: what the machine has]\n"
       "  -h, --help          show this\n\n"
       "Exit status: 0 fine, 1 the program or its input is at fault, 2 wrong usage.");
}

/* Whether an argument that begins with a minus sign is a number and no option. */
static bool rv_negative(const char *arg) {
  static const char *const names[] = {"f16.", "f32.", "f64.", "inf", "nan"};
  bool found = arg[1] == '.' || (arg[1] >= '0' && arg[1] <= '9');
  for (int i = 0; i < 5; i++) found |= strncmp(arg + 1, names[i], strlen(names[i])) == 0;
  return found;
}

/* The value of an option: behind a `=`, behind its letter, or the next argument. Null if this is another option. */
static const char *rv_option(const rv_run *run, char ***arg, const char *letter, const char *name, const char *other) {
  char *text = **arg;
  size_t length = strlen(text);
  for (int i = 0; i < 3; i++) {
    const char *form = i == 0 ? letter : i == 1 ? name : other;
    size_t own = form ? strlen(form) : 0;
    if (own == 0 || length < own || strncmp(text, form, own) != 0) continue;
    if (length == own) {
      if (!(*arg)[1]) rv_complain(run, 2, "%s needs a value; see --help", text);
      return *++*arg;
    }
    if (i > 0 && text[own] == '=') return text + own + 1;
    if (i == 0) return text + own;
  }
  return NULL;
}

static int64_t rv_count_option(const rv_run *run, const char *name, const char *text) {
  char *end;
  errno = 0;
  long long number = strtoll(text, &end, 10);
  if (*end || end == text || errno || number < 1) rv_complain(run, 2, "%s: %s is not a number above 0", name, text);
  return number;
}

static bool rv_flag(const char *arg, const char *letter, const char *name, const char *other) {
  return strcmp(arg, letter) == 0 || strcmp(arg, name) == 0 || strcmp(arg, other) == 0;
}

static void rv_options(rv_run *run, char **args, const char **entry) {
  bool more = true;
  for (char **arg = args + 1; *arg; arg++) {
    const char *text = *arg, *value;
    if (!more || text[0] != '-' || !text[1] || rv_negative(text)) run->values[run->value_count++] = *arg;
    else if (strcmp(text, "--") == 0) more = false;
    else if (rv_flag(text, "-h", "--help", "--help")) rv_help(run), exit(0);
    else if (rv_flag(text, "-b", "--binary", "--binary-output")) run->binary = true;
    else if (rv_flag(text, "-n", "--no-result", "--no-print-result")) run->quiet = true;
    else if ((value = rv_option(run, &arg, "-e", "--entry", "--entry-point"))) *entry = value;
    else if ((value = rv_option(run, &arg, "-t", "--times", "--write-runtime-to"))) run->times = value;
    else if ((value = rv_option(run, &arg, "-r", "--runs", NULL))) run->runs = rv_count_option(run, "--runs", value);
    else if ((value = rv_option(run, &arg, NULL, "--threads", NULL))) run->threads = rv_count_option(run, "--threads", value);
    else if ((value = rv_option(run, &arg, NULL, "--memory", NULL))) run->memory = rv_count_option(run, "--memory", value);
    else rv_complain(run, 2, "there is no option %s; see --help", text);
  }
}

/* The entry point asked for, else `main`, else the only one. */
static void rv_choose(rv_run *run, const char *asked) {
  const rv_program *program = run->program;
  const char *wanted = asked ? asked : "main";
  rv_text known = {0};
  for (int i = 0; i < program->entries; i++) {
    if (i > 0) rv_words(&known, ", ");
    rv_words(&known, program->entry[i].name);
    if (strcmp(program->entry[i].name, wanted) == 0 || (!asked && program->entries == 1)) {
      run->entry = &program->entry[i];
      run->number = i;
    }
  }
  if (!run->entry && asked) rv_complain(run, 1, "there is no entry point `%s`; the entry points are %s", asked, known.text);
  if (!run->entry) rv_complain(run, 1, "which entry point? Choose one with --entry; the entry points are %s", known.text);
  free(known.text);
}

/* The bytes of a file, with a zero byte behind them. */
static char *rv_bytes(const rv_run *run, FILE *file, const char *name, size_t *length) {
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
  if (!file || !bytes || ferror(file)) rv_complain(run, 1, "%s: %s", name, strerror(errno));
  bytes[used] = 0;
  *length = used;
  return bytes;
}

/* What stands behind a key in the header of an .npy file, blanks skipped. */
static const char *rv_npy_field(const rv_run *run, const char *name, const char *header, const char *key) {
  const char *found = strstr(header, key);
  if (!found) rv_complain(run, 1, "%s: the header of this .npy file does not say %s", name, key);
  found += strlen(key);
  while (*found == ' ' || *found == ':') found++;
  return found;
}

/* The type of an .npy file in the binary format's letters. */
static const char *rv_npy_type(const rv_run *run, const char *name, const char *descr) {
  static const char *const known[][2] = {{"b1", "bool"}, {"i1", "  i8"}, {"i2", " i16"}, {"i4", " i32"}, {"i8", " i64"},
                                         {"u1", "  u8"}, {"u2", " u16"}, {"u4", " u32"}, {"u8", " u64"}, {"f2", " f16"},
                                         {"f4", " f32"}, {"f8", " f64"}};
  for (int i = 0; i < 12; i++)
    if (strchr("<|=", descr[1]) && strncmp(descr + 2, known[i][0], 2) == 0 && descr[4] == descr[0]) return known[i][1];
  rv_complain(run, 1, "%s: elements of type %.6s cannot be read", name, descr);
}

/* An .npy file as a value of the binary format. Takes the bytes and gives others. */
static char *rv_from_npy(const rv_run *run, const char *name, char *bytes, size_t *length) {
  size_t start = *length > 6 && bytes[6] > 1 ? 12 : 10, size = 0;
  for (size_t i = start; *length >= start && i-- > 8;) size = size << 8 | (unsigned char)bytes[i];
  if (*length < start || *length - start < size) rv_complain(run, 1, "%s: the header of this .npy file is cut off", name);
  char *header = calloc(size + 8, 1);
  if (!header) rv_complain(run, 1, "there is not enough memory");
  memcpy(header, bytes + start, size);
  const char *type = rv_npy_type(run, name, rv_npy_field(run, name, header, "'descr'"));
  const char *shape = rv_npy_field(run, name, header, "'shape'");
  bool columns = strncmp(rv_npy_field(run, name, header, "'fortran_order'"), "True", 4) == 0;
  int64_t extents[255];
  int rank = 0;
  if (*shape != '(') rv_complain(run, 1, "%s: the header of this .npy file has no shape", name);
  for (shape++; *shape != ')' && rank < 255;) {
    char *end;
    extents[rank++] = strtoll(shape, &end, 10);
    if (end == shape || extents[rank - 1] < 0) rv_complain(run, 1, "%s: the shape in this .npy file is malformed", name);
    shape = end + strspn(end, ", L");
  }
  if (columns && rank > 1)
    rv_complain(run, 1, "%s: the array is stored by columns; `ravel run` reads it, or store it by rows", name);
  size_t data = *length - start - size, head = 7 + (size_t)rank * 8;
  char *value = malloc(head + data + 1);
  if (!value) rv_complain(run, 1, "there is not enough memory");
  value[0] = 'b', value[1] = 2, value[2] = (char)rank;
  memcpy(value + 3, type, 4);
  if (rank > 0) memcpy(value + 7, extents, (size_t)rank * 8);
  memcpy(value + head, bytes + start + size, data);
  value[head + data] = 0;
  *length = head + data;
  free(header);
  free(bytes);
  return value;
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

/* From the columns to what the entry point takes. */
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
    /* The extents of an unknown rank were columns of their own: from here on they are numbers. An array that was never
       read has one dimension, which is empty. */
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
  if (rv_is_binary(r)) rv_read_binary(r, form);
  else rv_read(r, form, false, false);
}

static bool rv_at_end(rv_reader *r) {
  rv_skip(r);
  return r->at == r->length;
}

RV_COLD static _Noreturn void rv_wrong_count(const rv_run *run, const char *where, const char *count) {
  rv_text takes = {0};
  for (int i = 0; i < run->entry->params; i++) {
    if (i > 0) rv_words(&takes, " and ");
    rv_type(&takes, &run->entry->param_forms[i], 0);
  }
  int params = run->entry->params;
  rv_complain(run, 1, "`%s` takes %d value%s (%s), but %s %s", run->entry->name, params, params == 1 ? "" : "s",
              params == 0 ? "nothing" : takes.text, where, count);
}

static void rv_read_argument(rv_run *run, int index, rv_column *columns) {
  char *text = run->values[index], *name = NULL, *bytes = text;
  size_t length = strlen(text);
  rv_reader r = {.program = run->shown, .bytes = text, .length = length, .line = 1, .columns = columns};
  if (text[0] == '@') {
    FILE *file = fopen(text + 1, "rb");
    r.source = text + 1;
    r.bytes = bytes = rv_bytes(run, file, text + 1, &r.length);
    r.places = true;
    fclose(file);
    if (r.length >= 6 && memcmp(bytes, "\x93NUMPY", 6) == 0) r.bytes = bytes = rv_from_npy(run, text + 1, bytes, &r.length);
  } else {
    name = malloc(length + 64);
    if (!name) rv_complain(run, 1, "there is not enough memory");
    snprintf(name, length + 64, "argument %d `%s`", index + 1, text);
    r.source = name;
  }
  if (rv_at_end(&r)) rv_wrong(&r, 1, "there is no value");
  rv_read_any(&r, &run->entry->param_forms[index]);
  if (!rv_at_end(&r)) rv_wrong(&r, r.line, "there is more than one value");
  if (bytes != text) free(bytes);
  free(name);
}

static void rv_read_input(rv_run *run, rv_column *columns) {
  rv_reader r = {.program = run->shown, .source = "standard input", .places = true, .line = 1, .columns = columns};
  char *bytes = rv_bytes(run, stdin, "standard input", &r.length), count[24];
  r.bytes = bytes;
  for (int i = 0; i < run->entry->params; i++) {
    snprintf(count, sizeof count, "%d", i);
    if (rv_at_end(&r)) rv_wrong_count(run, "standard input has", count);
    rv_read_any(&r, &run->entry->param_forms[i]);
  }
  if (!rv_at_end(&r)) rv_wrong_count(run, "standard input has", "more");
  free(bytes);
}

/* The bytes that a component of an argument takes. */
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

/* Arguments for one of several runs, which may overwrite them. */
static void rv_copy_arguments(const rv_run *run, const rv_column *columns, const rv_value *in, rv_value *own) {
  const rv_entry_point *entry = run->entry;
  for (int i = 0; i < entry->in; i++) {
    const rv_form *form = &entry->param_forms[0];
    for (int k = 1; k < entry->params && entry->param_forms[k].first <= i; k++) form = &entry->param_forms[k];
    own[i] = in[i];
    size_t bytes = columns[i].data ? rv_column_bytes(form, i, &columns[i]) : 0;
    own[i].data = malloc(bytes + 64);
    if (!own[i].data) rv_complain(run, 1, "there is not enough memory");
    if (bytes > 0) memcpy(own[i].data, in[i].data, bytes);
  }
}

static int64_t rv_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void rv_write_results(const rv_run *run, const rv_value *out) {
  rv_text text = {.file = stdout};
  for (int i = 0; i < run->entry->results; i++) {
    const rv_form *form = &run->entry->result_forms[i];
    if (!run->binary) {
      rv_write(&text, form, out, 0, false);
      rv_words(&text, "\n");
    } else if (!rv_write_binary(&text, form, out)) {
      rv_text type = {0};
      rv_type(&type, form, 0);
      rv_complain(run, 1, "result %d: a value of type %s has no binary form; write it as text", i, type.text);
    }
  }
  rv_flush(&text);
  free(text.text);
  if (fflush(stdout) != 0 || ferror(stdout))
    rv_complain(run, errno == EPIPE ? 0 : 1, "standard output cannot be written: %s", strerror(errno));
}

static void rv_drop_results(const rv_run *run, rv_context *context, rv_value *out) {
  for (int i = 0; i < run->entry->out; i++) rv_drop(context, out[i].block);
}

/* Runs the entry point as often as was asked; the results are those of the last run. */
static bool rv_runs(rv_run *run, rv_context *context, const rv_column *columns, const rv_value *in, rv_value *out, FILE *times) {
  const rv_entry_point *entry = run->entry;
  bool copies = run->runs > 1 && entry->consumes;
  rv_value *own = calloc((size_t)entry->in + 1, sizeof *own);
  if (!own) rv_complain(run, 1, "there is not enough memory");
  for (int64_t i = 0; i < run->runs; i++) {
    bool last = i + 1 == run->runs;
    if (copies && !last) rv_copy_arguments(run, columns, in, own);
    int64_t start = rv_now();
    int32_t failed = rv_call(context, run->number, copies && !last ? own : in, out);
    if (times) fprintf(times, "%lld\n", (long long)((rv_now() - start + 500) / 1000));
    if (!failed && !last) rv_drop_results(run, context, out);
    for (int k = 0; copies && !last && k < entry->in; k++) free(own[k].data);
    if (failed) {
      free(own);
      return false;
    }
  }
  free(own);
  return true;
}

/* Everything that needs the large stack. */
static void *rv_work_on(void *data) {
  rv_run *run = data;
  const rv_entry_point *entry = run->entry;
  rv_column *columns = calloc((size_t)entry->in + 2, sizeof *columns);
  rv_value *in = calloc((size_t)entry->in + 1, sizeof *in), *out = calloc((size_t)entry->out + 1, sizeof *out);
  rv_context *context = rv_context_new(run->threads, run->memory);
  if (!columns || !in || !out || !context) rv_complain(run, 1, "there is not enough memory");
  if (run->value_count == 0 && entry->params > 0) rv_read_input(run, columns);
  else for (int i = 0; i < entry->params; i++) rv_read_argument(run, i, columns);
  for (int i = 0; i < entry->params; i++) rv_finish_columns(&entry->param_forms[i], columns, in, false);
  FILE *times = run->times ? fopen(run->times, "w") : NULL;
  if (run->times && !times) rv_complain(run, 1, "%s: %s", run->times, strerror(errno));
  rv_listen(context);
  if (rv_runs(run, context, columns, in, out, times)) {
    if (!run->quiet) rv_write_results(run, out);
    rv_drop_results(run, context, out);
  } else {
    char *text = rv_failure_text(context);
    fflush(stdout);
    fputs(text ? text : "there is no memory for the message\n", stderr);
    free(text);
    run->status = 1;
  }
  if (times && fclose(times) != 0) rv_complain(run, 1, "%s: %s", run->times, strerror(errno));
  rv_context_free(context);
  for (int i = 0; i < entry->in; i++) free(columns[i].data);
  free(columns);
  free(in);
  free(out);
  return NULL;
}

/* Recursive functions need a large stack; smaller ones where the system has no room for the larger. */
static void rv_on_large_stack(rv_run *run) {
  static const size_t sizes[] = {512, 128, 32, 8};
  for (int i = 0; i < 4; i++) {
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, sizes[i] << 20);
    int failed = pthread_create(&thread, &attributes, rv_work_on, run);
    pthread_attr_destroy(&attributes);
    if (failed) continue;
    pthread_join(thread, NULL);
    return;
  }
  rv_work_on(run);
}

static int rv_main(const rv_program *program, int count, char **args) {
  const char *entry = NULL, *slash = count > 0 ? strrchr(args[0], '/') : NULL;
  rv_run run = {.program = program, .runs = 1, .shown = slash ? slash + 1 : count > 0 ? args[0] : program->name};
  run.values = calloc((size_t)count + 1, sizeof(char *));
  if (!run.values) rv_complain(&run, 1, "there is not enough memory");
  if (count > 0) rv_options(&run, args, &entry);
  rv_choose(&run, entry);
  if (run.memory > INT64_MAX >> 20) run.memory = INT64_MAX >> 20;
  run.memory <<= 20;
  char given[24];
  snprintf(given, sizeof given, "%d", run.value_count);
  if (run.value_count > 0 && run.value_count != run.entry->params) rv_wrong_count(&run, "the command line has", given);
  rv_on_large_stack(&run);
  free(run.values);
  return run.status;
}
