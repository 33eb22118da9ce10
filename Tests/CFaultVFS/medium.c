#define _GNU_SOURCE
#include "medium.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const int fault_power_code = 77;
enum { sector = 512 };

struct medium_file {
  dev_t device;
  ino_t number;
  int descriptor;
  struct medium_file *next;
};

enum change_kind { BYTES, LENGTH, CREATED, REMOVED, FOLDER_REMOVED, RENAMED };

/// One change in the order of time. The list is doubly linked, the oldest first.
struct medium_change {
  enum change_kind kind;
  struct medium_change *previous, *next;
  // Of bytes.
  struct medium_file *file;
  int64_t offset, old_size, old_length, length;
  unsigned char *old_bytes, *bytes;
  // Of names.
  char *path, *other, *saved;
};

static pthread_mutex_t lock;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_active;
static fault_plan plan;
static char root[4096], graveyard[4096];
static size_t root_length;
static int64_t events, failures, calls[FAULT_KINDS], graves;
static int dies_after_call;
static uint64_t random_state;
static struct medium_file *files;
static struct medium_change *first, *last;

static void make_lock(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &attributes);
}

void medium_lock(void) {
  pthread_once(&once, make_lock);
  pthread_mutex_lock(&lock);
}

void medium_unlock(void) { pthread_mutex_unlock(&lock); }

/// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators).
uint64_t medium_random(void) {
  uint64_t value = (random_state += 0x9E3779B97F4A7C15u);
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

static int chance(int percent) { return (int)(medium_random() % 100) < percent; }

/// A new name in the folder of removed files, unique among all runs on the folder.
static void name_grave(char *name, size_t room) {
  snprintf(name, room, "%s/%d-%lld", graveyard, (int)getpid(), (long long)++graves);
}

static void broken(const char *what) {
  // The harness itself is at fault: no result is better than a wrong one.
  fprintf(stderr, "fault harness: %s: %s\n", what, strerror(errno));
  _exit(70);
}

static void *allocate(size_t size) {
  void *memory = calloc(1, size ? size : 1);
  if (!memory) broken("out of memory");
  return memory;
}

static char *copy_text(const char *text) {
  char *copy = text ? strdup(text) : NULL;
  if (text && !copy) broken("out of memory");
  return copy;
}

int medium_is_active(void) { return is_active; }

int medium_watches(const char *path) {
  if (!is_active || !path || strncmp(path, root, root_length) != 0) return 0;
  if (path[root_length] != '/' && path[root_length] != 0) return 0;
  size_t length = strlen(path);
  return length < 4 || strcmp(path + length - 4, "-shm") != 0;
}

int medium_lies(void) { return is_active && plan.lies; }

enum fault_synchronous medium_synchronous(void) {
  return is_active ? plan.synchronous : FAULT_SYNCHRONOUS_AS_SAID;
}

// MARK: - The list of changes

static struct medium_change *append(enum change_kind kind) {
  struct medium_change *change = allocate(sizeof *change);
  change->kind = kind;
  change->previous = last;
  if (last) last->next = change; else first = change;
  last = change;
  return change;
}

static void drop(struct medium_change *change) {
  if (change->previous) change->previous->next = change->next; else first = change->next;
  if (change->next) change->next->previous = change->previous; else last = change->previous;
  free(change->old_bytes);
  free(change->bytes);
  free(change->path);
  free(change->other);
  free(change->saved);
  free(change);
}

// MARK: - Bytes

struct medium_file *medium_file(int descriptor, const char *path) {
  struct stat status;
  if (descriptor >= 0 ? fstat(descriptor, &status) : stat(path, &status)) broken("stat");
  for (struct medium_file *file = files; file; file = file->next)
    if (file->device == status.st_dev && file->number == status.st_ino) return file;
  char name[64];
  if (descriptor >= 0) snprintf(name, sizeof name, "/proc/self/fd/%d", descriptor);
  struct medium_file *file = allocate(sizeof *file);
  file->device = status.st_dev;
  file->number = status.st_ino;
  file->descriptor = real()->open(descriptor >= 0 ? name : path, O_RDWR | O_CLOEXEC);
  if (file->descriptor < 0) broken("opening a file a second time");
  file->next = files;
  return files = file;
}

static int64_t size_of(struct medium_file *file) {
  struct stat status;
  if (fstat(file->descriptor, &status)) broken("fstat");
  return status.st_size;
}

static void write_fully(struct medium_file *file, const unsigned char *bytes, int64_t length, int64_t offset) {
  while (length > 0) {
    ssize_t count = real()->pwrite(file->descriptor, bytes, (size_t)length, offset);
    if (count <= 0) broken("pwrite");
    bytes += count, offset += count, length -= count;
  }
}

struct medium_change *medium_prepare(struct medium_file *file, int64_t offset, int64_t length) {
  int64_t size = size_of(file);
  struct medium_change *change = append(length < 0 ? LENGTH : BYTES);
  change->file = file;
  change->offset = offset;
  change->old_size = size;
  int64_t end = length < 0 ? size : offset + length;
  if (end > size) end = size;
  change->old_length = end > offset ? end - offset : 0;
  change->old_bytes = allocate((size_t)change->old_length);
  if (pread(file->descriptor, change->old_bytes, (size_t)change->old_length, offset) != change->old_length)
    broken("pread");
  return change;
}

void medium_commit(struct medium_change *change, const void *bytes, int64_t length) {
  change->length = length;
  if (length <= 0) return;
  change->bytes = allocate((size_t)length);
  if (bytes) {
    memcpy(change->bytes, bytes, (size_t)length);
  } else if (pread(change->file->descriptor, change->bytes, (size_t)length, change->offset) != length) {
    broken("pread");
  }
}

void medium_file_synced(struct medium_file *file) {
  if (plan.lies) return;
  for (struct medium_change *change = first, *next; change; change = next) {
    next = change->next;
    if (change->file == file) drop(change);
  }
}

// MARK: - Names

char *medium_save_name(const char *path) {
  struct stat status;
  if (lstat(path, &status) || S_ISDIR(status.st_mode)) return NULL;
  char name[4200];
  name_grave(name, sizeof name);
  if (real()->link(path, name)) broken("link");
  return copy_text(name);
}

static void named(enum change_kind kind, const char *path, const char *other, char *saved) {
  struct medium_change *change = append(kind);
  change->path = copy_text(path);
  change->other = copy_text(other);
  change->saved = saved;
}

void medium_created(const char *path) { named(CREATED, path, NULL, NULL); }
void medium_removed(const char *path, char *saved) { named(REMOVED, path, NULL, saved); }
void medium_folder_removed(const char *path) { named(FOLDER_REMOVED, path, NULL, NULL); }
void medium_renamed(const char *from, const char *to, char *saved) { named(RENAMED, to, from, saved); }

static int is_directly_in(const char *path, const char *folder) {
  size_t length = strlen(folder);
  return strncmp(path, folder, length) == 0 && path[length] == '/' && !strchr(path + length + 1, '/');
}

void medium_folder_synced(const char *path) {
  if (plan.lies) return;
  for (struct medium_change *change = first, *next; change; change = next) {
    next = change->next;
    if (change->path && is_directly_in(change->path, path)) drop(change);
  }
}

static void undo_name(struct medium_change *change) {
  char name[4200];
  name_grave(name, sizeof name);
  switch (change->kind) {
  case CREATED:
    if (real()->rename(change->path, name) && errno != ENOENT) broken("undoing a creation");
    break;
  case REMOVED:
    if (change->saved && real()->link(change->saved, change->path)) broken("undoing a removal");
    break;
  case FOLDER_REMOVED:
    if (real()->mkdir(change->path, 0700)) broken("undoing the removal of a folder");
    break;
  case RENAMED:
    if (real()->rename(change->path, change->other)) broken("undoing a renaming");
    if (change->saved && real()->link(change->saved, change->path)) broken("undoing a replacement");
    break;
  default: break;
  }
}

// MARK: - The loss of power

static void undo_bytes(struct medium_change *change) {
  write_fully(change->file, change->old_bytes, change->old_length, change->offset);
  if (real()->ftruncate(change->file->descriptor, change->old_size)) broken("ftruncate");
}

/// The first part of a write's range that lies in one sector of the disk.
static int64_t within_sector(int64_t offset, int64_t rest) {
  int64_t room = sector - offset % sector;
  return rest < room ? rest : room;
}

static void put_sectors_back(struct medium_change *change) {
  for (int64_t done = 0; done < change->length;) {
    int64_t part = within_sector(change->offset + done, change->length - done);
    unsigned char *bytes = change->bytes + done;
    int kept = chance(45), garbage = !kept && chance(15);
    if (garbage)
      for (int64_t place = 0; place < part; place++) bytes[place] = (unsigned char)medium_random();
    if (kept || garbage) write_fully(change->file, bytes, part, change->offset + done);
    done += part;
  }
}

/// - Parameter wholes: The percentage of writes that are on the disk as a whole.
/// - Parameter parts: The percentage of writes that are on the disk in parts.
static void put_back(struct medium_change *change, int wholes, int parts) {
  int draw = (int)(medium_random() % 100);
  if (draw >= wholes + parts) return;
  if (change->kind == LENGTH) {
    if (real()->ftruncate(change->file->descriptor, change->offset)) broken("ftruncate");
  } else if (draw < wholes) {
    write_fully(change->file, change->bytes, change->length, change->offset);
  } else {
    put_sectors_back(change);
  }
}

static void lose_bytes(void) {
  static const int styles[][2] = {{0, 0}, {30, 40}, {60, 20}, {95, 3}, {10, 80}};
  const int *style = styles[medium_random() % 5];
  for (struct medium_change *change = last; change; change = change->previous)
    if (change->file) undo_bytes(change);
  for (struct medium_change *change = first; change; change = change->next)
    if (change->file) put_back(change, style[0], style[1]);
}

/// Names are lost from the last one on: file systems write them in their order.
static void lose_names(void) {
  int64_t count = 0;
  for (struct medium_change *change = first; change; change = change->next) count += !change->file;
  int64_t kept = chance(40) ? 0 : (int64_t)(medium_random() % (uint64_t)(count + 1));
  for (struct medium_change *change = last; change; change = change->previous)
    if (!change->file && count-- > kept) undo_name(change);
}

/// Memory shared between processes doesn't outlive the machine.
static void forget_shared_memory(const char *folder) {
  DIR *listing = opendir(folder);
  if (!listing) return;
  for (struct dirent *entry; (entry = readdir(listing));) {
    char path[4400];
    size_t length = strlen(entry->d_name);
    if (length > 4 && strcmp(entry->d_name + length - 4, "-shm") == 0) {
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
      real()->unlink(path);
    }
  }
  closedir(listing);
}

void fault_lose_power(void) {
  medium_lock();
  random_state = plan.seed * 0x2545F4914F6CDD1Du + 99;
  lose_bytes();
  lose_names();
  forget_shared_memory(root);
  _exit(fault_power_code);
}

// MARK: - Events

static void die(void) {
  if (plan.end == FAULT_POWER) fault_lose_power();
  kill(getpid(), SIGKILL);
  for (;;) pause();
}

static int is_event(enum fault_kind kind) {
  return kind != FAULT_READ && kind != FAULT_LOCK && kind != FAULT_SHARED_MEMORY;
}

int medium_enter(enum fault_kind kind) {
  if (!is_active) return 0;
  int64_t call = ++calls[kind];
  if (plan.end == FAULT_FAIL) {
    if (kind != plan.kind || call < plan.at || call >= plan.at + plan.times) return 0;
    failures++;
    return plan.error;
  }
  if (!is_event(kind)) return 0;
  if (++events == plan.at && (plan.end == FAULT_POWER || plan.end == FAULT_KILL)) {
    if (plan.seed % 2) die();
    dies_after_call = 1;
  }
  return 0;
}

void medium_leave(void) {
  if (is_active && dies_after_call) die();
}

int fault_begin(const char *folder, const char *lost, const fault_plan *wanted) {
  plan = *wanted;
  snprintf(root, sizeof root, "%s", folder);
  snprintf(graveyard, sizeof graveyard, "%s", lost);
  root_length = strlen(root);
  random_state = plan.seed;
  if (real()->mkdir(graveyard, 0700) && errno != EEXIST) broken("mkdir");
  if (vfs_register()) return -1;
  is_active = 1;
  return 0;
}

void fault_stop(void) {
  medium_lock();
  is_active = 0;
  medium_unlock();
}

int64_t fault_events(void) { return events; }
int64_t fault_calls(enum fault_kind kind) { return kind < FAULT_KINDS ? calls[kind] : 0; }
int64_t fault_failures(void) { return failures; }
pid_t fault_fork(void) { return fork(); }
