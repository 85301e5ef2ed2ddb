//===- Processor.h - the machine a model is compiled for ------------------===//

#ifndef CELLGRAD_PASSES_EMIT_PROCESSOR_H
#define CELLGRAD_PASSES_EMIT_PROCESSOR_H

#include "passes/lower/target/Target.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
}

namespace cellgrad {

/// A CPU to generate code for.
struct Processor {
  std::string
      name; ///< what the user asked for: "native", "x86-64-v3", "znver4"
  std::string triple;   ///< always an x86-64 Linux triple
  std::string cpu;      ///< LLVM's CPU name, "native" resolved
  std::string features; ///< "+avx2,+fma,-avx512f", empty for a named CPU
  const Target *target = nullptr; ///< what plans are made for
};

/// Finds the CPU called `name`: `native` (or empty) is the machine this runs
/// on; others are LLVM's names, of which `x86-64-v2`, `-v3` and `-v4` are the
/// portable levels. The row of the targets is the one for its features. An
/// unknown name is an error that lists the known ones.
llvm::Expected<Processor> resolveTarget(llvm::StringRef name);

/// Codegen for `processor`; `optLevel` 0 to 3 as in EmitOptions.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const Processor &processor, unsigned optLevel);

/// The instruction-set features that code for `machine` may use and that a host
/// can be asked about, sorted: what the loader compares with the CPU it runs
/// on.
std::vector<std::string> requiredFeatures(const llvm::TargetMachine &machine);

/// `features` as the mask of runtime/cpu.h.
uint64_t featureMask(const std::vector<std::string> &features);

/// Those of `features` that this machine lacks.
std::vector<std::string>
missingFeatures(const std::vector<std::string> &features);

} // namespace cellgrad

#endif
