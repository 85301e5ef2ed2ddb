/*===- weights.h - the weights of a model from a .safetensors file ----------===
 *
 * This text is copied into the weights loader of every model, guarded so that
 * several can be included together. It needs C's library, and maps files where
 * the system has mmap. Files are not trusted: every number in them is checked
 * before it is used, and what is wrong is said in words.
 *===----------------------------------------------------------------------===*/
#ifndef CELLGRAD_WEIGHTS_H
#define CELLGRAD_WEIGHTS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__unix__) || defined(__APPLE__)
#define CGW_MAPS 1
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

/* The memory that a model's weights lie in. */
typedef struct cgw_memory {
  void *block;
  uint64_t bytes;
  int32_t mapped;
} cgw_memory;

/* What the model expects. */
typedef struct cgw_spec {
  const char *name, *dtype; /* "fc.weight", "F32" */
  const int64_t *shape;
  int32_t rank;
  uint32_t alignment; /* of an element, in bytes */
  uint64_t bytes;
} cgw_spec;

typedef struct cgw_reader {
  const unsigned char *at, *end;
  char *message;
  uint64_t room; /* bytes of message */
} cgw_reader;

/* A string of the file's header as it is written, without the quotes. */
typedef struct cgw_text {
  const unsigned char *begin, *end;
} cgw_text;

enum { CGW_MAX_RANK = 64 };

static inline int32_t cgw_fail(const cgw_reader *r, const char *format, ...) {
  if (r->message && r->room > 0) {
    va_list list;
    va_start(list, format);
    vsnprintf(r->message, (size_t)r->room, format, list);
    va_end(list);
  }
  return CG_ERROR_WEIGHTS;
}

static inline int32_t cgw_broken(const cgw_reader *r, const char *what) {
  return cgw_fail(r, "damaged or no .safetensors file: %s", what);
}

/* The next character that is no space, or -1. */
static inline int cgw_peek(cgw_reader *r) {
  while (r->at < r->end &&
         (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r'))
    ++r->at;
  return r->at < r->end ? *r->at : -1;
}

/* Whether `c` is next; it is taken. */
static inline int cgw_take(cgw_reader *r, int c) {
  if (cgw_peek(r) != c)
    return 0;
  ++r->at;
  return 1;
}

/* Four hexadecimal digits, or -1. */
static inline long cgw_hex(const unsigned char *at, const unsigned char *end) {
  long value = 0;
  if (end - at < 4)
    return -1;
  for (int i = 0; i < 4; ++i) {
    int c = at[i], lower = c | 32;
    int digit = c >= '0' && c <= '9'           ? c - '0'
                : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10
                                               : -1;
    if (digit < 0)
      return -1;
    value = value * 16 + digit;
  }
  return value;
}

static inline int32_t cgw_string(cgw_reader *r, cgw_text *text) {
  if (!cgw_take(r, '"'))
    return cgw_broken(r, "a string is missing in its header");
  text->begin = r->at;
  for (; r->at < r->end && *r->at != '"'; ++r->at) {
    if (*r->at < 32)
      return cgw_broken(r, "a control character in its header");
    if (*r->at != '\\')
      continue;
    if (++r->at == r->end)
      break;
    if (*r->at == 'u' ? cgw_hex(r->at + 1, r->end) < 0
                      : *r->at == 0 || !strchr("\"\\/bfnrt", *r->at))
      return cgw_broken(r, "an unknown escape in its header");
  }
  if (r->at == r->end)
    return cgw_broken(r, "its header ends within a string");
  text->end = r->at++;
  return CG_OK;
}

/* The UTF-8 bytes of a character; how many. */
static inline int cgw_utf8(unsigned long c, unsigned char *out) {
  if (c < 0x80) {
    out[0] = (unsigned char)c;
    return 1;
  }
  if (c < 0x800) {
    out[0] = (unsigned char)(0xC0 | c >> 6);
    out[1] = (unsigned char)(0x80 | (c & 63));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = (unsigned char)(0xE0 | c >> 12);
    out[1] = (unsigned char)(0x80 | (c >> 6 & 63));
    out[2] = (unsigned char)(0x80 | (c & 63));
    return 3;
  }
  out[0] = (unsigned char)(0xF0 | c >> 18);
  out[1] = (unsigned char)(0x80 | (c >> 12 & 63));
  out[2] = (unsigned char)(0x80 | (c >> 6 & 63));
  out[3] = (unsigned char)(0x80 | (c & 63));
  return 4;
}

/* Whether the text means `name`. */
static inline int cgw_is(cgw_text text, const char *name) {
  const unsigned char *at = text.begin;
  while (at < text.end) {
    unsigned char bytes[4];
    int count = 1;
    bytes[0] = *at++;
    if (bytes[0] == '\\') {
      static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
      const char *known = strchr(from, *at);
      bytes[0] = known ? (unsigned char)to[known - from] : *at;
      if (*at++ == 'u') {
        unsigned long c = (unsigned long)cgw_hex(at, text.end);
        at += 4;
        if (c >= 0xD800 && c < 0xDC00 && text.end - at >= 6 && at[0] == '\\' &&
            at[1] == 'u') {
          long low = cgw_hex(at + 2, text.end);
          if (low >= 0xDC00 && low < 0xE000) {
            c = 0x10000 + ((c - 0xD800) << 10) + (unsigned long)(low - 0xDC00);
            at += 6;
          }
        }
        count = cgw_utf8(c, bytes);
      }
    }
    for (int i = 0; i < count; ++i, ++name)
      if (*name == 0 || (unsigned char)*name != bytes[i])
        return 0;
  }
  return *name == 0;
}

/* A number that is not negative and fits into int64_t. */
static inline int32_t cgw_number(cgw_reader *r, int64_t *value) {
  int c = cgw_peek(r);
  if (c < '0' || c > '9')
    return cgw_broken(r, "a number is missing in its header");
  for (*value = 0; r->at < r->end && *r->at >= '0' && *r->at <= '9'; ++r->at) {
    int digit = *r->at - '0';
    if (*value > (INT64_MAX - digit) / 10)
      return cgw_broken(r, "a number in its header is too large");
    *value = *value * 10 + digit;
  }
  return CG_OK;
}

/* An array of at most `most` numbers. */
static inline int32_t cgw_numbers(cgw_reader *r, int64_t *values, int most,
                                  int *count) {
  *count = 0;
  if (!cgw_take(r, '['))
    return cgw_broken(r, "a list is missing in its header");
  if (cgw_take(r, ']'))
    return CG_OK;
  do {
    if (*count == most)
      return cgw_broken(r, "a list in its header is too long");
    int32_t status = cgw_number(r, &values[(*count)++]);
    if (status != CG_OK)
      return status;
  } while (cgw_take(r, ','));
  return cgw_take(r, ']') ? CG_OK
                          : cgw_broken(r, "a list in its header does not end");
}

/* What the header says of one tensor. */
typedef struct cgw_tensor {
  cgw_text dtype;
  int64_t shape[CGW_MAX_RANK], offsets[2];
  int rank;
} cgw_tensor;

static inline int32_t cgw_tensor_of(cgw_reader *r, cgw_tensor *t) {
  int seen = 0;
  if (!cgw_take(r, '{'))
    return cgw_broken(r, "a tensor is no object");
  do {
    cgw_text key;
    int32_t status = cgw_string(r, &key);
    if (status != CG_OK)
      return status;
    int field = cgw_is(key, "dtype")          ? 1
                : cgw_is(key, "shape")        ? 2
                : cgw_is(key, "data_offsets") ? 4
                                              : 0;
    int count = 2;
    if (field == 0 || (seen & field) || !cgw_take(r, ':'))
      return cgw_broken(r, "a tensor needs dtype, shape and data_offsets, "
                           "each once, and nothing else");
    status = field == 1   ? cgw_string(r, &t->dtype)
             : field == 2 ? cgw_numbers(r, t->shape, CGW_MAX_RANK, &t->rank)
                          : cgw_numbers(r, t->offsets, 2, &count);
    if (status == CG_OK && count != 2)
      status = cgw_broken(r, "data_offsets are not two numbers");
    if (status != CG_OK)
      return status;
    seen |= field;
  } while (cgw_take(r, ','));
  return seen == 7 && cgw_take(r, '}')
             ? CG_OK
             : cgw_broken(r, "a tensor lacks dtype, shape or data_offsets");
}

static inline void cgw_shape_text(char *text, size_t room, const int64_t *shape,
                                  int rank) {
  size_t used = 1;
  text[0] = '[';
  for (int i = 0; i < rank && used + 24 < room; ++i)
    used += (size_t)snprintf(text + used, room - used, i ? ", %lld" : "%lld",
                             (long long)shape[i]);
  snprintf(text + used, room - used, "]");
}

/* Whether the tensor is what the model expects; `data` bytes follow the header.
 */
static inline int32_t cgw_check(const cgw_reader *r, const cgw_spec *spec,
                                const cgw_tensor *t, uint64_t data) {
  int same = t->rank == spec->rank && cgw_is(t->dtype, spec->dtype);
  for (int i = 0; same && i < t->rank; ++i)
    same = t->shape[i] == spec->shape[i];
  if (!same) {
    char found[128], wanted[128];
    long dtype = (long)(t->dtype.end - t->dtype.begin);
    cgw_shape_text(found, sizeof found, t->shape, t->rank);
    cgw_shape_text(wanted, sizeof wanted, spec->shape, spec->rank);
    return cgw_fail(r, "'%s' is %.*s%s, but the model expects %s%s", spec->name,
                    (int)(dtype < 16 ? dtype : 16),
                    (const char *)t->dtype.begin, found, spec->dtype, wanted);
  }
  if (t->offsets[0] > t->offsets[1] || (uint64_t)t->offsets[1] > data)
    return cgw_fail(r, "truncated or damaged: '%s' lies outside of the file",
                    spec->name);
  if ((uint64_t)(t->offsets[1] - t->offsets[0]) != spec->bytes)
    return cgw_fail(r, "damaged: '%s' has %lld bytes, and its shape takes %lld",
                    spec->name, (long long)(t->offsets[1] - t->offsets[0]),
                    (long long)spec->bytes);
  return CG_OK;
}

/* Finds the tensors that the model expects in the bytes of a file: offsets[i]
   is where the i-th begins. Tensors that it does not expect are left alone. */
static inline int32_t cgw_find(cgw_reader *r, const void *bytes, uint64_t size,
                               const cgw_spec *specs, uint32_t count,
                               uint64_t *offsets) {
  const unsigned char *file = (const unsigned char *)bytes;
  uint64_t header = 0;
  int32_t status = CG_OK;
  if (size < 8)
    return cgw_broken(r, "it has fewer than 8 bytes");
  for (int i = 7; i >= 0; --i)
    header = header << 8 | file[i];
  if (header > size - 8)
    return cgw_broken(r, "its header is longer than the file");
  uint64_t data = size - 8 - header;
  r->at = file + 8;
  r->end = r->at + header;
  for (uint32_t i = 0; i < count; ++i)
    offsets[i] = 0; /* not found: data begins behind byte 8 */
  if (!cgw_take(r, '{'))
    return cgw_broken(r, "its header is no JSON object");
  for (int more = !cgw_take(r, '}'); more;) {
    cgw_text name;
    status = cgw_string(r, &name);
    if (status == CG_OK && !cgw_take(r, ':'))
      status = cgw_broken(r, "a colon is missing in its header");
    if (status != CG_OK)
      return status;
    if (cgw_is(name, "__metadata__")) {
      cgw_text key, value;
      if (!cgw_take(r, '{'))
        return cgw_broken(r, "__metadata__ is no object");
      for (int some = !cgw_take(r, '}'); some;) {
        status = cgw_string(r, &key);
        if (status == CG_OK && !cgw_take(r, ':'))
          status = cgw_broken(r, "a colon is missing in __metadata__");
        if (status == CG_OK)
          status = cgw_string(r, &value);
        if (status != CG_OK)
          return status;
        some = cgw_take(r, ',');
        if (!some && !cgw_take(r, '}'))
          return cgw_broken(r, "__metadata__ does not end");
      }
    } else {
      cgw_tensor tensor;
      status = cgw_tensor_of(r, &tensor);
      for (uint32_t i = 0; status == CG_OK && i < count; ++i) {
        if (!cgw_is(name, specs[i].name))
          continue;
        if (offsets[i] != 0)
          return cgw_fail(r, "damaged: '%s' is in it twice", specs[i].name);
        status = cgw_check(r, &specs[i], &tensor, data);
        offsets[i] = 8 + header + (uint64_t)tensor.offsets[0];
      }
      if (status != CG_OK)
        return status;
    }
    more = cgw_take(r, ',');
    if (!more && !cgw_take(r, '}'))
      return cgw_broken(r, "its header does not end");
  }
  if (cgw_peek(r) != -1)
    return cgw_broken(r, "something follows its header");
  for (uint32_t i = 0; i < count; ++i) {
    if (offsets[i] == 0)
      return cgw_fail(r, "'%s' is missing: is it the file of another model?",
                      specs[i].name);
    for (uint32_t j = 0; j < i; ++j) /* calls write to tensors */
      if (offsets[i] < offsets[j] + specs[j].bytes &&
          offsets[j] < offsets[i] + specs[i].bytes)
        return cgw_fail(r, "damaged: '%s' and '%s' overlap", specs[j].name,
                        specs[i].name);
  }
  return CG_OK;
}

/* Copies the tensors that begin at `offsets` into memory of its own, each at a
   multiple of 64 bytes. */
static inline int32_t cgw_copy(const cgw_reader *r, const void *bytes,
                               const cgw_spec *specs, uint32_t count,
                               const uint64_t *offsets, cgw_memory *memory,
                               void **places) {
  uint64_t total = 64;
  for (uint32_t i = 0; i < count; ++i)
    total += (specs[i].bytes + 63) / 64 * 64;
  char *block = total <= SIZE_MAX ? (char *)malloc((size_t)total) : NULL;
  if (!block)
    return cgw_fail(r, "there is no memory for %llu bytes of weights",
                    (unsigned long long)total);
  char *at = block + (64 - (uintptr_t)block % 64) % 64;
  for (uint32_t i = 0; i < count; ++i) {
    memcpy(at, (const char *)bytes + offsets[i], (size_t)specs[i].bytes);
    places[i] = at;
    at += (specs[i].bytes + 63) / 64 * 64;
  }
  memory->block = block;
  memory->bytes = total;
  memory->mapped = 0;
  return CG_OK;
}

static inline int32_t cgw_read(const void *bytes, uint64_t size,
                               const cgw_spec *specs, uint32_t count,
                               uint64_t *offsets, cgw_memory *memory,
                               void **places, char *message, uint64_t room) {
  cgw_reader r = {NULL, NULL, message, room};
  if (!bytes)
    return cgw_fail(&r, "there are no bytes of weights: NULL");
  int32_t status = cgw_find(&r, bytes, size, specs, count, offsets);
  return status != CG_OK
             ? status
             : cgw_copy(&r, bytes, specs, count, offsets, memory, places);
}

static inline void cgw_free(cgw_memory *memory) {
#ifdef CGW_MAPS
  if (memory->mapped)
    munmap(memory->block, (size_t)memory->bytes);
  else
#endif
    free(memory->block);
  memset(memory, 0, sizeof *memory);
}

/* The message becomes "<path>: <message>". */
static inline int32_t cgw_prefix(int32_t status, const char *path,
                                 char *message, uint64_t room) {
  size_t front = strlen(path) + 2;
  if (status == CG_OK || !message || front >= room)
    return status;
  size_t rest = strlen(message) + 1, most = (size_t)room - front;
  memmove(message + front, message, rest < most ? rest : most);
  memcpy(message, path, front - 2);
  memcpy(message + front - 2, ": ", 2);
  message[room - 1] = 0;
  return status;
}

#ifdef CGW_MAPS
static inline int32_t cgw_load(const char *path, const cgw_spec *specs,
                               uint32_t count, uint64_t *offsets,
                               cgw_memory *memory, void **places, char *message,
                               uint64_t room) {
  cgw_reader r = {NULL, NULL, message, room};
  struct stat status;
  int flags = O_RDONLY | O_NONBLOCK; /* a pipe would wait for its writer */
#ifdef O_CLOEXEC
  flags |= O_CLOEXEC;
#endif
  int file = open(path, flags);
  if (file < 0)
    return cgw_fail(&r, "cannot be opened: %s", strerror(errno));
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(file);
    return cgw_fail(&r, "is not a regular file");
  }
  uint64_t size = (uint64_t)status.st_size;
  if (size < 8) {
    close(file);
    return cgw_broken(&r, "it has fewer than 8 bytes");
  }
  /* Private: what calls write to a tensor does not reach the file. */
  void *bytes = size <= SIZE_MAX
                    ? mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE, file, 0)
                    : MAP_FAILED;
  int error = errno;
  close(file);
  if (bytes == MAP_FAILED)
    return cgw_fail(&r, "cannot be mapped: %s", strerror(error));
  int32_t found = cgw_find(&r, bytes, size, specs, count, offsets);
  int aligned = 1;
  for (uint32_t i = 0; found == CG_OK && i < count; ++i)
    aligned &= offsets[i] % specs[i].alignment == 0;
  if (found == CG_OK && aligned) {
    for (uint32_t i = 0; i < count; ++i)
      places[i] = (char *)bytes + offsets[i];
    memory->block = bytes;
    memory->bytes = size;
    memory->mapped = 1;
    return CG_OK;
  }
  if (found == CG_OK)
    found = cgw_copy(&r, bytes, specs, count, offsets, memory, places);
  munmap(bytes, (size_t)size);
  return found;
}
#else
static inline int32_t cgw_load(const char *path, const cgw_spec *specs,
                               uint32_t count, uint64_t *offsets,
                               cgw_memory *memory, void **places, char *message,
                               uint64_t room) {
  cgw_reader r = {NULL, NULL, message, room};
  FILE *file = fopen(path, "rb");
  if (!file)
    return cgw_fail(&r, "cannot be opened");
  long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  void *bytes =
      size >= 8 && fseek(file, 0, SEEK_SET) == 0 ? malloc((size_t)size) : NULL;
  int whole = bytes && fread(bytes, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  int32_t found = whole ? cgw_read(bytes, (uint64_t)size, specs, count, offsets,
                                   memory, places, message, room)
                        : cgw_broken(&r, "it cannot be read whole");
  free(bytes);
  return found;
}
#endif
#endif /* CELLGRAD_WEIGHTS_H */
