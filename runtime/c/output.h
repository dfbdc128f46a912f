/* Where results go: the file and the format that `-o` names. */
typedef struct {
  const char *path; /* null for standard output */
  int format;       /* an index into rv_formats */
} rv_target;

static const char *const rv_formats[] = {"txt", "bin", "npy", "npz"};
enum { RV_AS_TEXT, RV_AS_BINARY, RV_AS_NPY, RV_AS_NPZ, RV_FORMATS };

/* The format in front of the name (`npy:x`), or the one of its ending; -1 if neither says one. */
static rv_target rv_parse_target(const char *name) {
  rv_target target = {name, -1};
  for (int i = 0; i < RV_FORMATS; i++) {
    size_t length = strlen(rv_formats[i]);
    if (strncmp(name, rv_formats[i], length) == 0 && name[length] == ':') target = (rv_target){name + length + 1, i};
  }
  for (int i = 0; target.format < 0 && i < RV_FORMATS; i++) {
    char ending[8];
    size_t length = strlen(name);
    snprintf(ending, sizeof ending, ".%s", rv_formats[i]);
    if (rv_ends_in(name, &length, ending)) target.format = i;
  }
  if (strcmp(target.path, "-") == 0) {
    target.path = NULL;
    if (target.format < 0) target.format = RV_AS_TEXT;
  }
  return target;
}

/* Writes the results. An .npy file holds one array, so of several results `x.npy` becomes `x_0.npy`, `x_1.npy` and so on; on
   standard output they follow one another. */
RV_COLD static void rv_write_target(const rv_writing *w, rv_target target) {
  if (target.format == RV_AS_NPZ) {
    rv_write_npz(w, target.path);
    return;
  }
  if (target.format == RV_AS_NPY) {
    size_t name = target.path ? strlen(target.path) : 0, stem = name;
    char *own = malloc(name + 16);
    if (!own) rv_cannot_write(w, "results", "there is not enough memory");
    if (target.path) rv_ends_in(target.path, &stem, ".npy");
    for (int i = 0; i < w->count; i++) {
      if (w->count == 1 || !target.path) snprintf(own, name + 16, "%s", target.path ? target.path : "");
      else snprintf(own, name + 16, "%.*s_%d%s", (int)stem, target.path, i, target.path + stem);
      rv_write_npy(w, i, target.path ? own : NULL);
    }
    free(own);
    return;
  }
  bool binary = target.format == RV_AS_BINARY, jagged;
  rv_level levels[RV_DEEPEST];
  for (int i = 0; binary && i < w->count; i++) rv_plain(w, i, "binary", levels, &jagged);
  rv_output out = rv_create(w, target.path);
  rv_write_all(w, out.file, binary);
  if (fflush(out.file) != 0) rv_cannot_write(w, out.path, "%s", rv_reason());
  rv_close(&out);
}
