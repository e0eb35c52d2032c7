/*
 * Finds out whether anything in some folders has changed since a file was written, like `find -cnewer`, without its process.
 *
 * It runs on a thread, because it takes a millisecond or two in a clone and its result is needed a little later. It is the only
 * thread of the addon.
 */
#include "addon.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <uv.h>

typedef struct {
  char *than;
  char **paths;
  char *skip;
  uv_thread_t thread;
  bool is_running;
  bool newer;
} Search;

static bool is_later(struct timespec a, struct timespec b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

static bool ends_with(const char *name, const char *end) {
  size_t length = strlen(name), most = strlen(end);
  return most > 0 && length >= most && strcmp(name + length - most, end) == 0;
}

/* It compares the time of the inode's change, so that a checkout, a pull, an rsync -a and a removed file are all detected. */
static bool is_newer(int folder, const char *name, struct timespec since, const char *skip) {
  struct stat found;
  if (fstatat(folder, name, &found, AT_SYMLINK_NOFOLLOW) == -1) return true;
  if (is_later(found.st_ctim, since)) return true;
  if (!S_ISDIR(found.st_mode)) return false;
  int fd = openat(folder, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = fd == -1 ? NULL : fdopendir(fd);
  if (list == NULL) {
    shut(&fd);
    return true;
  }
  bool newer = false;
  for (struct dirent *entry; !newer && (entry = readdir(list)) != NULL;) {
    const char *each = entry->d_name;
    if (strcmp(each, ".") == 0 || strcmp(each, "..") == 0 || ends_with(each, skip)) continue;
    newer = is_newer(fd, each, since, skip);
  }
  closedir(list);
  return newer;
}

static void search(void *data) {
  Search *job = data;
  struct stat reference;
  job->newer = stat(job->than, &reference) == -1;
  for (char **path = job->paths; !job->newer && *path; path++)
    job->newer = is_newer(AT_FDCWD, *path, reference.st_mtim, job->skip);
}

static void finish(Search *job) {
  if (job->is_running) uv_thread_join(&job->thread);
  job->is_running = false;
}

static void discard(napi_env env, void *data, void *hint) {
  (void)env;
  (void)hint;
  Search *job = data;
  finish(job);
  free(job->than);
  free(job->skip);
  if (job->paths) free_strings(job->paths);
  free(job);
}

napi_value js_search_newer(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Search *job = allocate(sizeof *job);
  job->than = string_of(&call, call.at[0], "than");
  job->paths = strings_of(&call, call.at[1], "paths");
  job->skip = string_of(&call, call.at[2], "skip");
  napi_value result = NULL;
  if (call.failed || napi_create_external(env, job, discard, NULL, &result) != napi_ok) {
    discard(env, job, NULL);
    return NULL;
  }
  job->is_running = uv_thread_create(&job->thread, search, job) == 0;
  if (!job->is_running) search(job);
  return result;
}

napi_value js_found_newer(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  void *job = NULL;
  if (napi_get_value_external(env, call.at[0], &job) != napi_ok) wrong(&call, "search", "what `searchNewer` returned");
  if (call.failed) return NULL;
  finish(job);
  return from_bool(env, ((Search *)job)->newer);
}
