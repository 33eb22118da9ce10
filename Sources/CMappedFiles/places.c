// The places of mapped files, and the handler of the signal that reading them may raise.

#define _GNU_SOURCE
#include "mapped.h"
#include "CMappedFiles.h"

#if defined(__unix__) || defined(__APPLE__)

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_ANONYMOUS
#define MAP_ANONYMOUS MAP_ANON
#endif

/// Each connection that reads takes one place. The handler searches all of them, so they never move.
#define PLACES 1024

struct mapped_place {
  _Atomic uintptr_t start, end;
  /// The addresses that a call is reading, the first ones at least in the mapping, and its thread.
  _Atomic uintptr_t read_start, read_end;
  _Atomic(pthread_t) reader;
  atomic_bool has_failed, is_taken;
};

static struct mapped_place places[PLACES];
/// Places from this index on have never been taken.
static atomic_size_t used_places;
static _Atomic uint64_t failures;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_installed;
static struct sigaction former;
static uintptr_t page_size;

uint64_t swift_data_mapping_failures(void) {
  return atomic_load_explicit(&failures, memory_order_relaxed);
}

struct mapped_place *mapped_place_take(void) {
  for (size_t index = 0; index < PLACES; index++) {
    bool is_free = false;
    if (!atomic_compare_exchange_strong(&places[index].is_taken, &is_free, true)) continue;
    size_t used = atomic_load(&used_places);
    while (used <= index && !atomic_compare_exchange_weak(&used_places, &used, index + 1)) {}
    atomic_store(&places[index].has_failed, false);
    return &places[index];
  }
  return NULL;
}

void mapped_place_give_back(struct mapped_place *place) {
  mapped_place_uncover(place);
  atomic_store(&place->is_taken, false);
}

void mapped_place_cover(struct mapped_place *place, const void *start, size_t length) {
  uintptr_t first = (uintptr_t)start, end = first + length;
  // Only the thread that uses the connection changes these fields; handlers on other threads read them.
  if (atomic_load_explicit(&place->start, memory_order_relaxed) == first) {
    if (atomic_load_explicit(&place->end, memory_order_relaxed) < end) atomic_store(&place->end, end);
    return;
  }
  atomic_store(&place->end, 0);
  atomic_store(&place->start, first);
  atomic_store(&place->end, end);
}

void mapped_place_uncover(struct mapped_place *place) {
  atomic_store(&place->end, 0);
  atomic_store(&place->start, 0);
}

bool mapped_place_is_covered(struct mapped_place *place) {
  return atomic_load_explicit(&place->start, memory_order_relaxed) != 0;
}

void mapped_place_begin_read(struct mapped_place *place, size_t offset, size_t length) {
  uintptr_t start = atomic_load_explicit(&place->start, memory_order_relaxed);
  if (!start) return;
  // Handlers on other threads ignore these fields once they see another reader, and the end is set last.
  atomic_store_explicit(&place->reader, pthread_self(), memory_order_relaxed);
  atomic_store_explicit(&place->read_start, start + offset, memory_order_relaxed);
  atomic_store_explicit(&place->read_end, start + offset + length, memory_order_release);
  atomic_signal_fence(memory_order_seq_cst);
}

void mapped_place_end_read(struct mapped_place *place) {
  atomic_signal_fence(memory_order_seq_cst);
  atomic_store_explicit(&place->read_end, 0, memory_order_release);
}

bool mapped_place_has_failed(struct mapped_place *place) {
  return atomic_load_explicit(&place->has_failed, memory_order_relaxed);
}

/// The end of the part of a mapping that an address is in; 0 for addresses elsewhere.
static uintptr_t end_of_part(struct mapped_place *place, uintptr_t address) {
  uintptr_t end = atomic_load(&place->end), start = atomic_load(&place->start);
  if (address >= start && address < end) return end;
  // A read may go beyond the mapping, where other memory may follow: only the touched page is known to be in it.
  end = atomic_load(&place->read_end), start = atomic_load(&place->read_start);
  if (address < start || address >= end) return 0;
  return pthread_equal(atomic_load(&place->reader), pthread_self()) ? address + 1 : 0;
}

/// Maps zeros over the unreadable part of a mapping, from an address on.
static bool replace(uintptr_t address) {
  size_t used = atomic_load(&used_places);
  for (size_t index = 0; index < used; index++) {
    uintptr_t end = end_of_part(&places[index], address);
    if (!end) continue;
    uintptr_t first = address & ~(page_size - 1), last = (end + page_size - 1) & ~(page_size - 1);
    void *zeros = mmap(
        (void *)first, last - first, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (zeros == MAP_FAILED) return false;
    atomic_store(&places[index].has_failed, true);
    atomic_fetch_add(&failures, 1);
    return true;
  }
  return false;
}

/// Does what would have happened without this handler.
static void hand_on(int signal, siginfo_t *information, void *context) {
  if (former.sa_flags & SA_SIGINFO) return former.sa_sigaction(signal, information, context);
  if (former.sa_handler != SIG_DFL && former.sa_handler != SIG_IGN) return former.sa_handler(signal);
  bool was_sent = information->si_code <= 0;
  if (was_sent && former.sa_handler == SIG_IGN) return;
  struct sigaction normal = {.sa_handler = SIG_DFL};
  sigaction(signal, &normal, NULL);
  // Returning repeats the access, which now ends the process.
  if (was_sent) raise(signal);
}

static void handle(int signal, siginfo_t *information, void *context) {
  int error = errno;
  // Codes of 0 and below mark signals that a process has sent; these have no address.
  if (information->si_code <= 0 || !replace((uintptr_t)information->si_addr)) {
    hand_on(signal, information, context);
  }
  errno = error;
}

static bool install(void) {
  page_size = (uintptr_t)sysconf(_SC_PAGESIZE);
  if (sigaction(SIGBUS, NULL, &former)) return false;
  struct sigaction own = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
  own.sa_sigaction = handle;
  own.sa_mask = former.sa_mask;
  return sigaction(SIGBUS, &own, NULL) == 0;
}

bool mapped_places_are_guarded(void) {
  pthread_mutex_lock(&lock);
  if (!is_installed) is_installed = install();
  struct sigaction current;
  // A handler installed later may or may not forward signals. If this handler were installed again on top of it, a
  // signal might be forwarded back to this handler.
  bool is_guarded = is_installed && sigaction(SIGBUS, NULL, &current) == 0
    && (current.sa_flags & SA_SIGINFO) && current.sa_sigaction == handle;
  pthread_mutex_unlock(&lock);
  return is_guarded;
}

#else

uint64_t swift_data_mapping_failures(void) { return 0; }
struct mapped_place *mapped_place_take(void) { return NULL; }
void mapped_place_give_back(struct mapped_place *place) {}
void mapped_place_cover(struct mapped_place *place, const void *start, size_t length) {}
void mapped_place_uncover(struct mapped_place *place) {}
bool mapped_place_is_covered(struct mapped_place *place) { return false; }
void mapped_place_begin_read(struct mapped_place *place, size_t offset, size_t length) {}
void mapped_place_end_read(struct mapped_place *place) {}
bool mapped_place_has_failed(struct mapped_place *place) { return false; }
bool mapped_places_are_guarded(void) { return false; }

#endif
