// The changes that haven't been synced. Within this target only.

#ifndef FAULT_MEDIUM_H
#define FAULT_MEDIUM_H

#include "CFaultVFS.h"
#include <stddef.h>
#include <stdio.h>

/// The lock of the recorded changes. Held during a call, so that the power is never lost while a change is recorded.
void medium_lock(void);
void medium_unlock(void);

/// Whether a folder is watched.
int medium_is_active(void);

/// Whether a path is below the watched folder, without files of shared memory.
int medium_watches(const char *path);

/// To be called under the lock before a call of a kind. It may end the process.
///
/// - Returns: 0, or the error that the call is to fail with.
int medium_enter(enum fault_kind kind);

/// To be called under the lock after a call that `medium_enter` let through. It may end the process.
void medium_leave(void);

/// Whether syncs report success without effect.
int medium_lies(void);
enum fault_synchronous medium_synchronous(void);
/// A random number of the plan's seed.
uint64_t medium_random(void);

/// A file by its own descriptor, which stays open: closing one would give up the process's locks on the file.
struct medium_file;
struct medium_file *medium_file(int descriptor_or_minus_one, const char *path);

/// The bytes that a write or a truncation is about to replace: to be called before it.
struct medium_change;
struct medium_change *medium_prepare(struct medium_file *file, int64_t offset, int64_t length);
/// The written bytes: to be called after a write. A length below zero is a truncation to `offset`.
void medium_commit(struct medium_change *change, const void *bytes, int64_t length);
void medium_file_synced(struct medium_file *file);

/// Changes of names, to be called after them; `medium_save_name` before a name is removed or replaced.
char *medium_save_name(const char *path);
void medium_created(const char *path);
void medium_removed(const char *path, char *saved);
void medium_folder_removed(const char *path);
void medium_renamed(const char *from, const char *to, char *saved);
void medium_folder_synced(const char *path);

/// The C library's own calls.
struct real_calls {
  int (*open)(const char *, int, ...);
  ssize_t (*write)(int, const void *, size_t);
  ssize_t (*pwrite)(int, const void *, size_t, off_t);
  int (*ftruncate)(int, off_t);
  int (*fsync)(int);
  int (*fdatasync)(int);
  int (*rename)(const char *, const char *);
  int (*link)(const char *, const char *);
  int (*unlink)(const char *);
  int (*mkdir)(const char *, mode_t);
  int (*rmdir)(const char *);
  ssize_t (*sendfile)(int, int, off_t *, size_t);
};
const struct real_calls *real(void);

/// Above zero while a call comes from SQLite's file system, which does its own accounting of bytes.
extern _Thread_local int inside_sqlite;

int vfs_register(void);

#endif
