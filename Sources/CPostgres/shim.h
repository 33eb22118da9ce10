// PostgreSQL's C interface, from the system's libpq (Debian: libpq-dev).
#include <libpq-fe.h>
