//===- Shuffles.h - networks of shuffles, before code generation ----------===//

#ifndef CELLGRAD_PASSES_EMIT_SHUFFLES_H
#define CELLGRAD_PASSES_EMIT_SHUFFLES_H

#include "llvm/IR/PassManager.h"

namespace cellgrad {

/// Cuts networks of shuffles of floats, as transposes are, behind every second
/// level. LLVM's code generation for x86 tries to merge each shuffle with all
/// that are behind its operands, which is three quarters of its time for a
/// transpose, and finds nothing there: each is one instruction. A cut is no
/// instruction.
class CutShuffles : public llvm::PassInfoMixin<CutShuffles> {
public:
  static constexpr llvm::StringLiteral kName = "cell-cut-shuffles";

  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace cellgrad

#endif
