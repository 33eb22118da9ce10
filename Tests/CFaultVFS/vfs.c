// An SQLite VFS (https://sqlite.org/vfs.html) over the default one, which counts, fails and records calls.

#include "medium.h"
#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

struct watched_file {
  sqlite3_file base;
  /// NULL for files without a name, and those that aren't watched.
  struct medium_file *medium;
  sqlite3_file *system;
};

static sqlite3_vfs *system_vfs;
static sqlite3_vfs own_vfs;
/// Above zero while the harness itself sets a pragma.
static _Thread_local int sets_pragma;

static struct watched_file *watched(sqlite3_file *file) { return (struct watched_file *)file; }
static sqlite3_file *system_file(sqlite3_file *file) { return watched(file)->system; }

#define INSIDE(call) (inside_sqlite++, result = (call), inside_sqlite--)

/// The result of a failing call.
static int refusal(int error, int code) {
  if (error == ENOSPC || error == EDQUOT) return code == SQLITE_CANTOPEN ? SQLITE_CANTOPEN : SQLITE_FULL;
  return code;
}

// MARK: - Files

static int close_file(sqlite3_file *file) {
  int result;
  INSIDE(system_file(file)->pMethods->xClose(system_file(file)));
  return result;
}

static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  int result, error = 0;
  if (watched(file)->medium) {
    medium_lock();
    error = medium_enter(FAULT_READ);
    medium_unlock();
  }
  if (error) return SQLITE_IOERR_READ;
  INSIDE(system_file(file)->pMethods->xRead(system_file(file), bytes, count, offset));
  return result;
}

static int write_part(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  struct medium_change *change = medium_prepare(watched(file)->medium, offset, count);
  int result;
  INSIDE(system_file(file)->pMethods->xWrite(system_file(file), bytes, count, offset));
  medium_commit(change, bytes, result == SQLITE_OK ? count : 0);
  return result;
}

static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  int result;
  if (!watched(file)->medium) {
    INSIDE(system_file(file)->pMethods->xWrite(system_file(file), bytes, count, offset));
    return result;
  }
  medium_lock();
  int error = medium_enter(FAULT_WRITE);
  if (error) {
    // A disk that fails or is full may have taken a part.
    int part = (int)(medium_random() % (uint64_t)(count + 1));
    result = part ? write_part(file, bytes, part, offset) : SQLITE_OK;
    if (result == SQLITE_OK) result = refusal(error, SQLITE_IOERR_WRITE);
  } else {
    result = write_part(file, bytes, count, offset);
    medium_leave();
  }
  medium_unlock();
  return result;
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  int result;
  if (!watched(file)->medium) {
    INSIDE(system_file(file)->pMethods->xTruncate(system_file(file), size));
    return result;
  }
  medium_lock();
  int error = medium_enter(FAULT_TRUNCATE);
  if (error) {
    result = refusal(error, SQLITE_IOERR_TRUNCATE);
  } else {
    medium_commit(medium_prepare(watched(file)->medium, size, -1), NULL, -1);
    INSIDE(system_file(file)->pMethods->xTruncate(system_file(file), size));
    medium_leave();
  }
  medium_unlock();
  return result;
}

static int sync_file(sqlite3_file *file, int flags) {
  int result = SQLITE_OK;
  if (!watched(file)->medium) {
    INSIDE(system_file(file)->pMethods->xSync(system_file(file), flags));
    return result;
  }
  medium_lock();
  int error = medium_enter(FAULT_SYNC);
  if (error) {
    result = refusal(error, SQLITE_IOERR_FSYNC);
  } else {
    // The first sync of a journal syncs its folder, too. With lying syncs neither happens.
    INSIDE(system_file(file)->pMethods->xSync(system_file(file), flags));
    if (result == SQLITE_OK) medium_file_synced(watched(file)->medium);
    medium_leave();
  }
  medium_unlock();
  return result;
}

static int size_of_file(sqlite3_file *file, sqlite3_int64 *size) {
  return system_file(file)->pMethods->xFileSize(system_file(file), size);
}

static int lock_file(sqlite3_file *file, int level) {
  int result, error = 0;
  if (watched(file)->medium) {
    medium_lock();
    error = medium_enter(FAULT_LOCK);
    medium_unlock();
  }
  if (error) return SQLITE_IOERR_LOCK;
  INSIDE(system_file(file)->pMethods->xLock(system_file(file), level));
  return result;
}

static int unlock_file(sqlite3_file *file, int level) {
  int result;
  INSIDE(system_file(file)->pMethods->xUnlock(system_file(file), level));
  return result;
}

static int check_reserved(sqlite3_file *file, int *is_reserved) {
  return system_file(file)->pMethods->xCheckReservedLock(system_file(file), is_reserved);
}

static int control(sqlite3_file *file, int operation, void *argument) {
  if (operation == SQLITE_FCNTL_PRAGMA && !sets_pragma && medium_synchronous() != FAULT_SYNCHRONOUS_AS_SAID) {
    char **words = argument;
    // The store's own setting must not undo that of the plan.
    if (words[2] && sqlite3_stricmp(words[1], "synchronous") == 0) return SQLITE_OK;
  }
  int result;
  INSIDE(system_file(file)->pMethods->xFileControl(system_file(file), operation, argument));
  return result;
}

static int sector_size(sqlite3_file *file) {
  return system_file(file)->pMethods->xSectorSize(system_file(file));
}

static int characteristics(sqlite3_file *file) {
  return system_file(file)->pMethods->xDeviceCharacteristics(system_file(file));
}

static int map_shared(sqlite3_file *file, int page, int size, int extends, void volatile **memory) {
  int result, error = 0;
  if (watched(file)->medium) {
    medium_lock();
    error = medium_enter(FAULT_SHARED_MEMORY);
    medium_unlock();
  }
  if (error) return SQLITE_IOERR_SHMMAP;
  INSIDE(system_file(file)->pMethods->xShmMap(system_file(file), page, size, extends, memory));
  return result;
}

static int lock_shared(sqlite3_file *file, int offset, int count, int flags) {
  return system_file(file)->pMethods->xShmLock(system_file(file), offset, count, flags);
}

static void barrier(sqlite3_file *file) {
  system_file(file)->pMethods->xShmBarrier(system_file(file));
}

static int unmap_shared(sqlite3_file *file, int deletes) {
  int result;
  INSIDE(system_file(file)->pMethods->xShmUnmap(system_file(file), deletes));
  return result;
}

static int fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **memory) {
  int result;
  INSIDE(system_file(file)->pMethods->xFetch(system_file(file), offset, count, memory));
  return result;
}

static int unfetch(sqlite3_file *file, sqlite3_int64 offset, void *memory) {
  return system_file(file)->pMethods->xUnfetch(system_file(file), offset, memory);
}

static const sqlite3_io_methods methods = {
  3, close_file, read_file, write_file, truncate_file, sync_file, size_of_file, lock_file, unlock_file,
  check_reserved, control, sector_size, characteristics, map_shared, lock_shared, barrier, unmap_shared,
  fetch, unfetch,
};

// MARK: - The file system

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *opened) {
  (void)vfs;
  struct watched_file *own = watched(file);
  memset(own, 0, sizeof *own);
  own->system = (sqlite3_file *)&own[1];
  int watches = medium_watches(name), error = 0, result;
  medium_lock();
  if (watches) error = medium_enter(FAULT_OPEN);
  if (error) {
    medium_unlock();
    return refusal(error, SQLITE_CANTOPEN);
  }
  INSIDE(system_vfs->xOpen(system_vfs, name, own->system, flags, opened));
  if (own->system->pMethods) own->base.pMethods = &methods;
  if (watches && result == SQLITE_OK && (flags & SQLITE_OPEN_READWRITE)) own->medium = medium_file(-1, name);
  if (watches) medium_leave();
  medium_unlock();
  return result;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) {
  (void)vfs;
  int watches = medium_watches(name), error = 0, result;
  medium_lock();
  if (watches) error = medium_enter(FAULT_DELETE);
  if (error) {
    medium_unlock();
    return SQLITE_IOERR_DELETE;
  }
  INSIDE(system_vfs->xDelete(system_vfs, name, syncs));
  if (watches) medium_leave();
  medium_unlock();
  return result;
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
  (void)vfs;
  return system_vfs->xAccess(system_vfs, name, flags, answer);
}

static int full_name(sqlite3_vfs *vfs, const char *name, int room, char *full) {
  (void)vfs;
  return system_vfs->xFullPathname(system_vfs, name, room, full);
}

static int random_bytes(sqlite3_vfs *vfs, int count, char *bytes) {
  (void)vfs;
  return system_vfs->xRandomness(system_vfs, count, bytes);
}

static int pause_for(sqlite3_vfs *vfs, int microseconds) {
  (void)vfs;
  return system_vfs->xSleep(system_vfs, microseconds);
}

static int now(sqlite3_vfs *vfs, double *day) {
  (void)vfs;
  return system_vfs->xCurrentTime(system_vfs, day);
}

static int last_error(sqlite3_vfs *vfs, int room, char *text) {
  (void)vfs;
  return system_vfs->xGetLastError(system_vfs, room, text);
}

static int exact_now(sqlite3_vfs *vfs, sqlite3_int64 *milliseconds) {
  (void)vfs;
  return system_vfs->xCurrentTimeInt64(system_vfs, milliseconds);
}

/// Gives each new connection the plan's way of syncing.
static int greet(sqlite3 *database, char **message, const void *routines) {
  (void)message, (void)routines;
  static const char *const pragmas[] = {
    "PRAGMA synchronous = OFF", "PRAGMA synchronous = NORMAL", "PRAGMA synchronous = FULL",
  };
  enum fault_synchronous wanted = medium_synchronous();
  if (wanted == FAULT_SYNCHRONOUS_AS_SAID) return SQLITE_OK;
  sets_pragma++;
  int result = sqlite3_exec(database, pragmas[wanted], NULL, NULL, NULL);
  sets_pragma--;
  return result;
}

int vfs_register(void) {
  system_vfs = sqlite3_vfs_find("unix");
  if (!system_vfs) return SQLITE_ERROR;
  own_vfs = (sqlite3_vfs){
    .iVersion = 2,
    .szOsFile = (int)sizeof(struct watched_file) + system_vfs->szOsFile,
    .mxPathname = system_vfs->mxPathname,
    .zName = "faults",
    .xOpen = open_file,
    .xDelete = delete_file,
    .xAccess = access_file,
    .xFullPathname = full_name,
    .xRandomness = random_bytes,
    .xSleep = pause_for,
    .xCurrentTime = now,
    .xGetLastError = last_error,
    .xCurrentTimeInt64 = exact_now,
  };
  int result = sqlite3_vfs_register(&own_vfs, 1);
  return result ? result : sqlite3_auto_extension((void (*)(void))greet);
}
