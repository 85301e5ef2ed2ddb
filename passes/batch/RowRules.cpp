//===- RowRules.cpp - which ops treat samples one by one ------------------===//
//
// Rows are along dimension 0 of every tensor that has them: the types say which
// do. An op keeps to its rows where row i of each result is a function of rows
// i of the operands with rows, and of operands without.
//
// A sample may have several rows, next to each other. The rules prove that rows
// are apart, so samples are, however many rows they have; but row i belongs to
// one sample in all operands and results only where samples have equally many
// rows in all of them. So ops that compute want that. Reshapes alone change how
// many there are: elements stay in their order, and with them those of a
// sample.
//
//===----------------------------------------------------------------------===//

#include "passes/batch/RowRules.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace cellgrad;

namespace {
const char *const kAlong =
    "goes along the batch, so that results of a sample depend on the others";
const char *const kMoves = "moves the batch, which must stay the first "
                           "dimension";

std::string unless(bool keeps, const char *why) { return keeps ? "" : why; }

struct Rules {
  const OpenBatch &batch;

  bool rows(Value value) const { return batch.hasRows(value.getType()); }
  bool allRows(Operation *op) const {
    auto has = [&](Value value) { return rows(value); };
    return llvm::all_of(op->getOperands(), has) &&
           llvm::all_of(op->getResults(), has);
  }

  /// Refuses samples that have more rows in one operand or result than in
  /// another.
  std::string ofCounts(Operation *op) const {
    int64_t found = 0;
    for (Type type :
         llvm::concat<const Type>(llvm::to_vector(op->getOperandTypes()),
                                  llvm::to_vector(op->getResultTypes()))) {
      int64_t count = batch.rowsOf(type);
      if (count > 0 && found > 0 && count != found)
        return llvm::formatv("has tensors of {0} and of {1} rows for each "
                             "sample, and only reshapes may, so that rows of "
                             "different samples meet",
                             found, count);
      found = count > 0 ? count : found;
    }
    return "";
  }

  std::string ofBroadcast(BroadcastOp op) const {
    // The first dimension of the result is that of x, or new: all rows equal.
    bool isNew = llvm::is_contained(op.getDims(), 0);
    return unless(isNew != rows(op.getX()), kMoves);
  }
  std::string ofMatMul(MatMulOp op) const {
    if (cast<RankedTensorType>(op.getType()).getRank() > 2)
      return unless(allRows(op), kMoves);
    bool contracts = rows(op.getLhs()) && op.getTransposeA();
    return unless(rows(op.getLhs()) && !contracts && !rows(op.getRhs()),
                  "adds up over the batch, or pairs samples with each other");
  }
  std::string ofGather(GatherOp op) const {
    if (!rows(op.getX()))
      return unless(op.getBatchDims() == 0 && op.getDim() == 0, kMoves);
    bool paired = (op.getBatchDims() > 0) == rows(op.getIndices());
    return unless(op.getDim() != 0 && paired,
                  "takes elements of other samples");
  }
  std::string ofScatter(ScatterOp op) const {
    bool paired = (op.getBatchDims() > 0) == rows(op.getIndices());
    return unless(rows(op.getX()) && rows(op.getUpdates()) &&
                      op.getDim() != 0 && paired,
                  "puts elements of all samples into one place");
  }
  std::string ofSlice(SliceOp op) const {
    return unless(rows(op.getX()) && op.getStarts()[0] == 0 &&
                      op.getStrides()[0] == 1 &&
                      op.getLimits()[0] == op.getX().getType().getDimSize(0),
                  "takes some samples of the batch");
  }
  std::string ofPad(PadOp op) const {
    return unless(rows(op.getX()) && op.getLow()[0] == 0 &&
                      op.getHigh()[0] == 0 && op.getInterior()[0] == 0,
                  "adds samples to the batch");
  }
  std::string ofConstant(ConstantOp op) const {
    return unless(isa<SplatElementsAttr>(op.getValue()),
                  "has elements for a batch of one size");
  }
  std::string ofConv(ConvOp op) const {
    return unless(rows(op.getX()) && !rows(op.getW()),
                  "adds up over the batch");
  }
  std::string ofOverlapAdd(OverlapAddOp op) const {
    auto type = cast<RankedTensorType>(op.getY().getType());
    return unless(type.getRank() > 2 * int64_t(op.getSizes().size()), kAlong);
  }
  std::string ofWindows(WindowsOp op) const {
    auto type = cast<RankedTensorType>(op.getX().getType());
    return unless(type.getRank() > int64_t(op.getSizes().size()), kAlong);
  }
  std::string ofMatrices(Operation *op) const {
    auto type = cast<RankedTensorType>(op->getOperand(0).getType());
    return unless(type.getRank() > 2 && allRows(op), kAlong);
  }
  std::string ofTriangle(TriangleOp op) const {
    return unless(cast<RankedTensorType>(op.getType()).getRank() > 2, kAlong);
  }
};
/// Whether `op` computes nothing from its operands, but hands them on.
bool handsOn(Operation *op) {
  return isa<ReshapeOp, func::CallOp, CustomOp, RecomputeOp, func::ReturnOp,
             scf::IfOp, scf::ForOp, scf::WhileOp, scf::YieldOp,
             scf::ConditionOp, CheckOp>(op);
}
} // namespace

std::string cellgrad::whyRowsMix(Operation *op, const OpenBatch &batch) {
  Rules rules{batch};
  if (!handsOn(op))
    if (std::string why = rules.ofCounts(op); !why.empty())
      return why;
  if (op->hasTrait<OpTrait::Elementwise>() || isa<CastOp, StopGradientOp>(op))
    return unless(rules.allRows(op), kMoves);
  auto notOver = [](auto reduction) {
    return unless(!llvm::is_contained(reduction.getDims(), 0), kAlong);
  };
  auto notAlong = [](auto sequence) {
    return unless(sequence.getDim() != 0, kAlong);
  };
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<ReduceSumOp, ReduceMaxOp, ReduceMinOp, ArgMaxOp, ArgMinOp,
            ReverseOp>(notOver)
      .Case<CumSumOp, CumProdOp, CumMaxOp, CumMinOp, RecurrenceOp,
            SegmentCumSumOp, ArgSortOp, IotaOp, ConcatOp>(notAlong)
      .Case([&](ConstantOp op) { return rules.ofConstant(op); })
      .Case([&](BroadcastOp op) { return rules.ofBroadcast(op); })
      .Case([&](ReshapeOp op) { return unless(rules.allRows(op), kMoves); })
      .Case(
          [&](TransposeOp op) { return unless(op.getPerm()[0] == 0, kMoves); })
      .Case([&](SliceOp op) { return rules.ofSlice(op); })
      .Case([&](PadOp op) { return rules.ofPad(op); })
      .Case([&](MatMulOp op) { return rules.ofMatMul(op); })
      .Case([&](ConvOp op) { return rules.ofConv(op); })
      .Case([&](WindowsOp op) { return rules.ofWindows(op); })
      .Case([&](OverlapAddOp op) { return rules.ofOverlapAdd(op); })
      .Case([&](GatherOp op) { return rules.ofGather(op); })
      .Case([&](ScatterOp op) { return rules.ofScatter(op); })
      .Case([&](TriangleOp op) { return rules.ofTriangle(op); })
      .Case<SwapRowsOp, CholeskyOp, LUOp, QROp, EighOp, SVDOp,
            TriangularSolveOp, SolveOp>(
          [&](Operation *op) { return rules.ofMatrices(op); })
      // What they call, or have inside, is checked there.
      .Case<func::CallOp, CustomOp, RecomputeOp, func::ReturnOp, scf::IfOp,
            scf::ForOp, scf::WhileOp, scf::YieldOp, scf::ConditionOp, CheckOp>(
          [](Operation *) { return std::string(); })
      .Default([](Operation *) {
        return std::string("is not known to treat samples one by one");
      });
}
