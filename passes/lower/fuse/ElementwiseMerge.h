//===- ElementwiseMerge.h - merge two linalg.generic ops ------------------===//

#ifndef CELLGRAD_LOWER_FUSE_ELEMENTWISEMERGE_H
#define CELLGRAD_LOWER_FUSE_ELEMENTWISEMERGE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace cellgrad {

/// True when every loop is parallel and every output is indexed by a
/// permutation of all loops: each iteration computes one element of each
/// result.
bool isElementwise(mlir::linalg::GenericOp op);

/// True when the body only forwards its single input: a transpose, a broadcast.
bool isPureView(mlir::linalg::GenericOp op);

/// The number of ops in the body, or nothing when one of them is not known to
/// be cheap: a division, a function, a load.
std::optional<unsigned> recomputeCost(mlir::linalg::GenericOp op);

/// The producer iteration in which the value of `operand`, a result of an
/// elementwise op, is computed, as a map of the consumer's loops.
mlir::AffineMap producerIteration(mlir::OpOperand &operand);

/// True when every loop appears in some map, so that the operands' shapes give
/// all trip counts. Reading a scalar in the place of a tensor can lose a loop.
bool bindsAllLoops(llvm::ArrayRef<mlir::AffineMap> maps);

/// True when the merge of `producer` into `consumer` binds all its loops.
bool mergeBindsAllLoops(mlir::linalg::GenericOp producer,
                        mlir::linalg::GenericOp consumer,
                        mlir::AffineMap iteration);

/// Merges `producer` into `consumer` over the consumer's loops: `iteration`
/// maps them to the producer's. Results of the producer that are used elsewhere
/// become results of the merged op, which stands in the place of `consumer`;
/// the caller checks that this is sound and re-sorts the block. Both ops are
/// erased.
mlir::linalg::GenericOp mergeProducer(mlir::RewriterBase &rewriter,
                                      mlir::linalg::GenericOp producer,
                                      mlir::linalg::GenericOp consumer,
                                      mlir::AffineMap iteration);

} // namespace cellgrad

#endif
