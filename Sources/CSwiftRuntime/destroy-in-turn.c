#if defined(__linux__)
// For pthread_getattr_np(3).
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "CSwiftRuntime.h"

// The function by which the runtime destroys an object without references is stored two words before the address that
// identifies its class (HeapMetadataHeaderPrefix and TypeMetadataHeader, swift/ABI/Metadata.h of the Swift project).
// The class's own function is kept in a table, and `destroy_in_turn` replaces it in the header. On Apple's newer
// processors such pointers are signed. The function is replaced only on Linux, and not where SWIFT_DATA_DESTROY_NESTED
// is defined (swift build -Xcc -D…).
#if defined(__linux__) && __has_attribute(swiftcall) && !defined(SWIFT_DATA_DESTROY_NESTED)
#define KNOWS_METADATA 1
#else
#define KNOWS_METADATA 0
#endif

#if KNOWS_METADATA

typedef __attribute__((swiftcall)) void (*destroy_function)(
    __attribute__((swift_context)) void *object);

struct header {
  _Atomic(destroy_function) destroy;
  const void *value_witnesses;
};

static struct header *header_of(void *metadata) { return (struct header *)metadata - 1; }

// The value witnesses of every native class, exported by the standard library. A header with another word in their
// place isn't laid out as `struct header`, and stays unchanged.
extern const char native_object_witnesses[] __asm__("$sBoWV") __attribute__((weak));

static bool is_header(const struct header *header) {
  return native_object_witnesses != NULL && header->value_witnesses == native_object_witnesses;
}

// Whether the header can be written: the kernel copies the header's own bytes over it, and fails where a write would be
// a fault.
static bool can_be_written(struct header *header) {
  int ends[2];
  if (pipe(ends)) return false;
  destroy_function own = atomic_load_explicit(&header->destroy, memory_order_relaxed);
  bool can = write(ends[1], &own, sizeof own) == sizeof own &&
      read(ends[0], (void *)&header->destroy, sizeof own) == sizeof own;
  close(ends[0]);
  close(ends[1]);
  return can;
}

struct entry {
  _Atomic(void *) metadata;
  destroy_function destroy;
};

// Open addressing, at most half full. Read without a lock: a table that grows is replaced, and the old table is never
// freed, since another thread may be reading it. There is one entry per model class with relationships.
struct table {
  size_t mask;
  size_t count;
  struct entry entries[];
};

static _Atomic(struct table *) current_table;
static pthread_mutex_t change_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t place_of(const struct table *table, const void *metadata) {
  // Multiplying by the fraction of the golden ratio spreads the addresses.
  size_t place = (size_t)((uintptr_t)metadata * UINT64_C(0x9E3779B97F4A7C15) >> 32) & table->mask;
  for (;;) {
    void *found = atomic_load_explicit(&table->entries[place].metadata, memory_order_acquire);
    if (!found || found == metadata) return place;
    place = (place + 1) & table->mask;
  }
}

static destroy_function destroy_of(void *metadata) {
  const struct table *table = atomic_load_explicit(&current_table, memory_order_acquire);
  return table->entries[place_of(table, metadata)].destroy;
}

// The maximum depth of nested destruction: trees of usual depth need no more.
enum { most_nested = 24 };

struct waiting {
  void **objects;
  size_t count;
  size_t capacity;
};

static __thread unsigned nested;
static __thread struct waiting waiting;

static bool wait_in_turn(void *object) {
  if (waiting.count == waiting.capacity) {
    size_t capacity = waiting.capacity ? waiting.capacity * 2 : 64;
    void **objects = realloc(waiting.objects, capacity * sizeof *objects);
    // Without memory the object is destroyed now, as it would be without this queue.
    if (!objects) return false;
    waiting.objects = objects;
    waiting.capacity = capacity;
  }
  waiting.objects[waiting.count++] = object;
  return true;
}

static __attribute__((swiftcall)) void destroy_in_turn(
    __attribute__((swift_context)) void *object) {
  // The object has no references left, but it keeps its memory and everything it holds until its class's function has
  // run.
  if (nested >= most_nested && wait_in_turn(object)) return;
  nested++;
  destroy_of(*(void **)object)(object);
  if (nested == 1 && waiting.objects) {
    while (waiting.count) {
      void *next = waiting.objects[--waiting.count];
      destroy_of(*(void **)next)(next);
    }
    free(waiting.objects);
    waiting = (struct waiting){0};
  }
  nested--;
}

void swift_data_destroy_in_turn(void *metadata) {
  pthread_mutex_lock(&change_lock);
  struct table *old = atomic_load_explicit(&current_table, memory_order_relaxed);
  struct header *header = header_of(metadata);
  destroy_function own = atomic_load_explicit(&header->destroy, memory_order_relaxed);
  if (own && own != destroy_in_turn && is_header(header) && can_be_written(header)) {
    size_t capacity = old ? old->mask + 1 : 32;
    if (old && (old->count + 1) * 2 > capacity) capacity *= 2;
    struct table *table = old;
    if (!old || capacity != old->mask + 1) {
      table = calloc(1, sizeof *table + capacity * sizeof(struct entry));
      if (!table) {
        pthread_mutex_unlock(&change_lock);
        return;
      }
      table->mask = capacity - 1;
      for (size_t i = 0; old && i <= old->mask; i++) {
        void *known = atomic_load_explicit(&old->entries[i].metadata, memory_order_relaxed);
        if (!known) continue;
        struct entry *entry = &table->entries[place_of(table, known)];
        entry->destroy = old->entries[i].destroy;
        atomic_store_explicit(&entry->metadata, known, memory_order_relaxed);
        table->count++;
      }
    }
    struct entry *entry = &table->entries[place_of(table, metadata)];
    // No thread looks up the class before its function is replaced; a search for another class passes over the entry.
    entry->destroy = own;
    atomic_store_explicit(&entry->metadata, metadata, memory_order_release);
    table->count++;
    atomic_store_explicit(&current_table, table, memory_order_release);
    atomic_store_explicit(&header->destroy, destroy_in_turn, memory_order_release);
  }
  pthread_mutex_unlock(&change_lock);
}

#else

void swift_data_destroy_in_turn(void *metadata) { (void)metadata; }

#endif

#if defined(__linux__)
static __thread char *stack_end;

size_t swift_data_stack_room(void) {
  char *here = __builtin_frame_address(0);
  if (!stack_end) {
    pthread_attr_t attributes;
    void *lowest;
    size_t size;
    if (pthread_getattr_np(pthread_self(), &attributes)) return PTRDIFF_MAX;
    int result = pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    if (result) return PTRDIFF_MAX;
    stack_end = lowest;
  }
  return here > stack_end ? (size_t)(here - stack_end) : 0;
}
#else
size_t swift_data_stack_room(void) { return PTRDIFF_MAX; }
#endif
