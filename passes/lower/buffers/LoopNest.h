//===- LoopNest.h - a linalg op as loops over constant-stride accesses ----===//
//
// Every linalg op on statically shaped memrefs is, here, an iteration space and
// a list of accesses whose address is linear in the loop variables. Broadcasts
// (stride 0), transposes, strided slices and windows all look the same.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_LOOPNEST_H
#define CELLGRAD_LOWER_BUFFERS_LOOPNEST_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace cellgrad {

/// One operand of a nest: a memref, or a scalar input.
struct Access {
  mlir::Value memref;
  /// Distance in elements between neighbours along each loop dimension.
  llvm::SmallVector<int64_t> strides;
  /// Constant part of the offset that comes from the indexing map.
  int64_t offset = 0;

  bool isScalar() const {
    return !llvm::isa<mlir::ShapedType>(memref.getType());
  }
  mlir::Type elementType() const;
};

/// An iteration space with its accesses. Dimensions are outermost first.
struct LoopNest {
  mlir::linalg::GenericOp op;
  llvm::SmallVector<int64_t> sizes;
  llvm::SmallVector<bool> isReduction;
  llvm::SmallVector<Access> inputs;
  llvm::SmallVector<Access> outputs;
  /// For each loop of `op`, the dimension it became, or -1 for a dropped loop
  /// of size 1.
  llvm::SmallVector<int64_t> dimOfLoop;

  unsigned rank() const { return sizes.size(); }
  bool hasReduction() const { return llvm::is_contained(isReduction, true); }
  bool isEmpty() const { return llvm::is_contained(sizes, 0); }
  /// An output that the reduction dimensions move through is written in every
  /// iteration; the others are accumulated.
  bool isAccumulated(unsigned output) const;

  /// Reorders the dimensions: new dimension i is old dimension `order[i]`.
  void permute(llvm::ArrayRef<unsigned> order);
  /// Drops dimensions of size 1 and merges neighbours that every access walks
  /// as one. Neighbours merge only when they are both parallel or both
  /// reductions.
  void simplify();
};

/// Reads the nest off `op`; of an empty iteration space, only the sizes. Fails,
/// with an error on `op`, when a memref, also one that the body loads from, has
/// no static shape and strides or an indexing map is not linear.
mlir::FailureOr<LoopNest> analyzeNest(mlir::linalg::GenericOp op);

/// Adds `scale * expr` to a linear form of loop variables: to the steps of each
/// and a constant. False, with some of it added, when `expr` is not linear.
bool addLinear(mlir::AffineExpr expr, int64_t scale,
               llvm::MutableArrayRef<int64_t> steps, int64_t &constant);

} // namespace cellgrad

#endif
