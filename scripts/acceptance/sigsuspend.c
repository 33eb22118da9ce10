/* Dispatch ends its main thread in sigsuspend(2), in which valgrind 3.19 fails. Waiting is the same. */
#include <signal.h>
#include <unistd.h>

int sigsuspend(const sigset_t *mask) {
  (void)mask;
  for (;;) pause();
  return -1;
}
