#include <string.h>

#include "CSwiftRuntime.h"

// The number of words per comparison with memcmp.
enum { piece = 512 };

size_t swift_data_common_prefix(const void *first, const void *second, size_t count) {
  const uintptr_t *a = first, *b = second;
  size_t same = 0;
  while (same < count) {
    size_t next = count - same < piece ? count - same : piece;
    if (memcmp(a + same, b + same, next * sizeof *a)) break;
    same += next;
  }
  while (same < count && a[same] == b[same]) same++;
  return same;
}

size_t swift_data_common_suffix(const void *first, const void *second, size_t count) {
  const uintptr_t *a = first, *b = second;
  size_t same = 0;
  while (same < count) {
    size_t next = count - same < piece ? count - same : piece;
    if (memcmp(a - same - next, b - same - next, next * sizeof *a)) break;
    same += next;
  }
  while (same < count && *(a - same - 1) == *(b - same - 1)) same++;
  return same;
}

size_t swift_data_count_of_word(const void *words, size_t count, uintptr_t word) {
  const uintptr_t *a = words;
  size_t found = 0;
  for (size_t i = 0; i < count; i++) found += a[i] == word;
  return found;
}

size_t swift_data_place_of_word(const void *words, size_t count, uintptr_t word) {
  const uintptr_t *a = words;
  size_t place = 0;
  while (place < count && a[place] != word) place++;
  return place;
}
