// See driver.test, which runs each of the functions below in a process of its
// own.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

static int failures;
#define EXPECT(got, wanted)                                                    \
  do {                                                                         \
    auto g = (got);                                                            \
    decltype(g) w = (wanted);                                                  \
    if (!(g == w)) {                                                           \
      std::printf("line %d: %s is %lld, expected %lld\n", __LINE__, #got,      \
                  (long long)g, (long long)w);                                 \
      ++failures;                                                              \
    }                                                                          \
  } while (0)
#define OK(call) EXPECT(call, 0)

static void *library;
template <class... Args> static int cu(const char *name, Args... args) {
  auto *function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
  if (!function) {
    std::printf("no %s\n", name);
    std::exit(1);
  }
  return function(args...);
}

using Pointer = unsigned long long;
using Handle = void *;
static const Handle legacy = nullptr;

static uint64_t counter(const char *name) {
  return reinterpret_cast<uint64_t (*)(const char *)>(
      dlsym(library, "cellEmuCounter"))(name);
}

static std::string words(int result) {
  const char *text = nullptr;
  OK(cu("cuGetErrorString", result, &text));
  return text ? text : "";
}
static bool says(int result, const char *part) {
  std::string text = words(result);
  if (text.find(part) == std::string::npos)
    std::printf("'%s' does not say '%s'\n", text.c_str(), part);
  return text.find(part) != std::string::npos;
}

// Adds `step` to the first `n` words; n beyond the buffer is out of bounds.
static const char *const kModule = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 room[];
.global .align 4 .u32 constant = 42;
.visible .entry bump(.param .u64 a, .param .u32 n, .param .u32 step) {
  .reg .b32 %t, %x, %n, %step; .reg .b64 %p, %at; .reg .pred %q;
  mov.u32 %t, %tid.x;
  ld.param.u32 %n, [n];
  setp.ge.u32 %q, %t, %n;
  @%q exit;
  ld.param.u32 %step, [step];
  ld.param.u64 %p, [a];
  mad.wide.u32 %at, %t, 4, %p;
  ld.global.u32 %x, [%at];
  add.u32 %x, %x, %step;
  st.global.u32 [%at], %x;
  ret;
}
.visible .entry spin() .maxntid 64 {
again:
  bra.uni again;
}
)";

static Handle context, module, bump;

static void open(int device = 0) {
  OK(cu("cuDevicePrimaryCtxRetain", &context, device));
  OK(cu("cuCtxSetCurrent", context));
  OK(cu("cuModuleLoadData", &module, (const void *)kModule));
  OK(cu("cuModuleGetFunction", &bump, module, "bump"));
}

static int launch(Pointer a, uint32_t n, uint32_t step, Handle stream,
                  uint32_t shared = 0, uint32_t threads = 32,
                  Handle function = bump) {
  void *params[] = {&a, &n, &step};
  return cu("cuLaunchKernel", function, 1u, 1u, 1u, threads, 1u, 1u, shared,
            stream, (void **)params, (void **)nullptr);
}

static Pointer buffer(std::vector<uint32_t> values) {
  Pointer a = 0;
  OK(cu("cuMemAlloc_v2", &a, values.size() * 4));
  OK(cu("cuMemcpyHtoD_v2", a, (const void *)values.data(), values.size() * 4));
  return a;
}
static uint32_t first(Pointer a) {
  uint32_t value = 0;
  OK(cu("cuMemcpyDtoH_v2", (void *)&value, a, size_t(4)));
  return value;
}
static Handle stream(unsigned flags = 0) {
  Handle s = nullptr;
  OK(cu("cuStreamCreate", &s, flags));
  return s;
}

static void queues() {
  open();
  Pointer a = buffer({1, 2, 3, 4});
  Handle s = stream(), t = stream(1);
  uint32_t seen[4] = {9, 9, 9, 9};
  OK(launch(a, 4, 10, s));
  OK(cu("cuMemcpyDtoHAsync_v2", (void *)seen, a, size_t(16), s));
  EXPECT(seen[0], 9u); // nothing runs before someone waits
  EXPECT(cu("cuStreamQuery", s), 600);
  OK(cu("cuStreamSynchronize", s));
  EXPECT(seen[3], 14u);
  OK(cu("cuStreamQuery", s));
  // The legacy stream waits for blocking streams, and only for them.
  OK(launch(a, 4, 10, s));
  Pointer b = buffer({5});
  OK(launch(b, 1, 1, t));
  EXPECT(first(a), 21u);
  uint64_t launches = counter("launches");
  OK(cu("cuStreamSynchronize", legacy));
  EXPECT(counter("launches"), launches); // t has not run
  OK(cu("cuCtxSynchronize"));
  EXPECT(counter("launches"), launches + 1);
  // And they wait for it: what they copy is 100 + 100.
  Pointer c = buffer({100});
  OK(launch(c, 1, 100, legacy));
  OK(cu("cuMemcpyDtoDAsync_v2", a, c, size_t(4), s));
  OK(cu("cuStreamSynchronize", s));
  uint32_t copied = 0;
  Handle apart = stream(1);
  OK(cu("cuMemcpyDtoHAsync_v2", (void *)&copied, a, size_t(4), apart));
  OK(cu("cuStreamSynchronize", apart));
  EXPECT(copied, 200u);
  // Pageable memory is read at the call, pinned memory when the copy runs.
  uint32_t value = 100;
  OK(cu("cuMemcpyHtoDAsync_v2", a, (const void *)&value, size_t(4), s));
  value = 200;
  EXPECT(first(a), 100u);
  uint32_t *pinned = nullptr;
  OK(cu("cuMemAllocHost_v2", (void **)&pinned, size_t(4)));
  *pinned = 300;
  OK(cu("cuMemcpyHtoDAsync_v2", a, (const void *)pinned, size_t(4), s));
  *pinned = 400;
  EXPECT(first(a), 400u);
  unsigned kind = 0;
  OK(cu("cuPointerGetAttribute", (void *)&kind, 2, (Pointer)pinned));
  EXPECT(kind, 1u);
  OK(cu("cuPointerGetAttribute", (void *)&kind, 2, a));
  EXPECT(kind, 2u);
  EXPECT(cu("cuPointerGetAttribute", (void *)&kind, 2, (Pointer)&value), 1);
  OK(cu("cuMemFreeHost", (void *)pinned));
  // Fills; bytes that are counted.
  OK(cu("cuMemsetD32Async", a, 7u, size_t(4), s));
  EXPECT(first(a + 12), 7u);
  uint64_t loaded = counter("bytes_loaded"), up = counter("bytes_to_device");
  OK(launch(a, 3, 1, s));
  OK(cu("cuStreamSynchronize", s));
  EXPECT(counter("bytes_loaded") - loaded, uint64_t(12));
  OK(cu("cuMemcpyHtoD_v2", a, (const void *)&value, size_t(4)));
  EXPECT(counter("bytes_to_device") - up, uint64_t(4));
  // One kernel, launched twice.
  uint64_t all = counter("launches"), single = counter("launches_of_one_block");
  OK(launch(a, 3, 1, s));
  OK(cu("cuStreamSynchronize", s));
  EXPECT(counter("launches") - all, uint64_t(1));
  EXPECT(counter("launches_of_one_block") - single, uint64_t(1));
  EXPECT(counter("kernels"), uint64_t(1));
  uint64_t filled = counter("bytes_filled");
  OK(cu("cuMemsetD32Async", a, 7u, size_t(3), s));
  OK(cu("cuStreamSynchronize", s));
  EXPECT(counter("bytes_filled") - filled, uint64_t(12));
  OK(cu("cuStreamDestroy_v2", s));
  EXPECT(launch(a, 1, 1, s), 400);
}

static Handle event(unsigned flags = 0) {
  Handle e = nullptr;
  OK(cu("cuEventCreate", &e, flags));
  return e;
}

static void events() {
  open();
  Pointer a = buffer({1});
  Handle s = stream(1), t = stream(1), e = event(), f = event();
  OK(cu("cuEventQuery", e)); // not recorded: reached
  OK(cu("cuEventRecord", e, s));
  OK(launch(a, 1, 1, s));
  OK(cu("cuEventRecord", f, s));
  EXPECT(cu("cuEventQuery", f), 600);
  float ms = -1;
  EXPECT(cu("cuEventElapsedTime", &ms, e, f), 600);
  // t waits for s, and so runs it.
  OK(cu("cuStreamWaitEvent", t, f, 0u));
  OK(launch(a, 1, 10, t));
  OK(cu("cuStreamSynchronize", t));
  EXPECT(first(a), 12u);
  OK(cu("cuEventQuery", f));
  OK(cu("cuEventElapsedTime", &ms, e, f));
  EXPECT(ms >= 0, true);
  OK(launch(a, 1, 100, s));
  OK(cu("cuEventRecord", e, s));
  OK(launch(a, 1, 1000, s));
  uint64_t launches = counter("launches");
  OK(cu("cuEventSynchronize", e)); // runs what is before it
  EXPECT(counter("launches"), launches + 1);
  Handle untimed = event(2);
  OK(cu("cuEventRecord", untimed, s));
  OK(cu("cuStreamSynchronize", s));
  EXPECT(cu("cuEventElapsedTime", &ms, e, untimed), 400);
  // Asking again and again gets there.
  OK(launch(a, 1, 1, s));
  OK(launch(a, 1, 1, s));
  OK(cu("cuEventRecord", e, s));
  int asked = 0;
  while (cu("cuEventQuery", e) == 600 && asked < 100)
    ++asked;
  EXPECT(asked, 3);
}

static Handle capture(Handle s, Pointer a, uint32_t step, int launches) {
  Handle graph = nullptr;
  OK(cu("cuStreamBeginCapture_v2", s, 2));
  int status = 0;
  OK(cu("cuStreamIsCapturing", s, &status));
  EXPECT(status, 1);
  for (int n = 0; n < launches; ++n)
    OK(launch(a, 1, step, s));
  OK(cu("cuStreamEndCapture", s, &graph));
  return graph;
}

static void graphs() {
  open();
  Pointer a = buffer({0});
  Handle s = stream(), t = stream();
  Handle graph = capture(s, a, 1, 3), exec = nullptr;
  OK(cu("cuStreamSynchronize", s));
  EXPECT(first(a), 0u); // captured, not run
  OK(cu("cuGraphInstantiateWithFlags", &exec, graph, 0ull));
  OK(cu("cuGraphDestroy", graph));
  OK(cu("cuGraphLaunch", exec, s));
  OK(cu("cuGraphLaunch", exec, s));
  EXPECT(first(a), 6u);
  EXPECT(counter("graph_launches"), uint64_t(2));
  // Other parameters fit, another number of nodes does not.
  struct {
    int result;
    Handle node, from;
  } information;
  Handle other = capture(s, a, 100, 3);
  OK(cu("cuGraphExecUpdate_v2", exec, other, (void *)&information));
  OK(cu("cuGraphLaunch", exec, s));
  EXPECT(first(a), 306u);
  Handle longer = capture(s, a, 100, 4);
  EXPECT(cu("cuGraphExecUpdate_v2", exec, longer, (void *)&information), 910);
  EXPECT(information.result, 2);
  // Two streams in one capture.
  Handle e = event(), f = event(), both = nullptr, run = nullptr;
  OK(cu("cuStreamBeginCapture_v2", s, 2));
  OK(cu("cuEventRecord", e, s));
  OK(cu("cuStreamWaitEvent", t, e, 0u));
  OK(launch(a, 1, 1000, t));
  OK(cu("cuEventRecord", f, t));
  OK(cu("cuStreamWaitEvent", s, f, 0u));
  OK(launch(a, 1, 1000, s));
  OK(cu("cuStreamEndCapture", s, &both));
  OK(cu("cuGraphInstantiateWithFlags", &run, both, 0ull));
  OK(cu("cuGraphLaunch", run, s));
  EXPECT(first(a), 2306u);
  // One that is not joined again; waiting within; the legacy stream.
  Handle none = nullptr;
  OK(cu("cuStreamBeginCapture_v2", s, 2));
  OK(cu("cuEventRecord", e, s));
  OK(cu("cuStreamWaitEvent", t, e, 0u));
  OK(launch(a, 1, 1, t));
  EXPECT(cu("cuStreamEndCapture", s, &none), 904);
  OK(cu("cuStreamBeginCapture_v2", s, 2));
  EXPECT(cu("cuStreamSynchronize", s), 900);
  EXPECT(launch(a, 1, 1, s), 901);
  EXPECT(cu("cuStreamEndCapture", s, &none), 901);
  OK(cu("cuStreamBeginCapture_v2", s, 2));
  EXPECT(launch(a, 1, 1, legacy), 906);
  EXPECT(cu("cuStreamEndCapture", s, &none), 901);
  EXPECT(cu("cuStreamBeginCapture_v2", legacy, 2), 900);
  OK(launch(a, 1, 1, s)); // usable again
  EXPECT(first(a), 2307u);
  OK(cu("cuGraphExecDestroy", exec));
}

static void pools() {
  open();
  Handle s = stream();
  uint64_t used = counter("memory_used");
  Pointer a = 0;
  OK(cu("cuMemAllocAsync", &a, size_t(8), s));
  OK(cu("cuMemsetD32Async", a, 3u, size_t(2), s));
  OK(launch(a, 2, 1, s));
  uint32_t seen[2] = {};
  OK(cu("cuMemcpyDtoHAsync_v2", (void *)seen, a, size_t(8), s));
  OK(cu("cuMemFreeAsync", a, s));
  EXPECT(counter("memory_used"), used + 8); // not yet
  OK(cu("cuStreamSynchronize", s));
  EXPECT(seen[1], 4u);
  EXPECT(counter("memory_used"), used);
  Handle pool = nullptr;
  OK(cu("cuDeviceGetDefaultMemPool", &pool, 0));
  EXPECT(cu("cuMemFree_v2", a), 1);
  // A launch that comes after the free touches nobody's memory.
  OK(cu("cuMemAllocAsync", &a, size_t(8), s));
  OK(cu("cuMemFreeAsync", a, s));
  OK(launch(a, 2, 1, s));
  EXPECT(cu("cuStreamSynchronize", s), 700);
}

static void errors() {
  open();
  Pointer a = buffer({1, 2, 3, 4}), wrong = 0;
  EXPECT(cu("cuMemAlloc_v2", &wrong, size_t(0)), 1);
  uint32_t value = 0;
  EXPECT(cu("cuMemcpyDtoH_v2", (void *)&value, a + 16, size_t(4)), 1);
  EXPECT(says(1, "goes beyond an allocation"), true);
  Handle none = nullptr;
  EXPECT(cu("cuModuleGetFunction", &none, module, "absent"), 500);
  EXPECT(launch(a, 4, 1, legacy, 0, 2000), 1);
  EXPECT(says(1, "1024 threads"), true);
  // Shared memory: 48 KB, and up to 227 by request.
  EXPECT(launch(a, 4, 1, legacy, 50000), 1);
  EXPECT(says(1, "50000 bytes of dynamic shared memory, but 49152 are allowed"),
         true);
  EXPECT(cu("cuFuncSetAttribute", bump, 8, 240000), 1);
  OK(cu("cuFuncSetAttribute", bump, 8, 60000));
  OK(launch(a, 4, 1, legacy, 50000));
  OK(cu("cuCtxSynchronize"));
  Handle spin = nullptr;
  OK(cu("cuModuleGetFunction", &spin, module, "spin"));
  EXPECT(launch(a, 4, 1, legacy, 0, 128, spin), 1);
  EXPECT(says(1, ".maxntid is 64"), true);
  // An error of a launch comes with the next wait, and stays.
  OK(launch(a, 5, 1, legacy));
  EXPECT(cu("cuCtxSynchronize"), 700);
  EXPECT(says(700, "bump, line"), true);
  EXPECT(says(700, "thread (4,0,0)"), true);
  EXPECT(cu("cuMemAlloc_v2", &wrong, size_t(4)), 700);
  EXPECT(launch(a, 4, 1, legacy), 700);
  const char *name = nullptr;
  OK(cu("cuGetErrorName", 700, &name));
  EXPECT(std::strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS"), 0);
  EXPECT(cu("cuGetErrorName", 12345, &name), 1);
  OK(cu("cuDevicePrimaryCtxReset_v2", 0));
  OK(cu("cuCtxSynchronize"));
}

static int load(const char *text, char *log) {
  int options[] = {5, 6};
  void *values[] = {log, (void *)size_t(200)};
  Handle m = nullptr;
  return cu("cuModuleLoadDataEx", &m, (const void *)text, 2u, (int *)options,
            (void **)values);
}

static void images() {
  open();
  char log[200] = "";
  EXPECT(load("\177ELF\2\1\1", log), 209);
  EXPECT(load(".version 8.0\n.target sm_100\n.address_size 64\n", log), 209);
  EXPECT(load(".version 8.0\n.target sm_80a\n.address_size 64\n", log), 209);
  OK(load(".version 8.0\n.target sm_90a\n.address_size 64\n", log));
  EXPECT(load(".version 8.0\n.target sm_80\n.address_size 64\n"
              ".visible .entry f() {\n  wobble;\n}\n",
              log),
         218);
  EXPECT(std::strcmp(log, "line 5: unknown instruction 'wobble': wobble;"), 0);
  Pointer p = 0;
  size_t bytes = 0;
  OK(cu("cuModuleGetGlobal_v2", &p, &bytes, module, "constant"));
  EXPECT(bytes, size_t(4));
  EXPECT(first(p), 42u);
  OK(cu("cuModuleUnload", module));
}

static void ampere() {
  open();
  int major = 0, minor = 0, shared = 0;
  OK(cu("cuDeviceGetAttribute", &major, 75, 0));
  OK(cu("cuDeviceGetAttribute", &minor, 76, 0));
  OK(cu("cuDeviceGetAttribute", &shared, 97, 0));
  EXPECT(10 * major + minor, 80);
  EXPECT(shared, 163 << 10);
  char log[200] = "";
  EXPECT(load(".version 8.0\n.target sm_90\n.address_size 64\n", log), 209);
}

static void devices() {
  int count = 0, device = 0;
  OK(cu("cuDeviceGetCount", &count));
  EXPECT(count, 2);
  EXPECT(cu("cuDeviceGet", &device, 2), 101);
  open(0);
  Pointer a = buffer({1});
  Handle onFirst = bump, s = stream();
  open(1);
  EXPECT(launch(a, 1, 1, legacy, 0, 32, onFirst), 201);
  OK(launch(a, 1, 1, legacy));
  EXPECT(cu("cuCtxSynchronize"), 700);
  EXPECT(says(700, "is memory of device 0"), true);
  // The other device goes on.
  Handle zero = nullptr;
  OK(cu("cuDevicePrimaryCtxRetain", &zero, 0));
  OK(cu("cuCtxPushCurrent_v2", zero));
  OK(launch(a, 1, 1, s, 0, 32, onFirst));
  EXPECT(first(a), 2u);
  OK(cu("cuCtxPopCurrent_v2", (void **)nullptr));
  EXPECT(cu("cuCtxSynchronize"), 700);
}

static void memory() {
  open();
  Pointer a = 0, b = 0;
  OK(cu("cuMemAlloc_v2", &a, size_t(4000)));
  EXPECT(cu("cuMemAlloc_v2", &b, size_t(97)), 2);
  OK(cu("cuMemFree_v2", a));
  OK(cu("cuMemAlloc_v2", &b, size_t(4096)));
}

static void timeout() {
  open();
  Handle spin = nullptr;
  OK(cu("cuModuleGetFunction", &spin, module, "spin"));
  OK(launch(0, 0, 0, legacy, 0, 32, spin));
  EXPECT(cu("cuCtxSynchronize"), 702);
  EXPECT(says(702, "an infinite loop?"), true);
}

int main(int, char **argv) {
  library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::printf("%s\n", dlerror());
    return 1;
  }
  EXPECT(cu("cuCtxSynchronize"), 3); // cuInit comes first
  OK(cu("cuInit", 0u));
  EXPECT(cu("cuCtxSynchronize"), 201); // then a context
  struct {
    const char *name;
    void (*run)();
  } tests[] = {{"queues", queues},  {"events", events},   {"graphs", graphs},
               {"pools", pools},    {"errors", errors},   {"images", images},
               {"ampere", ampere},  {"devices", devices}, {"memory", memory},
               {"timeout", timeout}};
  for (auto &test : tests)
    if (std::strcmp(test.name, argv[2]) == 0)
      test.run();
  return failures != 0;
}
