#ifndef CSWIFTRUNTIME_H
#define CSWIFTRUNTIME_H

// What the Swift runtime exports and the language has no word for.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The runtime's entry point behind every read of a weak reference: takes a strong reference, or gives null for an
/// object that is being destroyed. Atomic (swift/Runtime/HeapObject.h of the Swift project).
extern void *_Nullable (*_Nonnull _swift_tryRetain)(void *_Nonnull object);

/// Keeps the memory of an object, but not the object: the entry points behind every `unowned` reference (the same file).
extern void *_Nonnull swift_unownedRetain(void *_Nonnull object);
extern void swift_unownedRelease(void *_Nonnull object);

/// Whether an object has one strong reference only: the entry point behind every write to an array (the same file).
extern bool swift_isUniquelyReferenced_nonNull_native(const void *_Nonnull object);

static inline void *_Nullable swift_data_try_retain(void *_Nonnull object) {
  return _swift_tryRetain(object);
}

/// The variables that a library has for each thread, on this one.
struct swift_data_thread_storage {
  /// The library, by the number that it has in this process.
  size_t library;
  void *const _Nullable *_Nullable words;
  size_t count;
};

/// Looks for the variables that a library has for this thread: by a part of its name, or by its number. They are found
/// only where the library has used them on this thread before.
extern bool swift_data_find_thread_storage(
    const char *_Nullable name, size_t library, struct swift_data_thread_storage *_Nonnull storage);

/// A pointer that each thread has for itself, null at first.
extern __thread void *const _Nullable *_Nullable swift_data_tracking_place;

static inline void *const _Nullable *_Nullable swift_data_get_tracking_place(void) {
  return swift_data_tracking_place;
}

/// Whether nothing is tracked on this thread, as far as its place is known.
static inline bool swift_data_tracks_nothing(void) {
  void *const _Nullable *_Nullable place = swift_data_tracking_place;
  return place != NULL && *place == NULL;
}

static inline void swift_data_set_tracking_place(void *const _Nullable *_Nullable place) {
  swift_data_tracking_place = place;
}

/// Makes objects of a class that hold each other in long chains go one after the other instead of one inside the other:
/// destroying an object releases what it holds, which may be the last reference to the next one, and so on until the
/// stack is used up.
///
/// \param metadata The metadata of a Swift class, for good: it stays as long as the program runs.
/// Does nothing where the metadata isn't laid out as expected or can't be written, and for a class that has been prepared
/// before.
extern void swift_data_destroy_in_turn(void *_Nonnull metadata);

/// The bytes of the stack that are left to this thread; PTRDIFF_MAX, the largest number of Swift's Int, where that can't be
/// told.
extern size_t swift_data_stack_room(void);

/// The length of the common beginning of two arrays of `count` words.
extern size_t swift_data_common_prefix(
    const void *_Nonnull first, const void *_Nonnull second, size_t count);

/// The length of their common end: `first` and `second` point behind the last of `count` words.
extern size_t swift_data_common_suffix(
    const void *_Nonnull first, const void *_Nonnull second, size_t count);

/// The number of times that a word occurs among `count` words.
extern size_t swift_data_count_of_word(const void *_Nonnull words, size_t count, uintptr_t word);

/// The first place of a word among `count` words; `count` when it isn't there.
extern size_t swift_data_place_of_word(const void *_Nonnull words, size_t count, uintptr_t word);

#ifdef __cplusplus
}
#endif

#endif
