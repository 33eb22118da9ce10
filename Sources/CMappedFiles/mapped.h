#ifndef MAPPED_H
#define MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A part of a file that lies in memory.
struct mapped_place;

/// A place that nobody has; NULL when there are too many.
struct mapped_place *mapped_place_take(void);
void mapped_place_give_back(struct mapped_place *place);

/// Says what is mapped: from `start` on at least `length` bytes.
void mapped_place_cover(struct mapped_place *place, const void *start, size_t length);
/// Says that nothing is mapped.
void mapped_place_uncover(struct mapped_place *place);
/// Whether a part of it couldn't be read, now or before.
bool mapped_place_has_failed(struct mapped_place *place);

/// Puts the handler of SIGBUS in place.
///
/// \returns Whether it is in place.
bool mapped_places_are_guarded(void);

#endif
