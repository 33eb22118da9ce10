// A simulated disk with power losses, false syncs and failing calls, for tests only.
//
// `fault_begin` makes a file system of SQLite's ("VFS") the default one, and takes the place of the C library's calls
// that change files and folders. Everything below one folder goes through to the real files and is recorded until it
// has been synced: bytes until their file is, names until their folder is. When the power is lost, recorded changes
// are undone on the real files, except for a random part.

#ifndef C_FAULT_VFS_H
#define C_FAULT_VFS_H

#include <stdint.h>
#include <sys/types.h>

/// The kinds of calls that can fail. Those of SQLite come first, then those of other code on files beside a store.
enum fault_kind {
  FAULT_WRITE,
  FAULT_SYNC,
  FAULT_TRUNCATE,
  FAULT_OPEN,
  FAULT_DELETE,
  FAULT_READ,
  FAULT_LOCK,
  FAULT_SHARED_MEMORY,
  FAULT_FILE_OPEN,
  FAULT_FILE_WRITE,
  FAULT_FILE_SYNC,
  FAULT_FILE_RENAME,
  FAULT_FILE_LINK,
  FAULT_FILE_REMOVE,
  FAULT_FOLDER_MAKE,
  FAULT_FOLDER_SYNC,
  FAULT_KINDS
};

/// The fault at the event or the call that a plan names.
enum fault_end { FAULT_NOTHING, FAULT_POWER, FAULT_KILL, FAULT_FAIL };

/// The syncing of connections: as the program sets it, or a value of SQLite's `PRAGMA synchronous`.
enum fault_synchronous {
  FAULT_SYNCHRONOUS_OFF,
  FAULT_SYNCHRONOUS_NORMAL,
  FAULT_SYNCHRONOUS_FULL,
  FAULT_SYNCHRONOUS_AS_SAID
};

typedef struct fault_plan {
  enum fault_end end;
  /// For power and kill: the number of the event, that is of a call that changes or syncs a file. For a failing call:
  /// its number among those of its kind. The first is 1.
  int64_t at;
  /// The number of consecutive calls that fail.
  int64_t times;
  enum fault_kind kind;
  /// Of a failing call: EIO, ENOSPC, EACCES, …
  int error;
  enum fault_synchronous synchronous;
  /// Syncs report success without effect.
  int lies;
  /// The seed for the changes that survive a power loss.
  uint64_t seed;
} fault_plan;

/// The exit code of a process that lost its power.
extern const int fault_power_code;

/// Begins to watch the files below a folder. Once per process.
///
/// - Parameters:
///   - root: The folder, an absolute path without symbolic links.
///   - lost: A folder on the same file system for removed files that may be restored.
/// - Returns: 0, or -1 when SQLite refused.
int fault_begin(const char *root, const char *lost, const fault_plan *plan);

/// Stops failing and watching: unsynced changes count as kept.
void fault_stop(void);

/// Loses power now. Doesn't return.
void fault_lose_power(void) __attribute__((noreturn));

/// The events so far: calls that change or sync a file.
int64_t fault_events(void);

/// The calls of a kind so far.
int64_t fault_calls(enum fault_kind kind);

/// The number of calls that failed.
int64_t fault_failures(void);

/// fork(2), which Swift leaves out. Only for a process that has one thread.
pid_t fault_fork(void);

#endif
