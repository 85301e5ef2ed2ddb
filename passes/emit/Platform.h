//===- Platform.h - the systems that models are made for ------------------===//
//
// One for each instruction set: what LLVM, the linker and the loader call it.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_PASSES_EMIT_PLATFORM_H
#define CELLGRAD_PASSES_EMIT_PLATFORM_H

#include "passes/lower/target/Target.h"

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace llvm {
class Target;
}

namespace cellgrad {

/// A feature that a model asks the processor about before it computes.
struct CheckedFeature {
  llvm::StringLiteral name; ///< LLVM's
  unsigned bit;             ///< in the mask that the runtime takes
};

struct Platform {
  Arch arch;
  llvm::StringLiteral name; ///< in the signature: "x86-64"
  llvm::StringLiteral triple;
  llvm::StringLiteral cpu; ///< what every processor of the platform can do
  /// The same, where LLVM's name of the CPU does not say it.
  llvm::StringLiteral features;
  llvm::StringLiteral abi; ///< for LLVM; empty: the only one
  uint16_t elfMachine;     ///< 0: no ELF files
  unsigned pageBytes;      ///< the largest that systems have
  llvm::ArrayRef<CheckedFeature> checked;
};

const Platform &platformOf(Arch arch);

/// The platform with that number in ELF files, or null.
const Platform *platformOfElf(uint16_t machine);

/// That of this process.
const Platform &hostPlatform();

/// LLVM's back end, or null where this build has none.
const llvm::Target *backEnd(const Platform &platform);

} // namespace cellgrad

#endif
