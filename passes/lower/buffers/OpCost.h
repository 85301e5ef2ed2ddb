//===- OpCost.h - what an op of a body costs ------------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_OPCOST_H
#define CELLGRAD_LOWER_BUFFERS_OPCOST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace cellgrad {

/// What one element of an op of a linalg body costs, in increasing order.
enum class OpCost {
  /// An instruction or a few that take some cycles, or none.
  Cheap,
  /// An instruction that takes many cycles.
  Division,
  /// A read at a computed position.
  Load,
  /// Many instructions: a function, or anything that is not known to be less.
  Long
};

OpCost costOf(mlir::Operation &op);

/// The product of sizes. One that is known only when the code runs is the rows
/// of a batch, and taken for a usual one.
double productOfSizes(llvm::ArrayRef<int64_t> sizes);

/// About how long one core takes to read or write so many bytes of far memory.
double nanosecondsOfTraffic(double bytes);

/// The same of all that an op on buffers reads and writes.
double nanosecondsOfTraffic(mlir::linalg::LinalgOp op);

/// About how long one core takes for an op on buffers, which is not a product:
/// as long as its arithmetic or its memory traffic.
double estimateNanoseconds(mlir::linalg::LinalgOp op);

/// About how long so many floating-point operations of products take, on
/// elements of this type.
double nanosecondsOfProducts(double operations, mlir::Type element);

/// The same of all products that `op`, a sum of products, adds up.
double nanosecondsOfProduct(mlir::linalg::GenericOp op);

/// How often a step of a loop runs: a few times where that is not known and no
/// attribute says it. 1 for other ops.
double tripsOf(mlir::Operation *op);

/// The same of any op on buffers, with what is in its regions. A loop of
/// unknown length is taken to be short.
double estimateNanoseconds(mlir::Operation *op);

} // namespace cellgrad

#endif
