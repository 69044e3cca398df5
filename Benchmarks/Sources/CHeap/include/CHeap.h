#ifndef CHEAP_H
#define CHEAP_H

/// Bytes that are allocated on the heap right now, in all of its arenas, or -1 where there is no way to know.
long long heap_bytes_in_use(void);

/// Memory of the running Swift task, as the compiler takes it for the frames of async functions; last in, first out.
void *task_allocate(unsigned long size);
void task_deallocate(void *memory);

#endif
