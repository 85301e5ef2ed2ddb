//===- Kernels.h - the meaning of the ops that are not elementwise --------===//

#ifndef CELLGRAD_INTERP_KERNELS_H
#define CELLGRAD_INTERP_KERNELS_H

#include "tools/interp/Tensor.h"

#include "dialect/CellDialect.h"

namespace cellgrad::interp {

/// Operands of an op, in order.
using Operands = llvm::ArrayRef<const Tensor *>;

Tensor evaluate(ArgMaxOp op, Operands args);
Tensor evaluate(ArgMinOp op, Operands args);
Tensor evaluate(ArgSortOp op, Operands args);
Tensor evaluate(BroadcastOp op, Operands args);
Tensor evaluate(CastOp op, Operands args);
Tensor evaluate(CholeskyOp op, Operands args);
Tensor evaluate(ConcatOp op, Operands args);
/// With a third operand of the shape of the first, the products of those of its
/// elements that are not 0.
Tensor evaluate(ConvOp op, Operands args);
Tensor evaluate(CumProdOp op, Operands args);
Tensor evaluate(CumSumOp op, Operands args);
Tensor evaluate(GatherOp op, Operands args);
Tensor evaluate(IotaOp op, Operands args);
Tensor evaluate(MatMulOp op, Operands args);
Tensor evaluate(OverlapAddOp op, Operands args);
Tensor evaluate(PadOp op, Operands args);
Tensor evaluate(PolygammaOp op, Operands args);
Tensor evaluate(RandomBitsOp op, Operands args);
Tensor evaluate(RecurrenceOp op, Operands args);
Tensor evaluate(ReduceMaxOp op, Operands args);
Tensor evaluate(ReduceMinOp op, Operands args);
Tensor evaluate(ReduceSumOp op, Operands args);
Tensor evaluate(ReverseOp op, Operands args);
Tensor evaluate(ScatterOp op, Operands args);
Tensor evaluate(SegmentCumSumOp op, Operands args);
Tensor evaluate(SelectOp op, Operands args);
Tensor evaluate(SliceOp op, Operands args);
Tensor evaluate(SolveOp op, Operands args);
Tensor evaluate(SwapRowsOp op, Operands args);
Tensor evaluate(TransposeOp op, Operands args);
Tensor evaluate(TriangleOp op, Operands args);
Tensor evaluate(TriangularSolveOp op, Operands args);
Tensor evaluate(WindowsOp op, Operands args);

/// 1 where `op` has an element of its operand, 0 where it has padding.
Tensor evaluatePadding(PadOp op);

/// Moves what `op` has rounded in `result` by half of `relative` to all of it,
/// relatively, in a way that depends on the value alone.
void disturb(mlir::Operation *op, Operands args, double relative,
             Tensor &result);

/// Ops with several results.
llvm::SmallVector<Tensor> evaluate(CumMaxOp op, Operands args);
llvm::SmallVector<Tensor> evaluate(CumMinOp op, Operands args);
llvm::SmallVector<Tensor> evaluate(LUOp op, Operands args);
llvm::SmallVector<Tensor> evaluate(QROp op, Operands args);
Tensor evaluate(StashAddOp op, Operands args);
Tensor evaluate(StashEmptyOp op, Operands args);
Tensor evaluate(StashReadOp op, Operands args);
Tensor evaluate(StashWriteOp op, Operands args);

/// The integer arithmetic of loops and conditions, in upstream dialects;
/// nothing for another op.
std::optional<Tensor> evaluateScalar(mlir::Operation *op, Operands args);

} // namespace cellgrad::interp

#endif
