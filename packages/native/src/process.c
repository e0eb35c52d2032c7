/* Processes: exit statuses, signals that cannot hit the wrong process, and orphans. */
#include "addon.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#define SPOOL_P_PIDFD 3 /* P_PIDFD is an enumerator in some libcs and missing in others */

/* The first version of the kernel's struct pidfd_info, and the ioctl that fills it (Linux 6.13; exit codes since 6.15). Its size is
 * part of the ioctl's number; newer kernels still accept this version. */
struct exit_info {
  uint64_t mask, cgroup;
  uint32_t pid, tgid, ppid, ruid, rgid, euid, egid, suid, sgid, fsuid, fsgid;
  int32_t exit_code;
};
#define SPOOL_PIDFD_GET_INFO _IOWR(0xFF, 11, struct exit_info)
#define SPOOL_PIDFD_INFO_EXIT (1u << 3)

/*
 * Reads the wait status of a process that is not our child. Returns false while it runs, while it is a zombie (the kernel records
 * the status when its parent reaps it, which for an orphan is at once), and on kernels that do not report it.
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

static volatile sig_atomic_t grace_seconds;

/* Runs also while JavaScript is in an endless loop. Nothing handles SIGALRM, so it ends the process. */
static void on_parent_gone(int signal) {
  (void)signal;
  alarm((unsigned)grace_seconds);
}

napi_value js_end_with_parent(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  struct pollfd link = {.fd = int_of(&call, call.at[0], "link")};
  grace_seconds = int_of(&call, call.at[1], "graceSeconds");
  if (call.failed) return NULL;
  int way = grace_seconds > 0 ? SIGIO : SIGKILL;
  struct sigaction action = {.sa_handler = on_parent_gone, .sa_flags = SA_RESTART};
  if (way == SIGIO) sigaction(SIGIO, &action, NULL);
  int result = prctl(PR_SET_PDEATHSIG, way);
  int error = errno;
  if (poll(&link, 1, 0) == 1 && link.revents & POLLHUP) raise(way); /* the parent died before the request */
  errno = error;
  return outcome(env, result);
}

napi_value js_set_limit(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int resource = int_of(&call, call.at[0], "resource");
  double soft = 0, hard = 0;
  if (!call.failed && napi_get_value_double(env, call.at[1], &soft) != napi_ok) wrong(&call, "soft", "a number");
  if (!call.failed && napi_get_value_double(env, call.at[2], &hard) != napi_ok) wrong(&call, "hard", "a number");
  if (call.failed) return NULL;
  struct rlimit limit = {soft < 1e18 ? (rlim_t)soft : RLIM_INFINITY, hard < 1e18 ? (rlim_t)hard : RLIM_INFINITY};
  return outcome(env, setrlimit(resource, &limit));
}

static int exit_at_once(void *unused) {
  (void)unused;
  _exit(0);
}

/* The feature is probed instead of derived from a version: PIDFD_GET_INFO is older than its exit codes, and distributions backport. */
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

#define SPOOL_PIDFD_SIGNAL_PROCESS_GROUP (1u << 2) /* Linux 6.9 */

/*
 * Signals the process group that this process leads; each member gets the signal once. Older kernels do not have this flag; for
 * them the number of the group is used, right after the pidfd has confirmed that its leader still has it.
 */
napi_value js_pidfd_signal_group(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int pidfd = int_of(&call, call.at[0], "pidfd");
  int pid = int_of(&call, call.at[1], "pid");
  int signal = int_of(&call, call.at[2], "signal");
  if (call.failed) return NULL;
  long sent = syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, SPOOL_PIDFD_SIGNAL_PROCESS_GROUP);
  if (sent == -1 && errno == EINVAL) {
    sent = syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0u);
    if (sent == 0 && pid > 1) sent = kill(-pid, signal);
  }
  return outcome(env, sent);
}

napi_value js_pidfd_signal(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  int pidfd = int_of(&call, call.at[0], "pidfd");
  int signal = int_of(&call, call.at[1], "signal");
  if (call.failed) return NULL;
  return outcome(env, syscall(SYS_pidfd_send_signal, pidfd, signal, NULL, 0u));
}
