//===- ZeroBorder.h - terms of a sum that padding makes zero --------------===//
//
// Windows also slide over the zeros around an image. Which memory these are in
// is seen from what fills and writes it, and so which terms of a convolution
// are zero whatever the other factor is.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_ZEROBORDER_H
#define CELLGRAD_LOWER_BUFFERS_ZEROBORDER_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace cellgrad {

/// The terms where `start` plus the sum of each loop's step times its variable
/// is outside of [low, high) are zero.
struct ZeroBorder {
  llvm::SmallVector<int64_t> steps; ///< one for each loop of the op
  int64_t start = 0, low = 0, high = 0;
};

/// On a sum of products: its borders, each as its steps, start, low and high.
/// In a function of its own it does not see what fills and writes the memory.
constexpr llvm::StringLiteral kZeroBorders = "cell.zero_borders";

/// The borders that inputs of a sum of products on memrefs have along windows:
/// along dimensions of memory that a parallel and a reduction loop move
/// through. Memory must be an allocation that is filled with zeros and then
/// written through views of a part of it only; or the attribute says them.
llvm::SmallVector<ZeroBorder> zeroBorders(mlir::linalg::GenericOp op);

/// Gives a sum of products the attribute, if it has borders.
void markZeroBorders(mlir::linalg::GenericOp op);

} // namespace cellgrad

#endif
