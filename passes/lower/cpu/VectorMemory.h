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
/// stores the first lanes of a vector is cut into whole stores where it is
/// marked so, or `target` has no registers for masks.
void populateVectorMemoryToLLVMPatterns(mlir::LLVMTypeConverter &converter,
                                        mlir::RewritePatternSet &patterns,
                                        const Target &target);

/// Marks the masked stores to memory that is read in the same block, as that of
/// rows which are computed in place. The next row begins in the lanes that are
/// masked out: its load would wait until the store is done.
void markStoresInPlace(mlir::Operation *module);

} // namespace cellgrad

#endif
