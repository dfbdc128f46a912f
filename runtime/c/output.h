/* Writing results to a file or to standard output, in the format that `-o` names. */

/* Writes the results. An .npy file holds one array, so of several results `x.npy` becomes `x_0.npy`, `x_1.npy` and so on; on
   standard output they follow each other. */
RV_COLD static void rv_write_place(const rv_writing *w, rv_place target) {
  const char *path = strcmp(target.path, "-") == 0 ? NULL : target.path; /* null for standard output */
  if (target.format == RV_AS_NPZ) {
    rv_write_npz(w, path);
    return;
  }
  if (target.format == RV_AS_NPY) {
    size_t name = path ? strlen(path) : 0, stem = name;
    char *own = malloc(name + 16);
    if (!own) rv_cannot_write(w, "results", "there is not enough memory");
    if (path) rv_ends_in(path, &stem, ".npy");
    for (int i = 0; i < w->count; i++) {
      if (w->count == 1 || !path) snprintf(own, name + 16, "%s", path ? path : "");
      else snprintf(own, name + 16, "%.*s_%d%s", (int)stem, path, i, path + stem);
      rv_write_npy(w, i, path ? own : NULL);
    }
    free(own);
    return;
  }
  bool binary = target.format == RV_AS_BINARY, jagged;
  rv_level levels[RV_DEEPEST];
  for (int i = 0; binary && i < w->count; i++) rv_plain(w, i, "binary", levels, &jagged);
  rv_output out = rv_create(w, path);
  rv_write_all(w, out.file, binary);
  if (fflush(out.file) != 0) rv_cannot_write(w, out.path, "%s", rv_reason());
  rv_close(&out);
}
