//===- VectorMemory.h - accesses of vectors in the LLVM dialect -----------===//

#ifndef CELLGRAD_LOWER_CPU_VECTORMEMORY_H
#define CELLGRAD_LOWER_CPU_VECTORMEMORY_H

#include "passes/lower/target/Target.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir {
class LLVMTypeConverter;
} // namespace mlir

namespace cellgrad {

/// Takes loads and stores of vectors, also masked, to LLVM's, in place of
/// MLIR's patterns: each time those ask for the alignment of an element, they
/// make an llvm::LLVMContext, which was a sixth of the whole conversion. What
/// stores the first lanes of a vector is cut into whole stores where `target`
/// has no registers for masks.
void populateVectorMemoryToLLVMPatterns(mlir::LLVMTypeConverter &converter,
                                        mlir::RewritePatternSet &patterns,
                                        const Target &target);

} // namespace cellgrad

#endif
