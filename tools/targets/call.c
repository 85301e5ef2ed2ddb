/*===- call.c - calls a model on the machine that it is made for ------------===
 *
 *   call libmodel.so model
 *
 * runs where the model can be loaded, such as in an emulator. Without input it
 * prints the model's signature. Else standard input has calls, one after the
 * other, and standard output gets their results; numbers are as the machine has
 * them, little-endian everywhere:
 *
 *   int32 length of the symbol, symbol, int32 count of buffers,
 *     and for each an int64 of bytes, bytes  ->  int32 status, bytes of all
 *===----------------------------------------------------------------------===*/

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostBuffers = 4096, kAlignment = 64 };

static void fail(const char *words) {
  fprintf(stderr, "call: %s\n", words);
  exit(2);
}

static void get(void *to, size_t bytes) {
  if (fread(to, 1, bytes, stdin) != bytes)
    fail("the input ends in a call");
}

static void *find(void *library, const char *name) {
  void *symbol = dlsym(library, name);
  if (!symbol)
    fail(dlerror());
  return symbol;
}

int main(int argc, char **argv) {
  static void *buffers[kMostBuffers];
  static int64_t bytes[kMostBuffers];
  char name[1024];
  if (argc != 3)
    fail("expected a shared object and the name of its model");
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    fail(dlerror());
  int32_t length, count, calls = 0;
  for (; fread(&length, sizeof length, 1, stdin) == 1; ++calls) {
    if (length < 0 || length >= (int)sizeof name)
      fail("a symbol is too long");
    get(name, (size_t)length);
    name[length] = 0;
    get(&count, sizeof count);
    if (count < 0 || count > kMostBuffers)
      fail("there are too many buffers");
    for (int32_t i = 0; i < count; ++i) {
      get(&bytes[i], sizeof bytes[i]);
      size_t whole = ((size_t)bytes[i] / kAlignment + 1) * kAlignment;
      if (!(buffers[i] = aligned_alloc(kAlignment, whole)))
        fail("out of memory");
      get(buffers[i], (size_t)bytes[i]);
    }
    int32_t (*entry)(void *const *, const void *);
    void *symbol = find(library, name);
    memcpy(&entry, &symbol, sizeof entry);
    int32_t status = entry(buffers, NULL);
    fwrite(&status, sizeof status, 1, stdout);
    for (int32_t i = 0; i < count; ++i) {
      fwrite(buffers[i], 1, (size_t)bytes[i], stdout);
      free(buffers[i]);
    }
  }
  if (calls == 0) {
    const char *(*signature)(void);
    snprintf(name, sizeof name, "cg_%s_signature", argv[2]);
    void *symbol = find(library, name);
    memcpy(&signature, &symbol, sizeof signature);
    puts(signature());
  }
  return 0;
}
