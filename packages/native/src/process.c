/* Processes: how they ended, signals that cannot hit the wrong one, and orphans. */
#include "addon.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#define SPOOL_P_PIDFD 3 /* P_PIDFD is an enumerator in some libcs and missing in others */

/* The first version of the kernel's struct pidfd_info, and the ioctl that fills it (Linux 6.13; exit codes since 6.15).
 * Its size is part of the ioctl's number; newer kernels still take this one. */
struct exit_info {
  uint64_t mask, cgroup;
  uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
  int32_t exit_code;
};
#define SPOOL_PIDFD_GET_INFO _IOWR(0xFF, 11, struct exit_info)
#define SPOOL_PIDFD_INFO_EXIT (1u << 3)

/*
 * The wait status of a process that is not our child. False while it runs, while it is a zombie (the kernel writes the
 * status down when its parent reaps it, which for an orphan is at once), and for ever on kernels that cannot tell.
 */
static bool foreign_status(int pidfd, int *status) {
  struct exit_info about = {.mask = SPOOL_PIDFD_INFO_EXIT};
  if (ioctl(pidfd, SPOOL_PIDFD_GET_INFO, &about) == -1 || !(about.mask & SPOOL_PIDFD_INFO_EXIT)) return false;
  *status = about.exit_code;
  return true;
}

static napi_value exit_status(napi_env env, int code, int signal, bool core_dumped) {
  napi_value result = NULL;
  napi_create_object(env, &result);
  put_int(env, result, "code", code);
  put_int(env, result, "signal", signal);
  napi_set_named_property(env, result, "coreDumped", from_bool(env, core_dumped));
  return result;
}

napi_value js_exit_status(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int pidfd = int_of(&call, call.at[0], "pidfd");
  if (call.failed) return NULL;
  siginfo_t ended = {0};
  int waited;
  RETRY(waited, waitid((idtype_t)SPOOL_P_PIDFD, (id_t)pidfd, &ended, WEXITED | WNOHANG));
  if (waited == 0) {
    if (ended.si_pid == 0) return null_of(env); /* still running */
    bool exited = ended.si_code == CLD_EXITED;
    int code = exited ? ended.si_status : 0, signal = exited ? 0 : ended.si_status;
    return exit_status(env, code, signal, ended.si_code == CLD_DUMPED);
  }
  if (errno != ECHILD) return throw_errno(env, errno, "waitid", NULL);
  int status;
  if (!foreign_status(pidfd, &status)) return null_of(env);
  return exit_status(env, WIFEXITED(status) ? WEXITSTATUS(status) : 0, WIFSIGNALED(status) ? WTERMSIG(status) : 0,
                     WCOREDUMP(status));
}

static int exit_at_once(void *unused) {
  (void)unused;
  _exit(0);
}

/* Tried out, not derived from a version: PIDFD_GET_INFO is older than its exit codes, and distributions backport. */
napi_value js_can_read_foreign_exit(napi_env env, napi_callback_info info) {
  (void)info;
  int pidfd = -1, status;
  pid_t pid = start_child(exit_at_once, NULL, &pidfd);
  if (pid == -1) return throw_errno(env, errno, "clone", NULL);
  reap(pid);
  bool can = foreign_status(pidfd, &status);
  close(pidfd);
  return from_bool(env, can);
}

napi_value js_pidfd_open(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int pid = int_of(&call, call.at[0], "pid");
  if (call.failed) return NULL;
  long pidfd = syscall(SYS_pidfd_open, pid, 0u);
  if (pidfd == -1) return throw_errno(env, errno, "pidfd_open", NULL);
  return from_int(env, pidfd);
}

napi_value js_pidfd_signal(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int pidfd = int_of(&call, call.at[0], "pidfd");
  int signal = int_of(&call, call.at[1], "signal");
  if (call.failed) return NULL;
  return outcome(env, syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0u));
}

napi_value js_become_subreaper(napi_env env, napi_callback_info info) {
  (void)info;
  if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == -1) throw_errno(env, errno, "prctl", NULL);
  return NULL;
}

/* A list of pids in JavaScript, asked one by one: strays are rare, so nothing is copied. */
static bool is_known(Call *call, napi_value known, pid_t pid) {
  uint32_t length = length_of(call, known, "known");
  for (uint32_t i = 0; i < length && !call->failed; i++) {
    napi_value element = NULL;
    napi_get_element(call->env, known, i, &element);
    if (int_of(call, element, "known") == pid) return true;
  }
  return false;
}

static bool reap_if_ended(pid_t pid) {
  siginfo_t ended = {0};
  return waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG) == 0 && ended.si_pid == pid;
}

/*
 * Peeking (WNOWAIT) always shows the same first zombie: a known one, not yet asked for by exitStatus, would hide the
 * strays behind it. Then the list of our children is walked instead. An orphan is given to any of our threads, so all
 * of their lists are read.
 */
static pid_t reap_listed_stray(Call *call, napi_value known) {
  pid_t stray = 0;
  uv_fs_t tasks;
  if (uv_fs_scandir(NULL, &tasks, "/proc/self/task", 0, NULL) < 0) return 0;
  uv_dirent_t task;
  while (!stray && uv_fs_scandir_next(&tasks, &task) != UV_EOF) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%.16s/children", task.name);
    FILE *children = fopen(path, "re"); /* absent without CONFIG_PROC_CHILDREN: then strays wait for the known one */
    if (!children) continue;
    for (int pid; !stray && fscanf(children, "%d", &pid) == 1;)
      if (!is_known(call, known, pid) && !call->failed && reap_if_ended(pid)) stray = pid;
    fclose(children);
  }
  uv_fs_req_cleanup(&tasks);
  return stray;
}

napi_value js_reap_stray(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  napi_value known = call.at[0];
  siginfo_t ended = {0};
  length_of(&call, known, "known");
  if (call.failed) return NULL;
  if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == -1 || ended.si_pid == 0) return from_int(env, 0);
  pid_t stray = ended.si_pid;
  if (is_known(&call, known, stray)) stray = reap_listed_stray(&call, known);
  else if (!reap_if_ended(stray)) stray = 0;
  return call.failed ? NULL : from_int(env, stray);
}
