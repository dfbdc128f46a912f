/* File formats by name. Executables read and write the first four; the others need `ravel run`. */
#include <strings.h>

enum { RV_AS_TEXT, RV_AS_BINARY, RV_AS_NPY, RV_AS_NPZ, RV_OWN_FORMATS, RV_AS_BYTES = 10, RV_FORMATS };
static const char *const rv_formats[RV_FORMATS] = {"txt", "bin", "npy", "npz", "csv", "tsv", "json", "pgm", "ppm", "png", "bytes"};

/* A file or a standard stream, as an argument or `-o` names it. */
typedef struct {
  char *path;  /* `-` for a standard stream */
  int format;  /* an index into rv_formats, or -1 if the name says none */
  bool packed; /* whether the name ends in .gz */
} rv_place;

/* Whether the first `length` characters of a file's name end in an ending; if so, `length` shrinks by the ending. */
static bool rv_ends_in(const char *path, size_t *length, const char *ending) {
  size_t own = strlen(ending);
  if (*length <= own || path[*length - own - 1] == '/') return false;
  for (size_t i = 0; i < own; i++)
    if (tolower((unsigned char)path[*length - own + i]) != ending[i]) return false;
  *length -= own;
  return true;
}

/* The format that the ending of a file's name says, or -1. Any file may hold bytes, so no ending says that. */
static int rv_format_of_ending(const char *path, size_t length) {
  for (int i = 0; i < RV_AS_BYTES; i++) {
    char ending[8];
    snprintf(ending, sizeof ending, ".%s", rv_formats[i]);
    if (rv_ends_in(path, &length, ending)) return i;
  }
  return -1;
}

/* Takes a name apart: `npy:x` says the format, otherwise the ending does. */
static rv_place rv_parse_place(char *name) {
  rv_place place = {.path = name, .format = -1};
  for (int i = 0; i < RV_FORMATS; i++) {
    size_t length = strlen(rv_formats[i]);
    if (strncasecmp(name, rv_formats[i], length) == 0 && name[length] == ':') place = (rv_place){name + length + 1, i, false};
  }
  size_t length = strlen(place.path);
  place.packed = rv_ends_in(place.path, &length, ".gz");
  if (place.format < 0) place.format = rv_format_of_ending(place.path, length);
  return place;
}
