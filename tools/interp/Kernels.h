//===- Kernels.h - the meaning of the ops that are not elementwise --------===//

#ifndef CELLGRAD_INTERP_KERNELS_H
#define CELLGRAD_INTERP_KERNELS_H

#include "tools/interp/Tensor.h"

#include "dialect/CellDialect.h"

namespace cellgrad::interp {

/// Operands of an op, in order.
using Operands = llvm::ArrayRef<const Tensor *>;

/// The results of an op: a tensor, or all of them where it has several.
template <typename OpT>
using ResultsOf =
    std::conditional_t<OpT::template hasTrait<mlir::OpTrait::OneResult>(),
                       Tensor, llvm::SmallVector<Tensor>>;

/// The meaning of every structured op. One that nobody defines is an undefined
/// symbol when a tool is linked.
#define CELL_STRUCTURED_OP(OpT) ResultsOf<OpT> evaluate(OpT op, Operands args);
#include "dialect/StructuredOps.inc"

/// Elementwise ops that are more than a function of numbers.
Tensor evaluate(PolygammaOp op, Operands args);
Tensor evaluate(SelectOp op, Operands args);

Tensor evaluate(StashAddOp op, Operands args);
Tensor evaluate(StashEmptyOp op, Operands args);
Tensor evaluate(StashReadOp op, Operands args);
Tensor evaluate(StashWriteOp op, Operands args);

/// 1 where `op` has an element of its operand, 0 where it has padding.
Tensor evaluatePadding(PadOp op);

/// Moves what `op` has rounded in `result` by half of `relative` to all of it,
/// relatively, in a way that depends on the value alone.
void disturb(mlir::Operation *op, Operands args, double relative,
             Tensor &result);

/// The integer arithmetic of loops and conditions, in upstream dialects;
/// nothing for another op.
std::optional<Tensor> evaluateScalar(mlir::Operation *op, Operands args);

} // namespace cellgrad::interp

#endif
