/*
 * Syncs many files in one job of libuv's pool: the only call of the addon that waits, and it waits in the pool.
 *
 * The writes of all files are started before the first one is awaited. Measured (ext4, 200 files that grew by 240 bytes each):
 * fdatasync one after the other takes 9.5 to 10.5 ms of CPU time, with the writes started first 4.2 to 5.4 ms: one commit of the
 * journal then covers most of them. `sync_file_range` is a hint; only fdatasync counts.
 */
#include "addon.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct {
  napi_async_work work;
  napi_ref done;
  size_t count;
  int32_t fds[]; /* afterwards the results: 0, or -errno */
} SyncJob;

static void sync_all(napi_env env, void *data) {
  (void)env;
  SyncJob *job = data;
  if (job->count > 1)
    for (size_t i = 0; i < job->count; i++) sync_file_range(job->fds[i], 0, 0, SYNC_FILE_RANGE_WRITE);
  for (size_t i = 0; i < job->count; i++) {
    int result;
    RETRY(result, fdatasync(job->fds[i]));
    int error = result == -1 ? -errno : 0;
    close(job->fds[i]);
    job->fds[i] = error;
  }
}

static void on_synced(napi_env env, napi_status status, void *data) {
  (void)status; /* the job is never cancelled */
  SyncJob *job = data;
  napi_value done, global, results;
  napi_create_array_with_length(env, job->count, &results);
  for (size_t i = 0; i < job->count; i++) napi_set_element(env, results, (uint32_t)i, from_int(env, job->fds[i]));
  napi_get_reference_value(env, job->done, &done);
  napi_delete_reference(env, job->done);
  napi_delete_async_work(env, job->work);
  free(job);
  napi_get_global(env, &global);
  napi_call_function(env, global, done, 1, &results, NULL); /* Node throws an exception after this returns */
}

napi_value js_sync_files(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Bytes fds = typed_array_of(&call, call.at[0], napi_int32_array, "fds", "an Int32Array");
  napi_valuetype type = napi_undefined;
  napi_typeof(env, call.at[1], &type);
  if (type != napi_function) wrong(&call, "done", "a function");
  if (call.failed) return NULL;
  SyncJob *job = allocate(sizeof *job + fds.length * sizeof *job->fds);
  job->count = fds.length;
  for (size_t i = 0; i < fds.length; i++) job->fds[i] = ((int32_t *)fds.data)[i];
  napi_create_reference(env, call.at[1], 1, &job->done);
  napi_create_async_work(env, NULL, from_string(env, "spool sync"), sync_all, on_synced, job, &job->work);
  napi_queue_async_work(env, job->work);
  return NULL;
}

napi_value js_duplicate(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int fd = int_of(&call, call.at[0], "fd");
  return call.failed ? NULL : outcome(env, fcntl(fd, F_DUPFD_CLOEXEC, 3));
}
