//===- Target.h - what plans know of a machine ----------------------------===//
//
// Facts, a row for each kind of machine that plans tell apart. What follows
// from them (tiles, blocks, what is packed) is decided where it is planned.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_TARGET_TARGET_H
#define CELLGRAD_LOWER_TARGET_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace cellgrad {

/// Memory that code of a target reaches.
struct MemorySpace {
  llvm::StringLiteral name;
  unsigned number;   ///< in memref types
  int64_t alignment; ///< buffers start at multiples of so many bytes
};

/// The instruction sets that code is generated for.
enum class Arch { X86, AArch64, RISCV, Wasm };

struct Target {
  Arch arch;
  llvm::StringLiteral name; ///< of the option `target`
  /// LLVM's features that a processor has whose row this is: "+avx,+fma".
  llvm::StringLiteral features;

  /// The widest vector register worth using; narrower vectors exist, too.
  unsigned vectorBits;
  unsigned vectorRegisters;
  bool fma;      ///< multiplies and adds in one instruction
  bool scale512; ///< scales 512 bits by powers of two in one instruction
  bool masks;    ///< has registers of one bit for each lane
  bool f16;      ///< computes in f16; else in f32, rounded after every op
  bool bf16;     ///< the same of bf16
  /// Cycles until the result of a multiply-add, or of an addition, is there.
  unsigned addLatency;
  /// Multiply-adds of the widest vectors that may begin in a cycle.
  unsigned multiplyAdds;

  /// Data caches of one core.
  int64_t l1Bytes, l2Bytes, cacheLine;
  /// Rows a page apart that a loop reads side by side from the first level.
  /// They fall into one set; this follows from its ways, and is measured.
  int64_t pageRows;
  /// The first one is where arguments and results are.
  llvm::ArrayRef<MemorySpace> memorySpaces;
};

/// All rows; one that asks for more features comes before those of its
/// instruction set that it contains.
llvm::ArrayRef<Target> allTargets();

/// The row called `name`, or null.
const Target *findTarget(llvm::StringRef name);

/// The first row of `arch` whose features are all there.
const Target &
targetWith(Arch arch,
           llvm::function_ref<bool(llvm::StringRef features)> hasFeatures);

} // namespace cellgrad

#endif
