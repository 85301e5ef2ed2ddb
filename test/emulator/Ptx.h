//===- Ptx.h - PTX as decoded instructions --------------------------------===//
//
// A module of PTX text becomes kernels, and a kernel a list of instructions
// whose handlers are functions for exactly one opcode and type. A register is a
// row: its values in the 32 lanes of a warp. Constants and special registers
// are rows, too, so a handler never asks what kind of operand it has.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_TEST_EMULATOR_PTX_H
#define CELLGRAD_TEST_EMULATOR_PTX_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptx {

constexpr unsigned kLanes = 32;
constexpr uint32_t kAllLanes = ~0u;
constexpr uint32_t kMaxThreads = 1024;

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  BF16,
  TF32,
  F32,
  F64,
  F16x2,
  BF16x2
};

/// Bytes of a value; 4 for a predicate, whose row is a mask of lanes.
unsigned sizeOf(Type type);
bool isFloat(Type type);
bool isSigned(Type type);
/// The type that ".name" stands for; None where it is no type.
Type typeOf(std::string_view name);

enum class Space : uint8_t { Generic, Global, Shared, Local, Param, Const };

/// Generic addresses of shared and of local memory start here; those of global
/// memory are addresses of the host.
constexpr uint64_t kSharedWindow = 1ull << 62;
constexpr uint64_t kLocalWindow = 1ull << 61;

/// Byte offset of a register in the register file of a warp.
using Row = uint32_t;
constexpr Row kNoRow = ~0u;

struct Warp;
struct Instr;
using Handler = void (*)(Warp &, const Instr &, uint32_t lanes);

/// How an instruction acts on the order of execution.
enum class Flow : uint8_t {
  Next,     // goes to the next one
  Together, // waits for all lanes that its mask names
  Branch,
  Call,
  Return, // of a function; of the kernel it ends the thread
  Exit,
  Barrier
};

struct Instr {
  Handler run = nullptr;
  Flow flow = Flow::Next;
  Space space = Space::Generic;
  uint8_t count = 1; // elements of a vector
  uint8_t bytes = 0; // of one element in memory
  uint8_t mode = 0;  // what else the handler has to know
  bool negated = false;
  bool counted = true; // false: a part of the instruction that follows
  Row guard = kNoRow;
  Row mask = kNoRow; // Together: the lanes that take part, none for all
  Row d[4] = {kNoRow, kNoRow, kNoRow, kNoRow};
  Row a[12] = {kNoRow, kNoRow, kNoRow, kNoRow, kNoRow, kNoRow,
               kNoRow, kNoRow, kNoRow, kNoRow, kNoRow, kNoRow};
  int64_t offset = 0; // added to an address, or another constant
  uint32_t target = 0;
  uint32_t line = 0;
};

struct Parameter {
  std::string name;
  uint32_t offset = 0, bytes = 0;
};

/// A value that all lanes have from the start.
struct Constant {
  Row row;
  uint64_t value;
  unsigned bytes;
};

/// What a special register is computed from.
enum class Special : uint8_t {
  TidX,
  TidY,
  TidZ,
  NtidX,
  NtidY,
  NtidZ,
  CtaidX,
  CtaidY,
  CtaidZ,
  NctaidX,
  NctaidY,
  NctaidZ,
  LaneId,
  WarpId,
  NWarpId,
  SmId,
  NSmId,
  LaneEq,
  LaneLt,
  LaneLe,
  LaneGt,
  LaneGe,
  DynamicShared,
  TotalShared,
  GridId
};

struct Kernel {
  std::string name;
  std::vector<Instr> code; // followed by the functions that it calls
  std::vector<Parameter> params;
  std::vector<Constant> constants;
  std::vector<std::pair<Special, Row>> specials;
  uint32_t paramBytes = 0, localBytes = 0;
  uint32_t sharedBytes = 0;   // static; dynamic shared memory follows
  uint32_t registerBytes = 0; // of one warp
  uint32_t maxThreads = 0;    // .maxntid
  uint32_t required[3] = {};  // .reqntid
  /// Words of a line of the text, for messages.
  std::shared_ptr<const std::string> text;
  std::string lineText(uint32_t line) const;
};

struct GlobalVariable {
  std::string name;
  std::unique_ptr<char[]> storage;
  char *data = nullptr;
  uint64_t bytes = 0;
  bool constant = false;
};

struct Module {
  std::map<std::string, std::unique_ptr<Kernel>> kernels;
  std::map<std::string, GlobalVariable> globals;
  std::string target;
};

/// The module that `text` describes, or nothing and what is wrong with it.
std::unique_ptr<Module> parse(std::string_view text, std::string &error);

} // namespace ptx

#endif // CELLGRAD_TEST_EMULATOR_PTX_H
