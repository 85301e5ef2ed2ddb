//===- CollectiveOps.h - what several ranks compute together --------------===//
//
// Apart from CellDialect.h, as few files need these classes.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_DIALECT_COLLECTIVEOPS_H
#define CELLGRAD_DIALECT_COLLECTIVEOPS_H

#include "dialect/CellDialect.h"

namespace cellgrad {
/// Several ranks take part: never merged, removed, repeated or put in another
/// order. Of who takes part, too.
template <typename OpT>
struct Collective : mlir::OpTrait::TraitBase<OpT, Collective> {};
} // namespace cellgrad

#define GET_OP_CLASSES
#include "dialect/CollectiveOps.h.inc"

namespace cellgrad {
/// Whether `op` is done by several ranks: not the number of ranks and the like,
/// which each knows alone.
bool communicates(mlir::Operation *op);

/// Whether `op` is a message, of two ranks alone.
bool isMessage(mlir::Operation *op);

/// Whether `op` is a message of a program and its caller (CG_HOST): an argument
/// or a result of a function of Python.
bool isOfHost(mlir::Operation *op);

/// Whether all ranks of a group have to come to `op`: not of messages, which
/// are of two.
bool needsAllRanks(mlir::Operation *op);

/// The ranks that take part in `op`, a collective; empty for all.
llvm::ArrayRef<int64_t> groupOf(mlir::Operation *op);

/// The names of `combine`: "sum", "prod", "min", "max", at CG_SUM and so on.
llvm::ArrayRef<llvm::StringLiteral> combineNames();
} // namespace cellgrad

#endif
