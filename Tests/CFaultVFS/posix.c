// The C library's calls on files and folders: these take their place in the whole process, Foundation and SQLite
// included, as a program's own symbols come before those of the libraries that it loads.

#define _GNU_SOURCE
#include "medium.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

_Thread_local int inside_sqlite;

static void *next(const char *name) {
  void *symbol = dlsym(RTLD_NEXT, name);
  if (!symbol) abort();
  return symbol;
}

const struct real_calls *real(void) {
  static struct real_calls calls;
  if (!calls.sendfile) {
    calls.open = next("open64");
    calls.write = next("write");
    calls.pwrite = next("pwrite64");
    calls.ftruncate = next("ftruncate64");
    calls.fsync = next("fsync");
    calls.fdatasync = next("fdatasync");
    calls.rename = next("rename");
    calls.link = next("link");
    calls.unlink = next("unlink");
    calls.mkdir = next("mkdir");
    calls.rmdir = next("rmdir");
    calls.sendfile = next("sendfile");
  }
  return &calls;
}

/// Ends a call that was chosen to fail.
static int refuse(int error) {
  medium_unlock();
  errno = error;
  return -1;
}

static int leave(int result) {
  int error = errno;
  medium_leave();
  medium_unlock();
  errno = error;
  return result;
}

// MARK: - Opening and names

static int open_file(const char *path, int flags, mode_t mode) {
  if (!medium_watches(path)) return real()->open(path, flags, mode);
  medium_lock();
  struct stat status;
  int makes = (flags & O_CREAT) && lstat(path, &status) != 0;
  int writes = (flags & O_ACCMODE) != O_RDONLY;
  // SQLite's own openings are counted by its file system; opening a folder is a part of syncing it.
  int counts = !inside_sqlite && (writes || makes);
  int error = counts ? medium_enter(FAULT_FILE_OPEN) : 0;
  if (error) return refuse(error);
  int descriptor = real()->open(path, flags, mode);
  if (makes && descriptor >= 0) medium_created(path);
  return counts ? leave(descriptor) : (medium_unlock(), descriptor);
}

int open(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(rest, int) : 0;
  va_end(rest);
  return open_file(path, flags, mode);
}

int open64(const char *path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? (mode_t)va_arg(rest, int) : 0;
  va_end(rest);
  return open_file(path, flags, mode);
}

int unlink(const char *path) {
  if (!medium_watches(path)) return real()->unlink(path);
  medium_lock();
  int error = inside_sqlite ? 0 : medium_enter(FAULT_FILE_REMOVE);
  if (error) return refuse(error);
  char *saved = medium_save_name(path);
  int result = real()->unlink(path);
  int number = errno;
  if (result == 0) medium_removed(path, saved); else free(saved);
  errno = number;
  return inside_sqlite ? (medium_unlock(), errno = number, result) : leave(result);
}

int rename(const char *from, const char *to) {
  if (!medium_watches(from) || !medium_watches(to)) return real()->rename(from, to);
  medium_lock();
  int error = medium_enter(FAULT_FILE_RENAME);
  if (error) return refuse(error);
  char *saved = medium_save_name(to);
  int result = real()->rename(from, to);
  int number = errno;
  if (result == 0) medium_renamed(from, to, saved); else free(saved);
  errno = number;
  return leave(result);
}

int link(const char *from, const char *to) {
  if (!medium_watches(to)) return real()->link(from, to);
  medium_lock();
  int error = medium_enter(FAULT_FILE_LINK);
  if (error) return refuse(error);
  int result = real()->link(from, to);
  if (result == 0) medium_created(to);
  return leave(result);
}

int mkdir(const char *path, mode_t mode) {
  if (!medium_watches(path)) return real()->mkdir(path, mode);
  medium_lock();
  int error = inside_sqlite ? 0 : medium_enter(FAULT_FOLDER_MAKE);
  if (error) return refuse(error);
  int result = real()->mkdir(path, mode);
  if (result == 0) medium_created(path);
  return inside_sqlite ? (medium_unlock(), result) : leave(result);
}

int rmdir(const char *path) {
  if (!medium_watches(path)) return real()->rmdir(path);
  medium_lock();
  int error = inside_sqlite ? 0 : medium_enter(FAULT_FILE_REMOVE);
  if (error) return refuse(error);
  int result = real()->rmdir(path);
  if (result == 0) medium_folder_removed(path);
  return inside_sqlite ? (medium_unlock(), result) : leave(result);
}

// MARK: - Bytes

/// Whether a descriptor is of a watched file that SQLite doesn't handle; `path` gets its name.
static int is_watched(int descriptor, char *path, size_t room, struct stat *status) {
  int number = errno, result = 0;
  if (!medium_is_active()) return 0;
  if (!inside_sqlite && fstat(descriptor, status) == 0 && (S_ISREG(status->st_mode) || S_ISDIR(status->st_mode))) {
    char name[64];
    snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
    ssize_t length = readlink(name, path, room - 1);
    if (length > 0) {
      path[length] = 0;
      result = medium_watches(path);
    }
  }
  errno = number;
  return result;
}

static ssize_t write_at(int descriptor, const void *bytes, size_t count, off_t place) {
  return place < 0 ? real()->write(descriptor, bytes, count) : real()->pwrite(descriptor, bytes, count, place);
}

static ssize_t write_file(int descriptor, const void *bytes, size_t count, off_t place) {
  char path[4400];
  struct stat status;
  if (inside_sqlite || !is_watched(descriptor, path, sizeof path, &status))
    return write_at(descriptor, bytes, count, place);
  medium_lock();
  int error = medium_enter(FAULT_FILE_WRITE);
  if (error) return refuse(error);
  off_t begin = place;
  if (place < 0)
    begin = fcntl(descriptor, F_GETFL) & O_APPEND ? status.st_size : lseek(descriptor, 0, SEEK_CUR);
  struct medium_change *change = medium_prepare(medium_file(descriptor, NULL), begin, (int64_t)count);
  ssize_t written = write_at(descriptor, bytes, count, place);
  int number = errno;
  medium_commit(change, bytes, written < 0 ? 0 : written);
  errno = number;
  leave(0);
  return written;
}

ssize_t write(int descriptor, const void *bytes, size_t count) {
  return write_file(descriptor, bytes, count, -1);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t count, off_t place) {
  return write_file(descriptor, bytes, count, place);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t count, off64_t place) {
  return write_file(descriptor, bytes, count, place);
}

ssize_t sendfile(int to, int from, off_t *place, size_t count) {
  char path[4400];
  struct stat status;
  if (!is_watched(to, path, sizeof path, &status)) return real()->sendfile(to, from, place, count);
  medium_lock();
  int error = medium_enter(FAULT_FILE_WRITE);
  if (error) return refuse(error);
  struct medium_change *change =
    medium_prepare(medium_file(to, NULL), lseek(to, 0, SEEK_CUR), (int64_t)count);
  ssize_t written = real()->sendfile(to, from, place, count);
  int number = errno;
  medium_commit(change, NULL, written < 0 ? 0 : written);
  errno = number;
  leave(0);
  return written;
}

static int cut(int descriptor, off_t size) {
  char path[4400];
  struct stat status;
  if (!is_watched(descriptor, path, sizeof path, &status)) return real()->ftruncate(descriptor, size);
  medium_lock();
  int error = medium_enter(FAULT_FILE_WRITE);
  if (error) return refuse(error);
  medium_commit(medium_prepare(medium_file(descriptor, NULL), size, -1), NULL, -1);
  return leave(real()->ftruncate(descriptor, size));
}

int ftruncate(int descriptor, off_t size) { return cut(descriptor, size); }
int ftruncate64(int descriptor, off64_t size) { return cut(descriptor, size); }

static int sync_file(int descriptor, int (*call)(int)) {
  // SQLite syncs folders itself, within its file system.
  int outer = inside_sqlite;
  char path[4400];
  struct stat status;
  inside_sqlite = 0;
  int watched = is_watched(descriptor, path, sizeof path, &status);
  inside_sqlite = outer;
  if (!watched) return call(descriptor);
  // The real disk needn't be synced: only the recorded changes count.
  if (outer && !S_ISDIR(status.st_mode)) return 0;
  int is_folder = S_ISDIR(status.st_mode);
  medium_lock();
  int error = outer ? 0 : medium_enter(is_folder ? FAULT_FOLDER_SYNC : FAULT_FILE_SYNC);
  if (error) return refuse(error);
  if (is_folder) medium_folder_synced(path); else medium_file_synced(medium_file(descriptor, NULL));
  return outer ? (medium_unlock(), 0) : leave(0);
}

int fsync(int descriptor) { return sync_file(descriptor, real()->fsync); }
int fdatasync(int descriptor) { return sync_file(descriptor, real()->fdatasync); }
