// SQLite's C interface, from the system's libsqlite3 (Debian: libsqlite3-dev).
// The pre-update hook, through which the history receives changes, is declared only on request.
#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif
#include <sqlite3.h>

/// Turns the enforcement of foreign keys on or off, unlike `PRAGMA foreign_keys` also within a transaction
/// (https://sqlite.org/c3ref/c_dbconfig_defensive.html). Variadic functions can't be called from Swift.
static inline int osd_enforce_foreign_keys(sqlite3 *database, int on) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_ENABLE_FKEY, on, (int *)0);
}

/// Keeps the write-ahead log unchanged when a connection is closed, even the last one
/// (https://sqlite.org/c3ref/c_dbconfig_defensive.html).
static inline int osd_keep_log(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
