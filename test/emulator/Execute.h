//===- Execute.h - a grid of threads on one thread of the host ------------===//
//
// Blocks run one after another, the warps of a block in turns. The lanes of a
// warp that are at the same place are a group; groups split at branches and
// join where they meet again.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_TEST_EMULATOR_EXECUTE_H
#define CELLGRAD_TEST_EMULATOR_EXECUTE_H

#include "Memory.h"
#include "Ptx.h"

#include <deque>

namespace ptx {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

struct Counters {
  uint64_t instructions = 0;     // of warps
  uint64_t laneInstructions = 0; // of threads
  uint64_t barriers = 0;         // times that a block passed one
  uint64_t blocks = 0;
  uint64_t bytesLoaded = 0, bytesStored = 0; // of global memory
  // Of global memory, each byte once a launch: what caches cannot save.
  uint64_t bytesRead = 0, bytesWritten = 0;
};

struct Options {
  /// Another order of blocks and of warps for each number; 0 is ascending.
  unsigned schedule = 0;
  /// Instructions that a warp may execute before its block counts as hanging.
  uint64_t limit = 1'000'000'000;
  unsigned multiprocessors = 16;
  /// What nothing has written may be read: bytes of ones, a NaN of any float.
  bool allowUnwritten = false;
  /// The variables CELL_EMU_SCHEDULE, CELL_EMU_LIMIT and CELL_EMU_UNWRITTEN.
  static Options fromEnvironment();
};

enum class Fault : uint8_t { None, Address, Misaligned, Launch, Trap, Timeout };

struct Launch {
  const Kernel *kernel = nullptr;
  Dim3 grid, block;
  const char *params = nullptr;
  uint32_t dynamicShared = 0;
  int device = 0;
  Options options;
};

struct Outcome {
  Fault fault = Fault::None;
  std::string message;
};

/// Runs all blocks; on a fault the launch ends there.
Outcome run(const Launch &launch, Memory &memory, Counters &counters);

//===----------------------------------------------------------------------===//
// What handlers see
//===----------------------------------------------------------------------===//

struct Block;

/// Lanes of a warp at one place of the code.
struct Group {
  uint32_t pc = 0, lanes = 0;
  bool waiting = false;
  bool arrived = false; // counted at its barrier
  std::vector<uint32_t> returns;
};

/// What a cp.async will write when it is waited for.
struct PendingCopy {
  uint64_t to;
  uint8_t bytes;
  char data[16];
};

struct Warp {
  Block *block = nullptr;
  std::vector<Group> groups;
  uint32_t number = 0, present = 0, alive = 0;
  uint32_t lastSync = 0; // epoch of the last bar.warp.sync
  uint64_t executed = 0;
  bool turned = false; // the last group goes first
  /// For each lane, groups of copies; the last one is open.
  std::vector<std::deque<std::vector<PendingCopy>>> copies;

  template <class T> T *row(Row at) {
    return reinterpret_cast<T *>(registers + at);
  }
  uint32_t &predicate(Row at) { return *row<uint32_t>(at); }
  char *registers = nullptr;
};

struct Barrier {
  uint32_t arrived = 0, expected = 0;
  uint32_t line = 0;
};

/// How an access takes part in the search for races.
enum class Access : uint8_t {
  Load,
  Store,
  ReadOnly,
  Strong,
  StrongStore,
  Update
};

struct Block {
  Block(const Launch &launch, Memory &memory, Counters &counters);

  void begin(Dim3 index, uint64_t linear);
  bool run();

  /// The bytes that a lane accesses, checked; null after a fault.
  char *access(Warp &warp, const Instr &i, unsigned lane, Space space,
               uint64_t address, unsigned bytes, Access how);
  /// Bytes of shared memory that a cp.async fills: while it is under way, and
  /// when it has been waited for.
  char *asyncAccess(Warp &warp, const Instr &i, unsigned lane, uint64_t address,
                    unsigned bytes, bool done);
  void fail(Fault fault, const Instr &i, const Warp &warp, unsigned lane,
            const std::string &why);
  void warpSync(Warp &warp);
  void barrier(Warp &warp, const Instr &i, Group &group);

  const Launch &launch;
  const Kernel &kernel;
  Memory &memory;
  Counters &counters;
  uint32_t threads;
  bool failed = false;
  Outcome outcome;
  Dim3 index;
  bool fenced = false; // orders its accesses with those of other blocks

private:
  struct Bounds {
    Tag unwritten, launch, block;
  };
  /// What is wrong with an access: where, and who accessed it before.
  struct Finding {
    const char *problem = nullptr;
    uint64_t place = 0;
    Tag other = kNever;
    uint64_t newBytes = 0; // that this launch has not accessed so before
  };
  bool touch(Shadow &shadow, uint64_t offset, unsigned bytes, Tag thread,
             Access how, const Bounds &bounds, const Warp &warp,
             Finding &finding);
  Tag joined(Tag tag, Tag thread, const Bounds &bounds, const Warp &warp) const;
  bool conflicts(Tag tag, Tag thread, const Bounds &bounds, const Warp &warp,
                 bool atomicsAgree) const;
  char *globalAccess(Warp &warp, const Instr &i, unsigned lane,
                     uint64_t address, unsigned bytes, Access how);
  char *localAccess(Warp &warp, const Instr &i, unsigned lane, uint64_t address,
                    unsigned bytes, Access how);
  void failAccess(Warp &warp, const Instr &i, unsigned lane,
                  const std::string &memoryName, const Finding &finding);
  Bounds globalBounds() const;
  bool step(Warp &warp, uint64_t quantum);
  bool advance(Warp &warp, size_t which, uint64_t quantum);
  bool together(Warp &warp, const Instr &i, uint32_t lanes);
  void joinGroups(Warp &warp);
  bool releaseBarriers();
  void reportDeadlock();
  void fillSpecials(bool first);

  void fillRegisters();
  std::vector<Warp> warps;
  std::vector<char> registers; // of all warps
  std::vector<char> shared;
  Shadow sharedShadow;
  std::vector<char> local;
  std::vector<uint8_t> localWritten;
  std::vector<Allocation *> lastAllocation; // of each instruction
  Barrier barriers[16];
  uint32_t launchEpoch, blockEpoch = 0, barrierEpoch = 0, now = 0;
  uint32_t sharedSize;
  uint64_t linear = 0;
  uint32_t random;
  bool isFirst = true;
};

} // namespace ptx

#endif // CELLGRAD_TEST_EMULATOR_EXECUTE_H
