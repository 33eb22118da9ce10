#ifndef CMAPPEDFILES_H
#define CMAPPEDFILES_H

// Database files that are mapped for reading and don't end the process when a part of the file disappears.
//
// Reading a mapped page that the file no longer has, because another process has truncated the file or its disk fails,
// raises SIGBUS (mmap(2)). The signal handler here maps pages of zeros in place of the missing ones; SQLite takes zeros
// for the remainder of a file that is too short. The handler also records the failure for the connection, whose results
// are then invalid.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The opcode for `sqlite3_file_control` that returns whether a part of the mapped file couldn't be read: the argument
/// is an `int` that becomes 1 or 0. Files of other VFSs return SQLITE_NOTFOUND.
#define SWIFT_DATA_MAPPING_FAILED 0x4F534401

/// The name of the VFS (https://sqlite.org/vfs.html) for connections that map their file: the default VFS, with its
/// mappings tracked. Installs the SIGBUS handler, once per process.
///
/// \returns NULL where mapping isn't safe: the system has no such signals, or the program has installed its own SIGBUS
/// handler after the first call.
const char *swift_data_mapped_file_system(void);

/// The number of failures in this process so far. It never decreases.
uint64_t swift_data_mapping_failures(void);

#ifdef __cplusplus
}
#endif

#endif
