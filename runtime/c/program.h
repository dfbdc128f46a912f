/* What an executable does: reads arguments, runs an entry point, writes its results. */
#include <time.h>
#include <unistd.h>

typedef struct {
  const rv_program *program;
  const rv_entry_point *entry;
  int number;
  bool binary, quiet, asked;
  int64_t runs, threads, memory;
  const char *times;
  rv_place target; /* what -o names; its path is null without -o */
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
  puts("\nEach ARG is a value as text, or @FILE for a file that holds one: text, binary, .npy or .npz, and .gz of these; @- is\n"
       "standard input. Without any ARG, values are read from standard input. Results go to standard output, one on each line.\n"
       "For .csv, .json and pictures use `ravel run`.\n\n"
       "Options:\n"
       "  -e, --entry NAME    run this entry point [default: main, or the only one]\n"
       "  -b, --binary        write results in binary\n"
       "  -o, --output FILE   write results to a file: .txt, .bin, .npy, .npz, or npy:FILE for any name; - is standard output\n"
       "  -n, --no-result     write no results\n"
       "  -r, --runs N        run N times and write the results of the last run\n"
       "  -t, --times FILE    write the time of each run in microseconds to a file, one a line\n"
       "      --threads N     use N threads [default: one for each core]\n"
       "      --memory MIB    limit the memory of arrays [default: three quarters of what is available]\n"
       "  -h, --help          show this\n\n"
       "Exit status: 0 success, 1 an error in the program or its input, 2 wrong usage.");
}

/* Whether an argument that begins with a minus sign is a number and not an option. */
static bool rv_negative(const char *arg) {
  static const char *const names[] = {"f16.", "f32.", "f64.", "inf", "nan"};
  bool found = arg[1] == '.' || (arg[1] >= '0' && arg[1] <= '9');
  for (int i = 0; i < 5; i++) found |= strncmp(arg + 1, names[i], strlen(names[i])) == 0;
  return found;
}

/* The value of an option: after a `=`, after its letter, or the next argument. Null if this is another option. */
static char *rv_option(const rv_run *run, char ***arg, const char *letter, const char *name, const char *other) {
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

static void rv_output_option(rv_run *run, char *name) {
  rv_place place = rv_parse_place(name);
  const char *known = "executables write .txt, .bin, .npy and .npz";
  if (place.format < 0 && strcmp(place.path, "-") == 0) place.format = RV_AS_TEXT;
  if (place.format < 0) rv_complain(run, 2, "-o %s: the ending says no format; %s, or write npy:%s", name, known, name);
  if (place.format >= RV_OWN_FORMATS)
    rv_complain(run, 2, "-o %s: %s; to write %s use `ravel run %s`", name, known, rv_formats[place.format], run->program->file);
  if (place.packed) rv_complain(run, 2, "-o %s: executables do not compress files; `ravel run %s` does", name, run->program->file);
  run->target = place;
}

static void rv_options(rv_run *run, char **args, const char **entry) {
  bool more = true;
  for (char **arg = args + 1; *arg; arg++) {
    char *text = *arg, *value;
    if (!more || text[0] != '-' || !text[1] || rv_negative(text)) run->values[run->value_count++] = *arg;
    else if (strcmp(text, "--") == 0) more = false;
    else if (rv_flag(text, "-h", "--help", "--help")) rv_help(run), exit(0);
    else if (rv_flag(text, "-b", "--binary", "--binary-output")) run->binary = true;
    else if (rv_flag(text, "-n", "--no-result", "--no-print-result")) run->quiet = true;
    else if ((value = rv_option(run, &arg, "-e", "--entry", "--entry-point"))) *entry = value;
    else if ((value = rv_option(run, &arg, "-o", "--output", NULL))) rv_output_option(run, value);
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

static void rv_wanted_types(const rv_run *run, rv_text *out) {
  for (int i = 0; i < run->entry->params; i++) {
    if (i > 0) rv_words(out, " and ");
    rv_type(out, &run->entry->param_forms[i], 0);
  }
}

RV_COLD static _Noreturn void rv_wrong_count(const rv_run *run, const char *where, const char *count) {
  rv_text takes = {0};
  rv_wanted_types(run, &takes);
  int params = run->entry->params;
  rv_complain(run, 1, "`%s` takes %d value%s (%s), but %s %s", run->entry->name, params, params == 1 ? "" : "s",
              params == 0 ? "nothing" : takes.text, where, count);
}

static void rv_read_argument(rv_run *run, int index, rv_column *columns) {
  const rv_form *form = &run->entry->param_forms[index];
  char *text = run->values[index];
  size_t length = strlen(text);
  rv_reader r = {.program = run->shown, .bytes = text, .length = length, .line = 1, .columns = columns};
  if (text[0] == '@') {
    char *member = rv_member_of(text + 1);
    if (member) *member++ = 0;
    rv_place place = rv_parse_place(text + 1);
    if (place.format >= RV_OWN_FORMATS)
      rv_complain(run, 1, "%s: executables read text, binary, .npy and .npz; to read %s use `ravel run %s`", text + 1,
                  rv_formats[place.format], run->program->file);
    rv_read_place(&r, place, member, form);
    return;
  }
  char *name = malloc(length + 64);
  if (!name) rv_complain(run, 1, "there is not enough memory");
  snprintf(name, length + 64, "argument %d `%s`", index + 1, text);
  r.source = name;
  if (rv_at_end(&r)) rv_wrong(&r, 1, "there is no value");
  rv_read_any(&r, form);
  if (!rv_at_end(&r)) rv_wrong_rest(&r);
  free(name);
}

static void rv_read_input(rv_run *run, rv_column *columns) {
  rv_reader r = {.program = run->shown, .source = "standard input", .places = true, .line = 1, .columns = columns};
  const rv_entry_point *entry = run->entry;
  if (isatty(0)) {
    rv_text types = {0};
    rv_wanted_types(run, &types);
    fprintf(stderr, "%s: reading from standard input: %s\n", run->shown, types.text);
    free(types.text);
  }
  char *bytes = rv_standard_input(&r), count[24];
  int format = rv_format_of_bytes(&r);
  if (format >= 0 && entry->params == 1) {
    rv_read_only(&r, &entry->param_forms[0], format, NULL);
    free(bytes);
    return;
  }
  for (int i = 0; i < entry->params; i++) {
    snprintf(count, sizeof count, "%d", i);
    if (rv_at_end(&r)) rv_wrong_count(run, "standard input has", count);
    rv_read_any(&r, &entry->param_forms[i]);
  }
  if (!rv_at_end(&r)) rv_wrong_count(run, "standard input has", "more");
  free(bytes);
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
  rv_writing w = {.program = run->shown, .forms = run->entry->result_forms, .values = out, .count = run->entry->results};
  if (run->target.path) {
    rv_write_place(&w, run->target);
    return;
  }
  rv_write_all(&w, stdout, run->binary);
  if (fflush(stdout) != 0 || ferror(stdout))
    rv_complain(run, errno == EPIPE ? 0 : 1, "standard output cannot be written: %s", rv_reason());
}

static void rv_drop_results(const rv_run *run, rv_context *context, rv_value *out) {
  for (int i = 0; i < run->entry->out; i++) rv_drop(context, out[i].block);
}

/* Runs the entry point as often as requested; the results are those of the last run. */
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
  if (run->times && !times) rv_complain(run, 1, "%s: %s", run->times, rv_reason());
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
  if (times && fclose(times) != 0) rv_complain(run, 1, "%s: %s", run->times, rv_reason());
  rv_context_free(context);
  for (int i = 0; i < entry->in; i++) free(columns[i].data);
  free(columns);
  free(in);
  free(out);
  return NULL;
}

/* Recursive functions need a large stack; smaller ones if the system refuses the large one. */
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

int rv_main(const rv_program *program, int count, char **args) {
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
