#if defined(__linux__)
// For pthread_getattr_np(3).
#define _GNU_SOURCE
#endif

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#include "CSwiftRuntime.h"

// The function by which the runtime destroys an object without references lies two words before the address by which its
// class is known (HeapMetadataHeaderPrefix and TypeMetadataHeader, swift/ABI/Metadata.h of the Swift project). The
// class's own is kept in a table, and one of ours put in its place. On Apple's newer processors such pointers are signed;
// there everything is left as it is.
#if defined(__linux__) && __has_attribute(swiftcall)
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

struct entry {
  void *metadata;
  destroy_function destroy;
};

// Open addressing, at most half full. Read without a lock: a table that grows is replaced, and the old one stays, since
// somebody may be reading it. There are as many entries as model classes with relationships.
struct table {
  size_t mask;
  size_t count;
  struct entry entries[];
};

static _Atomic(struct table *) current_table;
static pthread_mutex_t change_lock = PTHREAD_MUTEX_INITIALIZER;

static size_t place_of(const struct table *table, const void *metadata) {
  // The golden ratio spreads what is multiplied by its fraction.
  size_t place = (size_t)((uintptr_t)metadata * UINT64_C(0x9E3779B97F4A7C15) >> 32) & table->mask;
  while (table->entries[place].metadata && table->entries[place].metadata != metadata)
    place = (place + 1) & table->mask;
  return place;
}

static destroy_function destroy_of(void *metadata) {
  const struct table *table = atomic_load_explicit(&current_table, memory_order_acquire);
  return table->entries[place_of(table, metadata)].destroy;
}

// So many objects may be destroyed one inside the other: trees of usual depth need nothing more.
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
    // Without memory it goes now, as it would without us.
    if (!objects) return false;
    waiting.objects = objects;
    waiting.capacity = capacity;
  }
  waiting.objects[waiting.count++] = object;
  return true;
}

static __attribute__((swiftcall)) void destroy_in_turn(
    __attribute__((swift_context)) void *object) {
  // The object has no references any more, but its memory and all that it holds until its class's function has run.
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
  if (own && own != destroy_in_turn) {
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
        if (!old->entries[i].metadata) continue;
        table->entries[place_of(table, old->entries[i].metadata)] = old->entries[i];
        table->count++;
      }
    }
    struct entry *entry = &table->entries[place_of(table, metadata)];
    // Nobody looks for the class before its function is replaced, and who finds the place taken meanwhile by a half
    // written entry looks for another class.
    entry->destroy = own;
    __atomic_store_n(&entry->metadata, metadata, __ATOMIC_RELEASE);
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
    if (pthread_getattr_np(pthread_self(), &attributes)) return SIZE_MAX;
    int result = pthread_attr_getstack(&attributes, &lowest, &size);
    pthread_attr_destroy(&attributes);
    if (result) return SIZE_MAX;
    stack_end = lowest;
  }
  return here > stack_end ? (size_t)(here - stack_end) : 0;
}
#else
size_t swift_data_stack_room(void) { return SIZE_MAX; }
#endif
