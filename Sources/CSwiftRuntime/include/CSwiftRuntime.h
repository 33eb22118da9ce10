#ifndef CSWIFTRUNTIME_H
#define CSWIFTRUNTIME_H

// Functions that the Swift runtime exports and the language can't express.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The runtime's entry point behind every read of a weak reference: takes a strong reference, or returns null for an
/// object that is being destroyed. Atomic (swift/Runtime/HeapObject.h of the Swift project).
extern void *_Nullable (*_Nonnull _swift_tryRetain)(void *_Nonnull object);

/// Keeps the memory of an object alive, but not the object: the entry points behind every `unowned` reference (same
/// file).
extern void *_Nonnull swift_unownedRetain(void *_Nonnull object);
extern void swift_unownedRelease(void *_Nonnull object);

/// Whether an object has only one strong reference: the entry point behind every write to an array (same file).
extern bool swift_isUniquelyReferenced_nonNull_native(const void *_Nonnull object);

static inline void *_Nullable swift_data_try_retain(void *_Nonnull object) {
  return _swift_tryRetain(object);
}

/// Destroys objects of a class that hold each other in long chains one after the other instead of nested: destroying an
/// object releases the objects it holds, which may be the last reference to the next object, and so on until the stack
/// is used up.
///
/// \param metadata The metadata of a Swift class; it must live as long as the program runs. Does nothing where the
/// metadata isn't laid out as expected or can't be written, and for a class that has been prepared before.
extern void swift_data_destroy_in_turn(void *_Nonnull metadata);

/// The number of bytes left on the stack of this thread; PTRDIFF_MAX, the largest value of Swift's Int, where it can't
/// be determined.
extern size_t swift_data_stack_room(void);

/// The length of the common prefix of two arrays of `count` words.
extern size_t swift_data_common_prefix(
    const void *_Nonnull first, const void *_Nonnull second, size_t count);

/// The length of their common suffix: `first` and `second` point behind the last of `count` words.
extern size_t swift_data_common_suffix(
    const void *_Nonnull first, const void *_Nonnull second, size_t count);

/// The number of times that a word occurs among `count` words.
extern size_t swift_data_count_of_word(const void *_Nonnull words, size_t count, uintptr_t word);

/// The index of the first occurrence of a word among `count` words; `count` when it doesn't occur.
extern size_t swift_data_place_of_word(const void *_Nonnull words, size_t count, uintptr_t word);

#ifdef __cplusplus
}
#endif

#endif
