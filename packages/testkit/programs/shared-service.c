/*
 * A service like those that agents start for each user, with the same process structure: double-forked, in its own terminal
 * session, with the environment of the first client, and with the commands of all its clients as its children.
 *
 *   NAME start SOCKET ARGUMENT…   starts `NAME ARGUMENT…`, which listens on SOCKET; returns when it does
 *   NAME ask SOCKET COMMAND       has the service run a shell command; returns when it has been started
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

static struct sockaddr_un address_of(const char *path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  return address;
}

static int serve(const char *path) {
  struct sockaddr_un address = address_of(path);
  int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 8)) return 1;
  signal(SIGCHLD, SIG_IGN);
  for (;;) {
    int client = accept(listener, NULL, NULL);
    char command[4096] = {0};
    if (client == -1 || read(client, command, sizeof command - 1) <= 0) continue;
    if (fork() == 0) {
      setsid();
      signal(SIGCHLD, SIG_DFL);
      close(client);
      execl("/bin/sh", "sh", "-c", command, (char *)NULL);
      _exit(127);
    }
    if (write(client, "y", 1) != 1) return 1;
    close(client);
  }
}

static int dial(const char *path) {
  struct sockaddr_un address = address_of(path);
  for (int tries = 0; tries < 1000; tries++) {
    int client = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connect(client, (struct sockaddr *)&address, sizeof address) == 0) return client;
    close(client);
    usleep(10000);
  }
  return -1;
}

int main(int argc, char **argv) {
  const char *socket_path = getenv("SHARED_SERVICE_SOCKET");
  if (socket_path) return serve(socket_path);
  if (argc < 4) return 2;
  if (strcmp(argv[1], "ask") == 0) {
    char answer;
    int client = dial(argv[2]);
    return client == -1 || write(client, argv[3], strlen(argv[3])) < 0 || read(client, &answer, 1) != 1;
  }
  pid_t first = fork();
  if (first == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    setsid();
    for (int fd = 0; fd < 3; fd++) close(fd);
    setenv("SHARED_SERVICE_SOCKET", argv[2], 1);
    char *self = argv[0];
    argv += 2;
    argv[0] = self;
    execv(self, argv);
    _exit(127);
  }
  waitpid(first, NULL, 0);
  int client = dial(argv[2]);
  close(client);
  return client == -1;
}
