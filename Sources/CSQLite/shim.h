// SQLite's C interface, from the system's libsqlite3 (Debian: libsqlite3-dev).
// The pre-update hook, from which the history learns of changes, is declared on request only.
#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif
#include <sqlite3.h>

/// Turns the enforcement of foreign keys on or off, unlike `PRAGMA foreign_keys` also within a transaction
/// (https://sqlite.org/c3ref/c_dbconfig_defensive.html). Variadic functions can't be called from Swift.
static inline int osd_enforce_foreign_keys(sqlite3 *database, int on) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, on, (int *)0);
}

/// Lets a connection that is closed leave the write-ahead log as it is, also when it is the last one
/// (https://sqlite.org/c3ref/c_dbconfig_defensive.html).
static inline int osd_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
