//===- CollectiveOps.h - what several ranks compute together --------------===//
//
// Apart from CellDialect.h, as few files need these classes.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_DIALECT_COLLECTIVEOPS_H
#define CELLGRAD_DIALECT_COLLECTIVEOPS_H

#include "dialect/CellDialect.h"

namespace cellgrad {
/// All ranks take part: never merged, removed, repeated or put in another
/// order. Of who takes part, too.
template <typename OpT>
struct Collective : mlir::OpTrait::TraitBase<OpT, Collective> {};
} // namespace cellgrad

#define GET_OP_CLASSES
#include "dialect/CollectiveOps.h.inc"

namespace cellgrad {
/// Whether all ranks have to come to `op`: not of the number of ranks and the
/// like, which each knows alone.
bool needsAllRanks(mlir::Operation *op);

/// The names of `combine`: "sum", "prod", "min", "max", at CG_SUM and so on.
llvm::ArrayRef<llvm::StringLiteral> combineNames();
} // namespace cellgrad

#endif
