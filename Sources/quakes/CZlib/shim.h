// zlib's C interface, from the system's zlib (Debian: zlib1g-dev), without its function-like macros.
#ifndef QUAKES_CZLIB_SHIM_H
#define QUAKES_CZLIB_SHIM_H

#include <zlib.h>

// `deflateInit2` and `inflateInit2` are macros, which Swift cannot call.
static inline int quakes_deflate_init_gzip(z_streamp stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

static inline int quakes_inflate_init_gzip(z_streamp stream) {
  return inflateInit2(stream, 15 + 16);
}

#endif
