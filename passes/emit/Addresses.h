//===- Addresses.h - addresses in loops, before code generation -----------===//

#ifndef CELLGRAD_PASSES_EMIT_ADDRESSES_H
#define CELLGRAD_PASSES_EMIT_ADDRESSES_H

#include "llvm/IR/PassManager.h"

namespace cellgrad {

/// Computes the part of an address that a loop does not change ahead of the
/// loop: `base[row + column]` in a loop over columns becomes
/// `(base + row)[column]`, which is one operand of an instruction. Constants
/// come last: they are part of the operand, too. LLVM's loop strength reduction
/// does this and more, in a quarter of the time of all code generation; this
/// pass takes a hundredth, so code generation runs without the other.
class SplitAddresses : public llvm::PassInfoMixin<SplitAddresses> {
public:
  static constexpr llvm::StringLiteral kName = "cell-split-addresses";

  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace cellgrad

#endif
