/* Where the program of an executable and its front meet, which are compiled apart: the program calls `rv_main` with a table of its
   entry points; the front calls the program through the functions that front.c declares. */
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

__attribute__((visibility("hidden"))) int rv_main(const rv_program *program, int count, char **args);
