#if defined(__linux__)
// For dl_iterate_phdr(3).
#define _GNU_SOURCE
#include <link.h>
#include <string.h>
#endif

#include "CSwiftRuntime.h"

__thread void *const *swift_data_tracking_slot;

#if defined(__linux__)
struct search {
  const char *name;
  size_t library;
  struct swift_data_thread_storage *storage;
  bool found;
};

static int visit(struct dl_phdr_info *info, size_t size, void *context) {
  struct search *search = context;
  if (size < sizeof *info || !info->dlpi_tls_data) return 0;
  if (search->name ? !strstr(info->dlpi_name, search->name)
                   : info->dlpi_tls_modid != search->library)
    return 0;
  for (size_t i = 0; i < info->dlpi_phnum; i++) {
    if (info->dlpi_phdr[i].p_type != PT_TLS) continue;
    search->storage->library = info->dlpi_tls_modid;
    search->storage->words = info->dlpi_tls_data;
    search->storage->count = info->dlpi_phdr[i].p_memsz / sizeof(void *);
    search->found = true;
    return 1;
  }
  return 0;
}
#endif

bool swift_data_find_thread_storage(
    const char *name, size_t library, struct swift_data_thread_storage *storage) {
#if defined(__linux__)
  struct search search = {name, library, storage, false};
  dl_iterate_phdr(visit, &search);
  return search.found;
#else
  return false;
#endif
}
