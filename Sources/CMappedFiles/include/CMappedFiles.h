#ifndef CMAPPEDFILES_H
#define CMAPPEDFILES_H

// Files of databases that are mapped for reading, and end no process when a part of them isn't there any more.
//
// Reading a mapped page that the file doesn't have, because somebody has cut the file off or its disk fails, raises
// SIGBUS (mmap(2)). Here the signal is answered by pages of zeros in the place of those that are gone, which is what SQLite
// takes for the rest of a file that is too short, and noted for the connection, whose answer counts for nothing then.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The number for `sqlite3_file_control` that asks whether a part of the mapped file couldn't be read: an `int` that becomes
/// 1 or 0. Files of other file systems answer SQLITE_NOTFOUND.
#define SWIFT_DATA_MAPPING_FAILED 0x4F534401

/// The name of the file system ("VFS", https://sqlite.org/vfs.html) for connections that map their file: the default one,
/// with the mapping watched. Sees to it that SIGBUS is answered, once a process.
///
/// \returns NULL where mapping isn't safe: the system has no such signals, or the program has put a handler of SIGBUS in place
/// after the first call.
const char *swift_data_mapped_file_system(void);

/// The number of failures in this process so far; it grows only.
uint64_t swift_data_mapping_failures(void);

#ifdef __cplusplus
}
#endif

#endif
