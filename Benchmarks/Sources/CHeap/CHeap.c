#include "CHeap.h"

// In C, because Swift's Glibc module does not show `mallinfo2`.
#if defined(__APPLE__)
#include <malloc/malloc.h>
long long heap_bytes_in_use(void) {
  malloc_statistics_t statistics = {0};
  malloc_zone_statistics(NULL, &statistics);  // NULL: the sum of all zones
  return (long long)statistics.size_in_use;
}
#else
#include <features.h>
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
#include <malloc.h>
// The sum over all arenas, whatever the man page says, and what was too large for an arena and was mapped.
long long heap_bytes_in_use(void) {
  struct mallinfo2 info = mallinfo2();
  return (long long)(info.uordblks + info.hblkhd);
}
#else
long long heap_bytes_in_use(void) { return -1; }
#endif
#endif

// Here, and not in Swift, which reserves these names for its compiler.
__attribute__((swiftcall)) extern void *swift_task_alloc(unsigned long size);
__attribute__((swiftcall)) extern void swift_task_dealloc(void *memory);

void *task_allocate(unsigned long size) { return swift_task_alloc(size); }
void task_deallocate(void *memory) { swift_task_dealloc(memory); }
