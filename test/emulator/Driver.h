//===- Driver.h - the state behind the emulated libcuda.so.1 --------------===//
//
// Streams are queues that run only when someone waits: a forgotten
// synchronisation reads what was there before. Device memory is memory of the
// host with exact bounds; a module is PTX text.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_TEST_EMULATOR_DRIVER_H
#define CELLGRAD_TEST_EMULATOR_DRIVER_H

#include "Execute.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#define CELL_DRIVER_API extern "C" __attribute__((visibility("default")))

namespace emu {

/// CUresult, as far as it is used here.
enum Result : int {
  Success = 0,
  InvalidValue = 1,
  OutOfMemory = 2,
  NotInitialized = 3,
  NoDevice = 100,
  InvalidDevice = 101,
  InvalidContext = 201,
  NoBinaryForGpu = 209,
  InvalidPtx = 218,
  InvalidHandle = 400,
  NotFound = 500,
  NotReady = 600,
  IllegalAddress = 700,
  LaunchTimeout = 702,
  ContextIsDestroyed = 709,
  IllegalInstruction = 715,
  MisalignedAddress = 716,
  LaunchFailed = 719,
  NotSupported = 801,
  CaptureUnsupported = 900,
  CaptureInvalidated = 901,
  CaptureUnmatched = 903,
  CaptureUnjoined = 904,
  CaptureImplicit = 906,
  GraphExecUpdateFailure = 910,
};

struct Stream;
struct Graph;

/// What a stream does, or a node of a graph.
struct Operation {
  enum class Kind : uint8_t { Kernel, Copy, Set, Other } kind = Kind::Other;
  std::function<void()> run;
};

/// One call of cuEventRecord: the place in its stream.
struct EventRecord {
  std::shared_ptr<Stream> stream;
  uint64_t ticket = 0;
  bool done = false;
  double milliseconds = 0;
  std::shared_ptr<Graph> capture; // recorded while this was captured
  uint64_t captured = 0;          // operations of the stream until then
};

struct Event {
  bool timed = true;
  std::shared_ptr<EventRecord> last;
};

struct Graph {
  std::vector<Operation> nodes;
  // While it is being captured:
  std::shared_ptr<Stream> origin;
  bool invalid = false;
  std::map<Stream *, uint64_t> operations;           // of each stream
  std::map<Stream *, std::shared_ptr<Stream>> forks; // not joined yet
};

struct Queued {
  uint64_t ticket = 0;
  Operation operation;
  std::shared_ptr<EventRecord> after; // runs first
};

struct Context {
  int device = 0;
  unsigned references = 0;
  /// What went wrong; all later calls return it, as on a device.
  Result error = Success;
  std::string message;
  std::shared_ptr<Stream> legacy;
  std::vector<std::shared_ptr<Stream>> streams;
};

struct Stream {
  Context *context = nullptr;
  bool blocks = true; // is ordered with the legacy stream
  std::deque<Queued> queue;
  std::shared_ptr<Graph> capture;
};

struct Module;

struct Function {
  const ptx::Kernel *kernel = nullptr;
  Context *context = nullptr;
  uint32_t maxDynamic = 0;
};

struct Module {
  std::unique_ptr<ptx::Module> ptx;
  Context *context = nullptr;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

/// Everything; one at a time is inside.
struct Driver {
  static Driver &get();

  std::recursive_mutex mutex;
  bool initialized = false;
  std::vector<std::unique_ptr<Context>> contexts; // of each device
  unsigned chip = 90;
  std::string chipName = "sm_90";
  uint64_t memoryLimit = 0, memoryUsed = 0;
  ptx::Memory memory;
  ptx::Counters counters;
  std::map<std::string, uint64_t> counts;            // see cellEmuCounter
  std::set<const ptx::Kernel *> launched;            // since they were reset
  std::unordered_map<uint64_t, uint64_t> hostMemory; // pinned: bytes
  std::unordered_map<void *, std::shared_ptr<Stream>> streams;
  std::string lastError; // words for the last result that was no success
  Result lastResult = Success;
  uint64_t tickets = 0;

  Result initialize();
  uint32_t sharedLimit() const { return (chip >= 90 ? 227 : 163) << 10; }

  /// The stream for a handle; null handles are the legacy one.
  std::shared_ptr<Stream> streamOf(void *handle);
  /// Adds to a stream, or to the graph that it is captured into.
  Result enqueue(void *stream, Operation operation);
  Result enqueue(const std::shared_ptr<Stream> &stream, Operation operation,
                 std::shared_ptr<EventRecord> after = nullptr);
  /// Runs a stream up to a ticket, and what that depends on.
  void runUpTo(Stream &stream, uint64_t ticket);
  void runAll(Context &context);
  /// The same, and the context's error.
  Result wait(Context &context);

  Result fail(Result result, std::string why);
  void failContext(Context &context, Result result, std::string why);
};

/// The context of the calling thread, or null.
Context *currentContext();
std::vector<Context *> &contextStack();

/// Holds the lock, and says whether a call may go on.
class Entry {
public:
  explicit Entry(bool needsContext = true);
  Result result = Success;
  Driver &driver;
  Context *context = nullptr;

private:
  std::lock_guard<std::recursive_mutex> lock;
};

#define CELL_ENTER(...)                                                        \
  emu::Entry entry{__VA_ARGS__};                                               \
  if (entry.result != emu::Success)                                            \
  return entry.result

/// Milliseconds of a clock that only goes forwards.
double clockMilliseconds();

} // namespace emu

#endif // CELLGRAD_TEST_EMULATOR_DRIVER_H
