// OpenSSL's library of algorithms, from the system's libcrypto, version 3 (Debian: libssl-dev).
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3 is needed, see Deploying.md."
#endif
