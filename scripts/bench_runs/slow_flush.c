// Makes each flush of a file take FLUSH_MICROSECONDS more, as on a disk that has no cache of its own. For LD_PRELOAD.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

int fdatasync(int file) {
  static int (*flush)(int);
  if (!flush) flush = (int (*)(int))dlsym(RTLD_NEXT, "fdatasync");
  const char *wait = getenv("FLUSH_MICROSECONDS");
  if (wait) usleep((useconds_t)atoi(wait));
  return flush(file);
}
