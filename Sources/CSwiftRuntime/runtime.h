#ifndef CSWIFTRUNTIME_RUNTIME_H
#define CSWIFTRUNTIME_RUNTIME_H

// What the Swift runtime exports and the language has no word for.

#ifdef __cplusplus
extern "C" {
#endif

/// The runtime's entry point behind every read of a weak reference: takes a strong reference, or gives null for an
/// object that is being destroyed. Atomic (swift/Runtime/HeapObject.h of the Swift project).
extern void *_Nullable (*_Nonnull _swift_tryRetain)(void *_Nonnull object);

/// Keeps the memory of an object, but not the object: the entry points behind every `unowned` reference (the same file).
extern void *_Nonnull swift_unownedRetain(void *_Nonnull object);
extern void swift_unownedRelease(void *_Nonnull object);

static inline void *_Nullable swift_data_try_retain(void *_Nonnull object) {
  return _swift_tryRetain(object);
}

#ifdef __cplusplus
}
#endif

#endif
