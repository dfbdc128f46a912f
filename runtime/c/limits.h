/* The default limit on memory: three quarters of what is available, so that the machine stays usable. Available is what
   the system can provide without swapping, or what is left of the container's limit. */
#include <stdio.h>

RV_SYSTEM RV_COLD int64_t rv_default_limit(void);

#if RV_HERE(-2)

/* The number after a word that begins a line of a file, or -1. The empty word: the file's first number. */
RV_COLD static int64_t rv_number_in(const char *folder, const char *file, const char *word) {
  char path[4096], line[256];
  int length = snprintf(path, sizeof path, "%s/%s", folder, file);
  FILE *from = length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
  long long number = -1;
  size_t skipped = strlen(word);
  while (from && number < 0 && fgets(line, sizeof line, from)) {
    if (strncmp(line, word, skipped) == 0 && sscanf(line + skipped, "%lld", &number) != 1) break;
  }
  if (from) fclose(from);
  return number;
}

/* The files of a version of control groups; `droppable` are file contents that the system drops when it needs memory. */
typedef struct {
  const char *root, *limit, *used, *droppable;
} rv_groups;

/* The bytes that a group leaves to the process. */
RV_COLD static int64_t rv_left_in_group(const rv_groups *groups, const char *folder) {
  int64_t limit = rv_number_in(folder, groups->limit, ""), used = rv_number_in(folder, groups->used, "");
  int64_t droppable = rv_number_in(folder, "memory.stat", groups->droppable);
  if (limit < 0 || used < 0) return INT64_MAX;
  used -= droppable > 0 ? droppable : 0;
  return used < 0 ? limit : limit > used ? limit - used : 0;
}

/* The same for a group and its parents; a container may not see the outer part of its path. */
RV_COLD static int64_t rv_left_in_groups(const rv_groups *groups, const char *path) {
  char folder[4096];
  int length = snprintf(folder, sizeof folder, "%s%s", groups->root, path);
  int64_t left = INT64_MAX;
  if (length < 0 || (size_t)length >= sizeof folder) return left;
  for (char *end = folder + length; end; end = strrchr(folder, '/')) {
    *end = 0;
    if (strlen(folder) < strlen(groups->root)) break;
    int64_t here = rv_left_in_group(groups, folder);
    left = here < left ? here : left;
  }
  return left;
}

RV_COLD static int64_t rv_left_in_container(void) {
  static const rv_groups first = {"/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
                                  "total_inactive_file "};
  static const rv_groups second = {"/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file "};
  char line[4096];
  int64_t left = INT64_MAX;
  FILE *list = fopen("/proc/self/cgroup", "r");
  while (list && fgets(line, sizeof line, list)) {
    char *names = strchr(line, ':'), *path = names ? strchr(names + 1, ':') : NULL;
    if (!path) continue;
    *path++ = 0;
    path[strcspn(path, "\n")] = 0;
    const rv_groups *groups = strcmp(names, ":") == 0 ? &second : strstr(names, "memory") ? &first : NULL;
    int64_t here = groups ? rv_left_in_groups(groups, path) : INT64_MAX;
    left = here < left ? here : left;
  }
  if (list) fclose(list);
  return left;
}

int64_t rv_default_limit(void) {
  int64_t available = rv_number_in("/proc", "meminfo", "MemAvailable:");
  int64_t left = rv_left_in_container();
  if (available >= 0 && available << 10 < left) left = available << 10;
  return left == INT64_MAX ? left : left / 4 * 3;
}
#endif
