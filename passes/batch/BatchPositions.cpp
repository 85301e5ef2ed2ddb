//===- BatchPositions.cpp - numbers along the batch -----------------------===//

#include "passes/batch/BatchPositions.h"

#include "passes/batch/SampleFlow.h"

#include "dialect/CellDialect.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace cellgrad;

/// The dimension along which whole numbers are 0, 1, ..., if it is a multiple
/// of `size`.
static std::optional<int64_t> countedDim(ConstantOp constant, int64_t size) {
  auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  if (!elements || !type || elements.isSplat() ||
      type.getElementType().isInteger(1))
    return std::nullopt;
  int64_t inner = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    int64_t extent = type.getDimSize(dim);
    bool counts = extent > 1 && extent % size == 0;
    for (auto [i, number] : llvm::enumerate(elements.getValues<APInt>())) {
      if (!counts)
        break;
      counts = number.getZExtValue() == i / inner % extent;
    }
    if (counts)
      return dim;
    inner *= extent;
  }
  return std::nullopt;
}

static SmallVector<ConstantOp> constantsOf(ModuleOp module) {
  SmallVector<ConstantOp> constants;
  module.walk([&](ConstantOp constant) { constants.push_back(constant); });
  return constants;
}

void cellgrad::countBatches(ModuleOp module, const OpenBatch &batch,
                            ArrayRef<Captured> captures) {
  SmallVector<std::pair<int64_t, SmallVector<ConstantOp>>> programs;
  programs.emplace_back(batch.size, constantsOf(module));
  for (const Captured &captured : captures)
    programs.emplace_back(captured.size, constantsOf(captured.module));
  for (size_t i = 0; i < programs.front().second.size(); ++i) {
    std::optional<int64_t> dim =
        countedDim(programs.front().second[i], batch.size);
    bool inAll = dim && llvm::all_of(programs, [&](auto &program) {
                   return i < program.second.size() &&
                          countedDim(program.second[i], program.first) == dim;
                 });
    if (!inAll)
      continue;
    for (auto &[size, constants] : programs) {
      ConstantOp constant = constants[i];
      OpBuilder b(constant);
      constant.replaceAllUsesWith(
          IotaOp::create(b, constant.getLoc(), constant.getType(), *dim)
              .getResult());
      constant.erase();
    }
  }
}

//===----------------------------------------------------------------------===//
// Positions of extrema
//===----------------------------------------------------------------------===//

/// Each element's row-major position over `dims`, of which the first may be the
/// batch.
static Value positionsOver(OpBuilder &b, Location loc, RankedTensorType type,
                           ArrayRef<int64_t> dims) {
  Value all;
  int64_t stride = 1;
  for (int64_t dim : llvm::reverse(dims)) {
    Value own = IotaOp::create(b, loc, type, dim);
    if (stride > 1)
      own = MulOp::create(
          b, loc, own,
          ConstantOp::create(
              b, loc,
              DenseElementsAttr::get(
                  type, IntegerAttr::get(type.getElementType(), stride))));
    all = all ? AddOp::create(b, loc, own, all).getResult() : own;
    stride *= type.getDimSize(dim);
  }
  return all;
}

template <typename Reduction, typename OpType>
static void numberExtremum(OpType op, const OpenBatch &batch) {
  auto type = cast<RankedTensorType>(op.getX().getType());
  int64_t dim = batchDimOf(type, batch).dim;
  if (dim < 0 || op.getDims().empty() || op.getDims().front() != dim)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value x = op.getX();
  Value most = Reduction::create(b, loc, x, op.getDimsAttr());
  Value attained = EqualOp::create(
      b, loc, x, BroadcastOp::create(b, loc, type, most, op.getDimsAttr()));
  if (isa<FloatType>(type.getElementType())) // NaN counts as the extremum
    attained =
        LogicalOrOp::create(b, loc, attained, NotEqualOp::create(b, loc, x, x));
  auto index =
      cast<RankedTensorType>(op.getResult().getType()).getElementType();
  RankedTensorType numbers = type.clone(index);
  Value last = ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(
          numbers,
          IntegerAttr::get(
              index, APInt::getSignedMaxValue(index.getIntOrFloatBitWidth()))));
  Value places = SelectOp::create(
      b, loc, attained, positionsOver(b, loc, numbers, op.getDims()), last);
  op.replaceAllUsesWith(
      ReduceMinOp::create(b, loc, places, op.getDimsAttr()).getResult());
  op.erase();
}

void cellgrad::numberExtrema(func::FuncOp function, const OpenBatch &batch) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<ArgMaxOp, ArgMinOp>(op))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (auto largest = dyn_cast<ArgMaxOp>(op))
      numberExtremum<ReduceMaxOp>(largest, batch);
    else
      numberExtremum<ReduceMinOp>(cast<ArgMinOp>(op), batch);
}
