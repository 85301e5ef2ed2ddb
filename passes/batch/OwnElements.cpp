//===- OwnElements.cpp - gathers of elements of a sample's own ------------===//

#include "passes/batch/OwnElements.h"

#include "passes/batch/SampleFlow.h"
#include "passes/batch/SampleRules.h"

#include "dialect/CellDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace cellgrad;

/// The number that all elements of a constant are, also behind broadcasts.
static std::optional<int64_t> numberOf(Value value) {
  while (isa_and_nonnull<BroadcastOp, ReshapeOp, CastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto constant = value.getDefiningOp<ConstantOp>();
  auto splat = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  if (!splat || constant->hasAttr("cell.batch_form") ||
      !splat.getElementType().isSignlessInteger() ||
      splat.getElementType().isInteger(1))
    return std::nullopt;
  return splat.getSplatValue<APInt>().getSExtValue();
}

static int64_t rowsIn(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() > 0 ? type.getDimSize(0) : 0;
}

namespace {
/// Values as multiples of a row's number, and something else. A row is what is
/// at an index of the first dimension.
class ByRow {
public:
  explicit ByRow(OpBuilder &b) : b(b) {}

  /// How often the row's number is in `value`; 0 where that is not seen.
  int64_t factorOf(Value value);
  /// What is beside it, of the same type; null for nothing.
  Value restOf(Value value);

private:
  /// What an op that moves elements, but keeps them in their rows, has them
  /// from; null for other ops.
  Value sourceOf(Operation *op);
  bool isRowNumber(Value value) {
    return factorOf(value) == 1 && !restOf(value);
  }

  OpBuilder &b;
  llvm::DenseMap<Value, int64_t> factors;
  llvm::DenseMap<Value, Value> rests;
};
} // namespace

/// Whether a choice is never what it has for negative numbers: `value` counts
/// from 0 on.
static bool asksForNegative(Value condition, Value value) {
  auto less = condition.getDefiningOp<LessOp>();
  std::optional<int64_t> bound =
      less ? numberOf(less.getRhs()) : std::optional<int64_t>();
  return bound && *bound <= 0 && less.getLhs() == value;
}

Value ByRow::sourceOf(Operation *op) {
  auto keepsRows = [&](Value x) {
    return rowsIn(x) == rowsIn(op->getResult(0)) ? x : Value();
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](CastOp cast) {
        bool whole = llvm::all_of(
            ArrayRef<Type>{cast.getX().getType(), cast.getType()},
            [](Type type) {
              Type element =
                  mlir::cast<RankedTensorType>(type).getElementType();
              return element.isSignlessInteger() && !element.isInteger(1);
            });
        return whole ? cast.getX() : Value();
      })
      .Case([&](ReshapeOp reshape) { return keepsRows(reshape.getX()); })
      .Case([&](BroadcastOp broadcast) {
        return llvm::is_contained(broadcast.getDims(), 0) ? Value()
                                                          : broadcast.getX();
      })
      .Case([&](TransposeOp transpose) {
        return transpose.getPerm()[0] == 0 ? transpose.getX() : Value();
      })
      .Case([&](SliceOp slice) {
        return slice.getStarts()[0] == 0 && slice.getStrides()[0] == 1
                   ? keepsRows(slice.getX())
                   : Value();
      })
      .Case([&](SelectOp select) {
        Value other = select.getOnFalse();
        return asksForNegative(select.getCondition(), other) &&
                       isRowNumber(other)
                   ? other
                   : Value();
      })
      .Default([](Operation *) { return Value(); });
}

/// The operand of a concat that a slice takes; null where there is none.
static Value pickedOf(SliceOp slice) {
  auto concat = slice.getX().getDefiningOp<ConcatOp>();
  if (!concat)
    return {};
  int64_t dim = concat.getDim(), at = slice.getStarts()[dim];
  for (Value operand : concat->getOperands()) {
    if (at == 0)
      return operand.getType() == slice.getType() ? operand : Value();
    at -= cast<RankedTensorType>(operand.getType()).getDimSize(dim);
    if (at < 0)
      break;
  }
  return {};
}

int64_t ByRow::factorOf(Value value) {
  if (auto found = factors.find(value); found != factors.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  int64_t factor = 0;
  if (op && cast<RankedTensorType>(value.getType()).getRank() > 0)
    factor = llvm::TypeSwitch<Operation *, int64_t>(op)
                 .Case([](IotaOp iota) { return iota.getDim() == 0 ? 1 : 0; })
                 .Case([&](AddOp add) {
                   return factorOf(add.getLhs()) + factorOf(add.getRhs());
                 })
                 .Case([&](SubOp sub) {
                   return factorOf(sub.getLhs()) - factorOf(sub.getRhs());
                 })
                 .Case([&](MulOp mul) -> int64_t {
                   if (std::optional<int64_t> by = numberOf(mul.getRhs()))
                     return factorOf(mul.getLhs()) * *by;
                   if (std::optional<int64_t> by = numberOf(mul.getLhs()))
                     return factorOf(mul.getRhs()) * *by;
                   return 0;
                 })
                 .Default([&](Operation *other) -> int64_t {
                   if (auto slice = dyn_cast<SliceOp>(other))
                     if (Value picked = pickedOf(slice))
                       return factorOf(picked);
                   Value source = sourceOf(other);
                   return source ? factorOf(source) : 0;
                 });
  return factors[value] = factor;
}

Value ByRow::restOf(Value value) {
  if (factorOf(value) == 0)
    return numberOf(value) == 0 ? Value() : value;
  if (auto found = rests.find(value); found != rests.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  auto again = [&](ValueRange operands) {
    IRMapping map;
    map.map(op->getOperands(), operands);
    return b.clone(*op, map)->getResult(0);
  };
  Value rest = llvm::TypeSwitch<Operation *, Value>(op)
                   .Case([](IotaOp) { return Value(); })
                   .Case<AddOp, SubOp>([&](Operation *) -> Value {
                     Value lhs = restOf(op->getOperand(0)),
                           rhs = restOf(op->getOperand(1));
                     if (!lhs && rhs && isa<SubOp>(op))
                       return NegOp::create(b, op->getLoc(), rhs);
                     return lhs && rhs ? again({lhs, rhs}) : lhs ? lhs : rhs;
                   })
                   .Case([&](MulOp mul) -> Value {
                     bool byRhs = numberOf(mul.getRhs()).has_value();
                     Value of = restOf(byRhs ? mul.getLhs() : mul.getRhs());
                     Value by = byRhs ? mul.getRhs() : mul.getLhs();
                     return of ? again({of, by}) : Value();
                   })
                   .Default([&](Operation *) -> Value {
                     if (auto slice = dyn_cast<SliceOp>(op))
                       if (Value picked = pickedOf(slice))
                         return restOf(picked);
                     Value source = sourceOf(op);
                     if (isa<SelectOp>(op))
                       return restOf(source);
                     Value of = restOf(source);
                     return of ? again({of}) : Value();
                   });
  return rests[value] = rest;
}

namespace {
/// Rewrites ops of one function.
class Separation {
public:
  Separation(func::FuncOp function, const OpenBatch &batch)
      : b(function.getContext()), batch(batch) {}

  template <typename OpType> void run(OpType op);

private:
  Value placeInRow(Operation *op, Value indices, int64_t ofRow);

  OpBuilder b;
  const OpenBatch &batch;
};
} // namespace

/// Where in its row of so many elements an index is, checked; null where it is
/// not seen to be of a row.
Value Separation::placeInRow(Operation *op, Value indices, int64_t ofRow) {
  // What is negative would not be in the row: there is a check for that.
  if (auto select = indices.getDefiningOp<SelectOp>())
    if (asksForNegative(select.getCondition(), select.getOnFalse()))
      indices = select.getOnFalse();
  b.setInsertionPoint(op);
  ByRow byRow(b);
  if (byRow.factorOf(indices) != ofRow)
    return {};
  auto type = cast<RankedTensorType>(indices.getType());
  Location loc = op->getLoc();
  auto splat = [&](int64_t number) -> Value {
    return ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(
            type, IntegerAttr::get(type.getElementType(), number)));
  };
  Value place = byRow.restOf(indices);
  if (!place)
    return splat(0);
  Value ok = LogicalAndOp::create(
      b, loc, GreaterEqualOp::create(b, loc, place, splat(0)),
      LessOp::create(b, loc, place, splat(ofRow)));
  CheckOp::create(b, loc, ok,
                  "an index is of an element of another sample, or out of "
                  "bounds; a program for any batch size takes elements of the "
                  "same sample");
  return place;
}

/// Gathers and scatters along the first dimension of `x`.
template <typename OpType> void Separation::run(OpType op) {
  auto type = cast<RankedTensorType>(op.getX().getType());
  int64_t rows = rowsIn(op.getIndices());
  if (op.getDim() != 0 || op.getBatchDims() != 0 || rows == 0 ||
      rows % batch.size != 0 || type.getDimSize(0) % rows != 0)
    return;
  int64_t ofRow = type.getDimSize(0) / rows;
  Value place = placeInRow(op, op.getIndices(), ofRow);
  if (!place)
    return;
  SmallVector<int64_t> shape{rows, ofRow};
  llvm::append_range(shape, type.getShape().drop_front());
  Location loc = op->getLoc();
  Value x = ReshapeOp::create(b, loc, type.clone(shape), op.getX());
  op.getIndicesMutable().assign(place);
  op.setDim(1);
  op.setBatchDims(1);
  op.getXMutable().assign(x);
  if constexpr (std::is_same_v<OpType, ScatterOp>) {
    op.getResult().setType(type.clone(shape));
    b.setInsertionPointAfter(op);
    auto flat = ReshapeOp::create(b, loc, type, op.getResult());
    op.getResult().replaceAllUsesExcept(flat.getResult(), flat);
  }
}

/// What samples add to a value that they share is a sum of its own.
static void addApart(ScatterOp scatter, const OpenBatch &batch) {
  Value x = scatter.getX();
  auto type = cast<RankedTensorType>(x.getType());
  if (!scatter.adds() || batchDimOf(type, batch).dim >= 0 || isZero(x) ||
      batchDimOf(scatter.getUpdates().getType(), batch).dim < 0)
    return;
  OpBuilder b(scatter);
  Location loc = scatter.getLoc();
  scatter.getXMutable().assign(neutralElement(b, loc, type, Combine::Add));
  b.setInsertionPointAfter(scatter);
  auto sum = AddOp::create(b, loc, x, scatter.getResult());
  scatter.getResult().replaceAllUsesExcept(sum.getResult(), sum);
}

void cellgrad::separateOwnElements(func::FuncOp function,
                                   const OpenBatch &batch) {
  SmallVector<Operation *> ops;
  function.walk([&](Operation *op) {
    if (isa<GatherOp, ScatterOp>(op))
      ops.push_back(op);
  });
  Separation separation(function, batch);
  for (Operation *op : ops) {
    if (auto gather = dyn_cast<GatherOp>(op)) {
      separation.run(gather);
      continue;
    }
    separation.run(cast<ScatterOp>(op));
    addApart(cast<ScatterOp>(op), batch);
  }
}
