// SQLite's C interface, from the system's libsqlite3 (Debian: libsqlite3-dev).
// The pre-update hook, from which the history learns of changes, is declared on request only.
#ifndef SQLITE_ENABLE_PREUPDATE_HOOK
#define SQLITE_ENABLE_PREUPDATE_HOOK 1
#endif
#include <sqlite3.h>
