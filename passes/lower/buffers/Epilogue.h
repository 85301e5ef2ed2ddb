//===- Epilogue.h - elementwise ops on the results of products ------------===//
//
// An elementwise op with the attribute `cell.epilogue` reads the result of the
// product before it, element by element, and may run on each tile of that
// result as soon as it is there. The attribute says that nothing between the
// two, and none of the memory they share, forbids that; `cell-form-epilogues`
// sets it. The op means what it means without it.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_EPILOGUE_H
#define CELLGRAD_LOWER_BUFFERS_EPILOGUE_H

#include "passes/lower/buffers/Contraction.h"

namespace cellgrad {

constexpr llvm::StringLiteral kEpilogue = "cell.epilogue";

/// The op that is marked as the epilogue of `product`, or null.
mlir::linalg::GenericOp findEpilogue(mlir::Operation *product);

/// `memref` before it was reshaped.
mlir::Value unreshaped(mlir::Value memref);

/// An elementwise op as a nest of the loops of a product whose result it reads:
/// along the loop that is summed over, nothing moves. Nothing where it is not
/// elementwise, computes positions, touches the result at another place than
/// that which the loops of the product have come to, or does not have its
/// operands contiguous, or the same, along a row of the result.
std::optional<LoopNest> epilogueNest(const Contraction &product,
                                     mlir::linalg::GenericOp op);

/// True when nothing but `ops` uses the buffer of the reshaped `memref`, which
/// is a temporary.
bool isUsedOnlyBy(mlir::Value memref, llvm::ArrayRef<mlir::Operation *> ops);

} // namespace cellgrad

#endif
