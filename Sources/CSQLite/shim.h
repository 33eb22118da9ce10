// SQLite's C interface, from the system's libsqlite3 (Debian: libsqlite3-dev).
#include <sqlite3.h>
