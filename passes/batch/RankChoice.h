//===- RankChoice.h - conditions that all ranks agree on ------------------===//

#ifndef CELLGRAD_BATCH_RANKCHOICE_H
#define CELLGRAD_BATCH_RANKCHOICE_H

#include "mlir/IR/Builders.h"

#include "llvm/ADT/SetVector.h"

namespace cellgrad {

/// The groups whose ranks meet in one of `ops`, null for all.
llvm::SetVector<mlir::Attribute>
meetingGroups(llvm::ArrayRef<mlir::Operation *> ops);

/// Makes each condition true where it is so on all ranks of `group`.
void onAllRanks(mlir::OpBuilder &b, mlir::Location loc, mlir::Attribute group,
                llvm::MutableArrayRef<mlir::Value> conditions);

} // namespace cellgrad

#endif
