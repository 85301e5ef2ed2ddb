//===- Processor.h - the machine a model is compiled for ------------------===//

#ifndef CELLGRAD_PASSES_EMIT_PROCESSOR_H
#define CELLGRAD_PASSES_EMIT_PROCESSOR_H

#include "passes/emit/Platform.h"
#include "passes/lower/target/Target.h"

#include "llvm/ADT/SmallVector.h"
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
  /// What the user asked for: "native", "x86-64-v3", "aarch64+sve".
  std::string name;
  const Platform *platform = nullptr;
  std::string cpu;      ///< LLVM's CPU name, "native" resolved
  std::string features; ///< "+avx2,+fma,-avx512f", empty for a named CPU
  const Target *target = nullptr; ///< what plans are made for
};

/// Finds the CPU called `name`: `native` (or empty) is the machine this runs
/// on; `aarch64`, `aarch64+sve`, `riscv64`, `riscv64+v` and `wasm32` are other
/// platforms; further names are LLVM's for x86-64, of which `x86-64-v2`, `-v3`
/// and `-v4` are the portable levels. The row of the targets is the one for its
/// features. An unknown name is an error that lists the known ones, and so is
/// a platform that this build has no back end for.
llvm::Expected<Processor> resolveTarget(llvm::StringRef name);

/// The names of `target`, which has several for one artifact with code for
/// each of several levels: "x86-64-v2,x86-64-v3".
llvm::SmallVector<llvm::StringRef> targetNames(llvm::StringRef target);

/// The same with the names in the order in which a machine is asked whether it
/// can run their code: the most demanding first. One name stays as it is; with
/// several, an error where one is unknown or no level of x86-64.
llvm::Expected<std::string> orderLevels(llvm::StringRef target);

/// Codegen for `processor`; `optLevel` 0 to 3 as in EmitOptions.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const Processor &processor, unsigned optLevel);

/// The instruction-set features that code for `machine` may use and that a host
/// can be asked about, sorted: what the loader compares with the CPU it runs
/// on.
std::vector<std::string> requiredFeatures(const Platform &platform,
                                          const llvm::TargetMachine &machine);

/// `features` as the mask of runtime/cpu.h.
uint64_t featureMask(const Platform &platform,
                     const std::vector<std::string> &features);

/// Those of `features`, of this platform, that this machine lacks.
std::vector<std::string>
missingFeatures(const std::vector<std::string> &features);

} // namespace cellgrad

#endif
