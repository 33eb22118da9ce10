// An SQLite VFS (https://sqlite.org/vfs.html) that forwards every call to the default VFS and records the addresses at
// which database files are mapped.

#include "CMappedFiles.h"
#include "mapped.h"
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

struct mapped_file {
  sqlite3_file base;
  /// NULL when too many files are mapped; this file is then not mapped.
  struct mapped_place *place;
  /// The file of the default VFS that this file forwards to.
  sqlite3_file *system;
  /// The number of pages given out and not given back: until it is 0, the mapping stays as it is.
  int pages_in_use;
};

static struct mapped_file *mapped(sqlite3_file *file) { return (struct mapped_file *)file; }
static sqlite3_file *system_of(sqlite3_file *file) { return mapped(file)->system; }
static const sqlite3_io_methods *methods_of(sqlite3_file *file) { return system_of(file)->pMethods; }

// MARK: - Files

/// Records the address at which the file is mapped. The default VFS reads its mapping for `xRead`, too, and gives out
/// no page near the mapping's end, so that the address of the first byte is asked for here.
static void find_mapping(sqlite3_file *file) {
  void *first = NULL;
  int result = methods_of(file)->xFetch(system_of(file), 0, 1, &first);
  if (result != SQLITE_OK || !first) return;
  mapped_place_cover(mapped(file)->place, first, 1);
  methods_of(file)->xUnfetch(system_of(file), 0, first);
}

static int close_file(sqlite3_file *file) {
  if (mapped(file)->place) mapped_place_give_back(mapped(file)->place);
  mapped(file)->place = NULL;
  return methods_of(file)->xClose(system_of(file));
}

static int read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
  struct mapped_place *place = mapped(file)->place;
  if (!place) return methods_of(file)->xRead(system_of(file), bytes, count, offset);
  // After a failure, whatever the connection reads is invalid.
  if (mapped_place_has_failed(place)) return SQLITE_IOERR_READ;
  mapped_place_begin_read(place, (size_t)offset, (size_t)count);
  int result = methods_of(file)->xRead(system_of(file), bytes, count, offset);
  mapped_place_end_read(place);
  return mapped_place_has_failed(place) ? SQLITE_IOERR_READ : result;
}

static int write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
  return methods_of(file)->xWrite(system_of(file), bytes, count, offset);
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  return methods_of(file)->xTruncate(system_of(file), size);
}

static int sync_file(sqlite3_file *file, int flags) {
  return methods_of(file)->xSync(system_of(file), flags);
}

static int size_of_file(sqlite3_file *file, sqlite3_int64 *size) {
  return methods_of(file)->xFileSize(system_of(file), size);
}

static int lock_file(sqlite3_file *file, int level) {
  return methods_of(file)->xLock(system_of(file), level);
}

static int unlock_file(sqlite3_file *file, int level) {
  return methods_of(file)->xUnlock(system_of(file), level);
}

static int check_reserved_lock(sqlite3_file *file, int *is_reserved) {
  return methods_of(file)->xCheckReservedLock(system_of(file), is_reserved);
}

static int control_file(sqlite3_file *file, int operation, void *argument) {
  struct mapped_place *place = mapped(file)->place;
  if (operation == SWIFT_DATA_MAPPING_FAILED) {
    *(int *)argument = place && mapped_place_has_failed(place);
    return SQLITE_OK;
  }
  // These two map the file again, perhaps at another address, unless pages are in use.
  bool maps = operation == SQLITE_FCNTL_MMAP_SIZE || operation == SQLITE_FCNTL_SIZE_HINT;
  if (!maps || !place || mapped(file)->pages_in_use > 0) {
    return methods_of(file)->xFileControl(system_of(file), operation, argument);
  }
  mapped_place_uncover(place);
  int result = methods_of(file)->xFileControl(system_of(file), operation, argument);
  find_mapping(file);
  return result;
}

static int sector_size(sqlite3_file *file) {
  return methods_of(file)->xSectorSize(system_of(file));
}

static int characteristics(sqlite3_file *file) {
  return methods_of(file)->xDeviceCharacteristics(system_of(file));
}

static int map_shared_memory(
    sqlite3_file *file, int region, int size, int extends, void volatile **memory) {
  return methods_of(file)->xShmMap(system_of(file), region, size, extends, memory);
}

static int lock_shared_memory(sqlite3_file *file, int offset, int count, int flags) {
  return methods_of(file)->xShmLock(system_of(file), offset, count, flags);
}

static void order_shared_memory(sqlite3_file *file) {
  methods_of(file)->xShmBarrier(system_of(file));
}

static int unmap_shared_memory(sqlite3_file *file, int deletes) {
  return methods_of(file)->xShmUnmap(system_of(file), deletes);
}

static int fetch(sqlite3_file *file, sqlite3_int64 offset, int count, void **page) {
  struct mapped_place *place = mapped(file)->place;
  *page = NULL;
  // Without an address, SQLite reads a copy of the page.
  if (!place || mapped_place_has_failed(place)) return SQLITE_OK;
  int result = methods_of(file)->xFetch(system_of(file), offset, count, page);
  if (result == SQLITE_OK && *page) {
    mapped(file)->pages_in_use++;
    mapped_place_cover(place, (const char *)*page - offset, (size_t)offset + (size_t)count);
  } else if (!mapped_place_is_covered(place)) {
    find_mapping(file);
  }
  return result;
}

static int give_back(sqlite3_file *file, sqlite3_int64 offset, void *page) {
  if (page) {
    mapped(file)->pages_in_use--;
  } else if (mapped(file)->place) {
    // Without a page, the whole mapping is released.
    mapped_place_uncover(mapped(file)->place);
  }
  return methods_of(file)->xUnfetch(system_of(file), offset, page);
}

#define METHODS(version)                                                                               \
  {                                                                                                    \
    .iVersion = version, .xClose = close_file, .xRead = read_file, .xWrite = write_file,               \
    .xTruncate = truncate_file, .xSync = sync_file, .xFileSize = size_of_file, .xLock = lock_file,     \
    .xUnlock = unlock_file, .xCheckReservedLock = check_reserved_lock, .xFileControl = control_file,   \
    .xSectorSize = sector_size, .xDeviceCharacteristics = characteristics,                             \
    .xShmMap = map_shared_memory, .xShmLock = lock_shared_memory, .xShmBarrier = order_shared_memory,  \
    .xShmUnmap = unmap_shared_memory, .xFetch = fetch, .xUnfetch = give_back,                          \
  }

/// Indexed by the version of the underlying file's methods: later versions have more methods.
static const sqlite3_io_methods methods[] = {METHODS(1), METHODS(2), METHODS(3)};

// MARK: - VFS

struct file_system {
  sqlite3_vfs base;
  sqlite3_vfs *system;
  char name[32];
};

static sqlite3_vfs *system_vfs(sqlite3_vfs *vfs) { return ((struct file_system *)vfs)->system; }

static int open_file(
    sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *file, int flags, int *granted) {
  sqlite3_vfs *system = system_vfs(vfs);
  if (!(flags & SQLITE_OPEN_MAIN_DB)) return system->xOpen(system, name, file, flags, granted);
  struct mapped_file *own = mapped(file);
  own->base.pMethods = NULL;
  own->place = NULL;
  own->pages_in_use = 0;
  own->system = (sqlite3_file *)(own + 1);
  own->system->pMethods = NULL;
  int result = system->xOpen(system, name, own->system, flags, granted);
  if (!own->system->pMethods) return result;
  int version = own->system->pMethods->iVersion;
  own->base.pMethods = &methods[version > 3 ? 2 : version - 1];
  if (result == SQLITE_OK && version >= 3) own->place = mapped_place_take();
  return result;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncs) {
  return system_vfs(vfs)->xDelete(system_vfs(vfs), name, syncs);
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
  return system_vfs(vfs)->xAccess(system_vfs(vfs), name, flags, answer);
}

static int full_name(sqlite3_vfs *vfs, const char *name, int room, char *full) {
  return system_vfs(vfs)->xFullPathname(system_vfs(vfs), name, room, full);
}

static void *open_library(sqlite3_vfs *vfs, const char *name) {
  return system_vfs(vfs)->xDlOpen(system_vfs(vfs), name);
}

static void tell_library_error(sqlite3_vfs *vfs, int room, char *text) {
  system_vfs(vfs)->xDlError(system_vfs(vfs), room, text);
}

static void (*find_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
  return system_vfs(vfs)->xDlSym(system_vfs(vfs), library, name);
}

static void close_library(sqlite3_vfs *vfs, void *library) {
  system_vfs(vfs)->xDlClose(system_vfs(vfs), library);
}

static int randomness(sqlite3_vfs *vfs, int count, char *bytes) {
  return system_vfs(vfs)->xRandomness(system_vfs(vfs), count, bytes);
}

static int pause_for(sqlite3_vfs *vfs, int microseconds) {
  return system_vfs(vfs)->xSleep(system_vfs(vfs), microseconds);
}

static int current_day(sqlite3_vfs *vfs, double *day) {
  return system_vfs(vfs)->xCurrentTime(system_vfs(vfs), day);
}

static int last_error(sqlite3_vfs *vfs, int room, char *text) {
  return system_vfs(vfs)->xGetLastError(system_vfs(vfs), room, text);
}

static int current_time(sqlite3_vfs *vfs, sqlite3_int64 *time) {
  return system_vfs(vfs)->xCurrentTimeInt64(system_vfs(vfs), time);
}

/// One entry for each default VFS seen so far: a program may register another default.
#define FILE_SYSTEMS 8
static struct file_system file_systems[FILE_SYSTEMS];

static const char *registered(sqlite3_vfs *system) {
  for (int index = 0; index < FILE_SYSTEMS; index++) {
    struct file_system *own = &file_systems[index];
    if (own->system == system) return own->name;
    if (own->system) continue;
    own->system = system;
    own->base = (sqlite3_vfs){
      .iVersion = system->iVersion > 2 ? 2 : system->iVersion,
      .szOsFile = (int)sizeof(struct mapped_file) + system->szOsFile,
      .mxPathname = system->mxPathname,
      .zName = own->name,
      .xOpen = open_file,
      .xDelete = delete_file,
      .xAccess = access_file,
      .xFullPathname = full_name,
      .xDlOpen = system->xDlOpen ? open_library : NULL,
      .xDlError = system->xDlError ? tell_library_error : NULL,
      .xDlSym = system->xDlSym ? find_symbol : NULL,
      .xDlClose = system->xDlClose ? close_library : NULL,
      .xRandomness = randomness,
      .xSleep = pause_for,
      .xCurrentTime = current_day,
      .xGetLastError = last_error,
      .xCurrentTimeInt64 = system->iVersion >= 2 ? current_time : NULL,
    };
    sqlite3_snprintf(sizeof own->name, own->name, "swift-data-mapped-%d", index);
    if (sqlite3_vfs_register(&own->base, 0) == SQLITE_OK) return own->name;
    own->system = NULL;
    return NULL;
  }
  return NULL;
}

const char *swift_data_mapped_file_system(void) {
  if (!mapped_places_are_guarded() || sqlite3_initialize() != SQLITE_OK) return NULL;
  sqlite3_vfs *system = sqlite3_vfs_find(NULL);
  if (!system || system->xOpen == open_file) return NULL;
  sqlite3_mutex *mutex = sqlite3_mutex_alloc(SQLITE_MUTEX_STATIC_VFS3);
  sqlite3_mutex_enter(mutex);
  const char *name = registered(system);
  sqlite3_mutex_leave(mutex);
  return name;
}
