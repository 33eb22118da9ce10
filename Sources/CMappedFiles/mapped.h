#ifndef MAPPED_H
#define MAPPED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// A part of a file that is mapped into memory.
struct mapped_place;

/// Takes a free place; NULL when all places are taken.
struct mapped_place *mapped_place_take(void);
void mapped_place_give_back(struct mapped_place *place);

/// Records the mapped range: at least `length` bytes from `start`.
void mapped_place_cover(struct mapped_place *place, const void *start, size_t length);
/// Records that nothing is mapped.
void mapped_place_uncover(struct mapped_place *place);
/// Whether the address of the mapping is known.
bool mapped_place_is_covered(struct mapped_place *place);
/// Records that this thread may read bytes of the mapping that aren't known to be covered, until the end of the read.
void mapped_place_begin_read(struct mapped_place *place, size_t offset, size_t length);
void mapped_place_end_read(struct mapped_place *place);
/// Whether a part of the mapping couldn't be read, now or before.
bool mapped_place_has_failed(struct mapped_place *place);

/// Installs the SIGBUS handler.
///
/// \returns Whether the handler is installed.
bool mapped_places_are_guarded(void);

#endif
