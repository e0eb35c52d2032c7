/*
 * Starts a child on a terminal or on three pipes; it inherits only the listed resources.
 *
 * The child is created by clone(CLONE_VM | CLONE_VFORK) on its own stack: no part of the heap is copied (fork blocks 15 ms at 1
 * GB), the pidfd comes with it without a race, and failures are reported through the shared memory. The disadvantage: between clone
 * and exec the child may only make system calls. Therefore all its data is prepared in a Plan.
 */
#include "addon.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef TIOCGPTPEER
#define TIOCGPTPEER _IO('T', 0x41)
#endif

#define CHILD_STACK_BYTES (64 * 1024)

/* Larger than the number of limits: there are 16, and the kernel has added none for twenty years. */
#define LIMITS_MAX 32

typedef struct {
  int resource;
  struct rlimit to;
} Limit;

typedef struct {
  char *file;
  char **candidates; /* the paths to try, in order */
  char **argv;
  char **shell_argv; /* /bin/sh, a slot for the script, argv[1], … : for a script without an interpreter line */
  char **env;
  char *cwd;
  mode_t umask;
  struct rlimit nofile;
  Limit limits[LIMITS_MAX];
  size_t limit_count;
  bool has_nice;
  int nice;
  int cgroup_procs;
  bool has_terminal;
  struct winsize size;
  int stdio[3]; /* the child's ends, which are blocking. With a terminal, all three are the same fd. */
  /* Written by the child. */
  const char *volatile failed_stage;
  volatile int failed_errno;
} Plan;

/* The parent's fds. Unused ones are -1. */
typedef struct {
  int pidfd, master, slave, stdio[3];
  unsigned pts;
} Ends;

/* Tries the candidates in order, by the rules of execvp. Returns only on failure, with errno set. */
static void exec_first(Plan *plan) {
  bool denied = false;
  for (char **path = plan->candidates; *path; path++) {
    execve(*path, plan->argv, plan->env);
    if (errno == ENOEXEC) {
      plan->shell_argv[1] = *path;
      execve(plan->shell_argv[0], plan->shell_argv, plan->env);
      return;
    }
    if (errno == EACCES) denied = true;
    else if (errno != ENOENT && errno != ENOTDIR && errno != ESTALE && errno != ENODEV && errno != ETIMEDOUT) return;
  }
  if (denied) errno = EACCES; /* "permission denied" is more useful than "not found in the last folder either" */
}

/* Sets a limit of the child. A hard limit above ours needs a privilege; without it the child gets our limit. Returns 0, or -1. */
static int limit_as_far_as_allowed(const Limit *limit) {
  if (setrlimit(limit->resource, &limit->to) == 0) return 0;
  struct rlimit ours;
  if (errno != EPERM || getrlimit(limit->resource, &ours) == -1) return errno == EINVAL ? 0 : -1;
  if (ours.rlim_max > limit->to.rlim_max) ours.rlim_max = limit->to.rlim_max;
  ours.rlim_cur = limit->to.rlim_cur < ours.rlim_max ? limit->to.rlim_cur : ours.rlim_max;
  return setrlimit(limit->resource, &ours);
}

/* Applies the plan in the child, and executes. Returns only on failure, with the name of the failed stage. */
static const char *become(Plan *plan) {
  /*
   * All signals are blocked here: a signal handler of the daemon, run by the child, would change the parent's memory. Signals
   * that the daemon ignores (Node: SIGPIPE) would stay ignored across exec, so each is first reset to its default.
   */
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int signal = 1; signal < NSIG; signal++) sigaction(signal, &standard, NULL);
  if (setsid() == -1) return "setsid";
  /* The child enters the group before the program runs, so that even its first child is inside. */
  if (plan->cgroup_procs >= 0 && write(plan->cgroup_procs, "0", 1) == -1) return "cgroup";
  if (plan->has_terminal && ioctl(plan->stdio[0], TIOCSCTTY, 0) == -1) return "TIOCSCTTY";

  /*
   * If the daemon runs without 0, 1 or 2, our ends have these numbers: they are moved, so that the dup2s below do not overwrite
   * them.
   */
  int stdio[3];
  for (int i = 0; i < 3; i++) {
    stdio[i] = plan->stdio[i] > 2 ? plan->stdio[i] : fcntl(plan->stdio[i], F_DUPFD, 3);
    if (stdio[i] == -1) return "fcntl";
  }
  for (int i = 0; i < 3; i++)
    if (dup2(stdio[i], i) == -1) return "dup2"; /* also clears close-on-exec of the copy */
  if (cloexec_from(3) == -1) return "close_range";

  umask(plan->umask);
  if (setrlimit(RLIMIT_NOFILE, &plan->nofile) == -1) return "setrlimit";
  for (size_t i = 0; i < plan->limit_count; i++)
    if (limit_as_far_as_allowed(&plan->limits[i]) == -1) return "setrlimit";
  /* A lower niceness than our own needs a privilege; without it the child keeps our niceness. */
  if (plan->has_nice) setpriority(PRIO_PROCESS, 0, plan->nice);
  if (chdir(plan->cwd) == -1) return "chdir";
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  exec_first(plan);
  return "execve";
}

static int child_main(void *argument) {
  Plan *plan = argument;
  const char *stage = become(plan);
  plan->failed_errno = errno;
  plan->failed_stage = stage;
  _exit(127);
}

/*
 * Starts `body` as a vforked child: the parent sleeps until the child has executed or is gone. Returns the pid, or -1. The stack
 * belongs to the parent, and stays valid as long as the child needs it, because the parent sleeps meanwhile.
 */
pid_t start_child(int (*body)(void *), void *argument, int *pidfd) {
  _Alignas(16) char stack[CHILD_STACK_BYTES];
  sigset_t all, before;
  sigfillset(&all);
  sigprocmask(SIG_SETMASK, &all, &before);
  int flags = CLONE_VM | CLONE_VFORK | SIGCHLD;
  pid_t pid = clone(body, stack + sizeof stack, flags | CLONE_PIDFD, argument, pidfd);
  if (pid == -1 && errno == EINVAL) {
    /* Emulators of another processor (qemu 7) do not know CLONE_PIDFD. The child is reaped after this call, so the pid is its own. */
    pid = clone(body, stack + sizeof stack, flags, argument);
    if (pid > 0) *pidfd = (int)syscall(SYS_pidfd_open, pid, 0u);
  }
  int error = errno;
  sigprocmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return pid;
}

void reap(pid_t pid) {
  pid_t reaped;
  RETRY(reaped, waitpid(pid, NULL, 0));
}

/* Opens both sides of a new terminal; the child's side becomes stdio[0..2] of the plan. Returns 0, or -1 with errno. */
static int open_terminal(Plan *plan, Ends *ends) {
  ends->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (ends->master == -1 || grantpt(ends->master) == -1 || unlockpt(ends->master) == -1) return -1;
  if (ioctl(ends->master, TIOCGPTN, &ends->pts) == -1) return -1;
  /*
   * The slave is opened twice, because O_NONBLOCK belongs to the open file, not to the fd: our fd must not block, the child's
   * must. It is opened through the master (TIOCGPTPEER), so that this also works if /dev/pts belongs to another mount namespace.
   */
  int child = ioctl(ends->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
  if (child == -1) return -1;
  for (int i = 0; i < 3; i++) plan->stdio[i] = child;
  ends->slave = ioctl(ends->master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  if (ends->slave == -1) return -1;
  struct termios modes;
  if (tcgetattr(child, &modes) == -1) return -1;
  modes.c_iflag |= IUTF8; /* otherwise erasing in a cooked line removes bytes instead of characters */
  if (tcsetattr(child, TCSANOW, &modes) == -1) return -1;
  return ioctl(ends->master, TIOCSWINSZ, &plan->size);
}

static int open_pipes(Plan *plan, Ends *ends) {
  for (int i = 0; i < 3; i++) {
    int pair[2];
    if (pipe2(pair, O_CLOEXEC) == -1) return -1;
    bool is_input = i == 0;
    plan->stdio[i] = pair[is_input ? 0 : 1];
    ends->stdio[i] = pair[is_input ? 1 : 0];
    if (set_nonblocking(ends->stdio[i]) == -1) return -1;
  }
  return 0;
}

static const char *path_of(char *const *env) {
  for (; *env; env++)
    if (strncmp(*env, "PATH=", 5) == 0) return *env + 5;
  return "/usr/local/bin:/usr/bin:/bin";
}

/* Returns the paths that execvp would try. An empty element of PATH is the child's working folder. */
static char **candidates_of(const char *file, char *const *env) {
  const char *path = path_of(env);
  size_t count = 1;
  for (const char *at = path; *at; at++) count += *at == ':';
  char **candidates = allocate((count + 1) * sizeof *candidates);
  if (strchr(file, '/') || !*file) {
    candidates[0] = strdup(file);
    return candidates;
  }
  for (size_t i = 0; i < count; i++) {
    size_t length = strcspn(path, ":");
    size_t bytes = length + strlen(file) + 3;
    candidates[i] = allocate(bytes);
    snprintf(candidates[i], bytes, "%.*s/%s", (int)(length ? length : 1), length ? path : ".", file);
    path += length + 1;
  }
  return candidates;
}

/* Returns a vector that shares its strings with `argv`, so only the vector is freed. */
static char **shell_argv_of(char **argv) {
  size_t count = 0;
  while (argv[count]) count++;
  char **shell = allocate((count + 3) * sizeof *shell);
  shell[0] = "/bin/sh";
  for (size_t i = 1; i < count; i++) shell[i + 1] = argv[i];
  return shell;
}

static struct rlimit nofile_of(int soft) {
  struct rlimit limit = {0};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = (rlim_t)soft < limit.rlim_max ? (rlim_t)soft : limit.rlim_max;
  return limit;
}

static rlim_t rlim_of(double value) { return value < 1e18 ? (rlim_t)value : RLIM_INFINITY; }

/* Reads triples of resource, soft and hard. */
static void read_limits(Call *call, napi_value value, Plan *plan) {
  if (call->failed || is_undefined(call->env, value)) return;
  Bytes array = typed_array_of(call, value, napi_float64_array, "limits", "a Float64Array");
  if (!call->failed && (array.length % 3 != 0 || array.length / 3 > LIMITS_MAX)) wrong(call, "limits", "triples");
  if (call->failed) return;
  const double *numbers = (const double *)(void *)array.data;
  for (size_t i = 0; i < array.length; i += 3)
    plan->limits[plan->limit_count++] =
        (Limit){.resource = (int)numbers[i], .to = {rlim_of(numbers[i + 1]), rlim_of(numbers[i + 2])}};
}

static napi_value spawned(napi_env env, pid_t pid, const Ends *ends, bool has_terminal) {
  napi_value result = NULL;
  napi_create_object(env, &result);
  napi_set_named_property(env, result, "kind", from_string(env, has_terminal ? "pty" : "pipes"));
  put_int(env, result, "pid", pid);
  put_int(env, result, "pidfd", ends->pidfd);
  if (has_terminal) {
    char pts[32];
    snprintf(pts, sizeof pts, "/dev/pts/%u", ends->pts);
    put_int(env, result, "master", ends->master);
    put_int(env, result, "slave", ends->slave);
    napi_set_named_property(env, result, "pts", from_string(env, pts));
  } else {
    put_int(env, result, "stdin", ends->stdio[0]);
    put_int(env, result, "stdout", ends->stdio[1]);
    put_int(env, result, "stderr", ends->stdio[2]);
  }
  return result;
}

/* Fills the plan from SpawnOptions. After a read error, fields are missing, and the call has failed. */
static void read_plan(Call *call, napi_value options, Plan *plan) {
  plan->file = string_of(call, property(call, options, "file"), "file");
  plan->argv = strings_of(call, property(call, options, "argv"), "argv");
  plan->env = strings_of(call, property(call, options, "env"), "env");
  plan->cwd = string_of(call, property(call, options, "cwd"), "cwd");
  plan->umask = (mode_t)int_of(call, property(call, options, "umask"), "umask");
  plan->nofile = nofile_of(int_of(call, property(call, options, "nofileSoft"), "nofileSoft"));
  read_limits(call, property(call, options, "limits"), plan);
  napi_value nice = property(call, options, "nice");
  plan->has_nice = !call->failed && !is_undefined(call->env, nice);
  if (plan->has_nice) plan->nice = int_of(call, nice, "nice");
  plan->cgroup_procs = int_of(call, property(call, options, "cgroupProcsFd"), "cgroupProcsFd");
  napi_value size = property(call, options, "size");
  plan->has_terminal = !call->failed && !is_undefined(call->env, size);
  if (plan->has_terminal) plan->size = size_of(call, size);
  if (call->failed) return;
  plan->candidates = candidates_of(plan->file, plan->env);
  plan->shell_argv = shell_argv_of(plan->argv);
}

static void free_plan(Plan *plan) {
  free_strings(plan->candidates);
  free_strings(plan->argv);
  free_strings(plan->env);
  free(plan->shell_argv);
  free(plan->cwd);
  free(plan->file);
}

/* Creates the terminal or the pipes, and the child. Returns its pid; or -1, errno and the failed stage, after closing all fds. */
static pid_t launch(Plan *plan, Ends *ends, const char **stage) {
  pid_t pid = -1;
  *stage = plan->has_terminal ? "openpty" : "pipe2";
  if ((plan->has_terminal ? open_terminal(plan, ends) : open_pipes(plan, ends)) == 0) {
    *stage = "clone";
    pid = start_child(child_main, plan, &ends->pidfd);
  }
  int error = errno;
  if (pid > 0 && plan->failed_stage) {
    *stage = plan->failed_stage;
    error = plan->failed_errno;
    reap(pid);
    pid = -1;
  }
  for (int i = 0; i < (plan->has_terminal ? 1 : 3); i++) shut(&plan->stdio[i]);
  if (pid > 0) return pid;
  shut(&ends->pidfd);
  shut(&ends->master);
  shut(&ends->slave);
  for (int i = 0; i < 3; i++) shut(&ends->stdio[i]);
  errno = error;
  return -1;
}

napi_value js_spawn(napi_env env, napi_callback_info info) {
  Call call = begin(env, info);
  Plan plan = {.stdio = {-1, -1, -1}};
  Ends ends = {.pidfd = -1, .master = -1, .slave = -1, .stdio = {-1, -1, -1}};
  napi_value result = NULL;
  read_plan(&call, call.at[0], &plan);
  if (!call.failed) {
    const char *stage;
    pid_t pid = launch(&plan, &ends, &stage);
    if (pid > 0) result = spawned(env, pid, &ends, plan.has_terminal);
    else throw_errno(env, errno, stage, strcmp(stage, "chdir") == 0 ? plan.cwd : plan.file);
  }
  free_plan(&plan);
  return result;
}
