//===- BodyIndices.h - computed positions in the body of a nest -----------===//
//
// A body may read memory where an index says (memref.load), and use its loop
// variables as numbers (linalg.index). What of that differs from lane to lane
// depends on the dimension that is vectorised.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_BODYINDICES_H
#define CELLGRAD_LOWER_BUFFERS_BODYINDICES_H

#include "passes/lower/buffers/LoopNest.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/DenseSet.h"

namespace cellgrad {

/// The loads in the body of `op`, in order.
llvm::SmallVector<mlir::memref::LoadOp> bodyLoads(mlir::linalg::GenericOp op);

/// The body of a nest seen along one of its dimensions.
class BodyIndices {
public:
  BodyIndices(const LoopNest &nest, std::optional<unsigned> dim);

  /// Ops that compute positions and are the same for all lanes: they are
  /// emitted once, as scalars.
  bool isScalar(mlir::Operation *op) const { return scalars.contains(op); }

  /// An input that only scalar ops use.
  bool isScalarInput(unsigned input) const;

  /// The distance in elements of what `load` reads in neighbouring lanes; none
  /// where the lanes read anywhere.
  std::optional<int64_t> stride(mlir::memref::LoadOp load) const;

  /// True for a value that is the same for all lanes.
  bool isUniform(mlir::Value value) const;

  /// Whether lanes need the loop variable as such: not where it is cast to an
  /// integer at once, or where it says how far apart lanes load.
  bool isWideIndex(mlir::linalg::IndexOp index) const;

private:
  /// True for the loop variable of the dimension itself.
  bool isLane(mlir::Value value) const;

  bool computeUniform(mlir::Value value) const;

  const LoopNest *nest;
  std::optional<unsigned> dim;
  mutable llvm::DenseMap<mlir::Value, bool> uniform;
  llvm::DenseSet<mlir::Operation *> scalars;
};

} // namespace cellgrad

#endif
