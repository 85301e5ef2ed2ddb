/*===- wasm.c - the runtime of models in WebAssembly ------------------------===
 *
 * In place of call.c, cpu.c, pool.c and print.c: there is one thread and no C
 * library, and callers are JavaScript (passes/emit/module.mjs), which lends no
 * context. Memory is the module's own.
 *===----------------------------------------------------------------------===*/

#include "runtime/libc.h"
#include "runtime/runtime.h"

/* Imported: what JavaScript does with a piece of a printed line. */
__attribute__((import_module("env"), import_name("print"))) void
cell_wasm_print(const char *text, int32_t dtype, int32_t rank,
                const int64_t *shape, const void *data);

void cell_rt_print(const cg_context *context, const char *text, int32_t dtype,
                   int32_t rank, const int64_t *shape, const void *data) {
  (void)context;
  cell_wasm_print(text, dtype, rank, shape, data);
}

/* The flag of callers, who cannot set one while a call runs. */
static const int32_t never = 0;

void cell_rt_enter(const cg_context *context, struct cell_rt_call *call) {
  (void)context;
  *call = (struct cell_rt_call){
      .cancel = &never, .trips = UINT64_MAX, .stash_bytes = UINT64_MAX};
}

int32_t cell_rt_cancelled(const struct cell_rt_call *call) {
  (void)call;
  return 1;
}

int32_t cell_rt_workers(const cg_context *context, uint64_t fixed,
                        uint64_t slot) {
  (void)context, (void)fixed, (void)slot;
  return 1;
}

void cell_rt_run(const cg_context *context, int64_t count, int32_t most_workers,
                 cg_task_fn task, void *frame) {
  (void)context, (void)most_workers;
  if (count > 0)
    task(frame, 0, count, 0);
}

/* Blocks of a power of two, each with its number in front. Those that are freed
   are kept for others of their size; new ones come from the end of memory. */
enum { kAlignment = 64, kSizes = 26, kPage = 65536 }; /* 64 bytes to 2 GiB */
typedef struct block {
  struct block *next;
  uint32_t size;
  _Alignas(kAlignment) char data[];
} block;
static block *unused[kSizes];
static uintptr_t end; /* of what was taken */
extern char __heap_base;

static block *takeNew(uint64_t bytes) {
  if (end == 0)
    end = ((uintptr_t)&__heap_base + kAlignment - 1) & -(uintptr_t)kAlignment;
  uint64_t there = (uint64_t)__builtin_wasm_memory_size(0) * kPage;
  if (end + bytes > there) {
    uint64_t pages = (end + bytes - there + kPage - 1) / kPage;
    if (pages > 65536 ||
        __builtin_wasm_memory_grow(0, (size_t)pages) == (size_t)-1)
      return 0;
  }
  block *taken = (block *)end;
  end += (uintptr_t)bytes;
  return taken;
}

void *aligned_alloc(size_t alignment, size_t bytes) {
  uint32_t size = 0;
  while (size < kSizes && (uint64_t)kAlignment << size < bytes)
    ++size;
  if (alignment > kAlignment || size == kSizes)
    return 0;
  block *taken = unused[size];
  if (taken)
    unused[size] = taken->next;
  else
    taken = takeNew(sizeof *taken + ((uint64_t)kAlignment << size));
  if (!taken)
    return 0;
  taken->size = size;
  return taken->data;
}

void free(void *memory) {
  if (!memory)
    return;
  block *given = (block *)((char *)memory - offsetof(block, data));
  given->next = unused[given->size];
  unused[given->size] = given;
}

/* Exported: memory for what JavaScript passes. */
void *cg_alloc(size_t bytes);
void cg_free(void *memory);
void *cg_alloc(size_t bytes) { return aligned_alloc(kAlignment, bytes); }
void cg_free(void *memory) { free(memory); }
