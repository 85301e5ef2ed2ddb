//===- Scan.cpp - running combinations as loops ---------------------------===//

#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"
#include "passes/lower/tensors/RunningSum.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// What an element makes of what is carried, and what the results hold there.
struct Step {
  SmallVector<Value> carried, results;
};

/// Gets what is carried and the element of each operand, after them its
/// position as i32 where that is asked for.
using StepFn = llvm::function_ref<Step(ImplicitLocOpBuilder &,
                                       ValueRange carried, ValueRange element)>;

/// A loop over what stands before the dimension, and one along it that carries
/// numbers, or rows of numbers where something stands behind.
class ScanEmitter {
public:
  ScanEmitter(OpBuilder &b, Operation *op, ValueRange operands, int64_t dim,
              bool reverse)
      : b(b), loc(op->getLoc()), reverse(reverse), hasOuter(dim > 0) {
    shape = cast<RankedTensorType>(operands[0].getType());
    int64_t rest = shape.getRank() - dim - 1;
    groups = {dim, 1, rest};
    if (llvm::all_of(shape.getShape().drop_front(dim + 1),
                     [](int64_t size) { return size == 1; }))
      groups = {dim, 1 + rest};
    hasRows = groups.size() == 3;
    for (Value operand : operands)
      inputs.push_back(collapseGroups(b, loc, operand, groups));
    flat = cast<RankedTensorType>(inputs[0].getType());
  }

  /// The results, of the given element types; `starts` is carried to the first
  /// element.
  SmallVector<Value> emit(ArrayRef<TypedAttr> starts, TypeRange elements,
                          bool wantsPosition, StepFn step) {
    this->starts = starts;
    this->wantsPosition = wantsPosition;
    bool isEmpty = shape.getNumElements() == 0;
    SmallVector<Value> outs;
    for (Type element : elements)
      outs.push_back(
          emptyTensor(b, loc, (isEmpty ? shape : flat).clone(element)));
    if (isEmpty)
      return outs;
    if (hasOuter)
      outs = loop(b, flat.getDimSize(0), outs,
                  [&](OpBuilder &inner, Value iv, ValueRange carried) {
                    return along(inner, iv, carried, step);
                  });
    else
      outs = along(b, Value(), outs, step);
    for (auto [out, element] : llvm::zip_equal(outs, elements))
      out = expandGroups(b, loc, out, shape.clone(element), groups);
    return outs;
  }

private:
  using LoopBody =
      llvm::function_ref<SmallVector<Value>(OpBuilder &, Value, ValueRange)>;

  SmallVector<Value> loop(OpBuilder &builder, int64_t size, ValueRange inits,
                          LoopBody body) {
    auto constant = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    auto forOp = scf::ForOp::create(
        builder, loc, constant(0), constant(size), constant(1), inits,
        [&](OpBuilder &inner, Location, Value iv, ValueRange carried) {
          scf::YieldOp::create(inner, loc, body(inner, iv, carried));
        });
    return SmallVector<Value>(forOp.getResults());
  }

  /// The results along the dimension, at `outer`.
  SmallVector<Value> along(OpBuilder &builder, Value outer, ValueRange outs,
                           StepFn step) {
    int64_t size = flat.getDimSize(hasOuter);
    SmallVector<Value> inits;
    for (TypedAttr start : starts)
      inits.push_back(
          hasRows ? filledTensor(builder, loc,
                                 RankedTensorType::get({flat.getShape().back()},
                                                       start.getType()),
                                 start)
                  : arith::ConstantOp::create(builder, loc, start).getResult());
    llvm::append_range(inits, outs);
    SmallVector<Value> ends =
        loop(builder, size, inits,
             [&](OpBuilder &inner, Value iv, ValueRange carried) {
               if (reverse)
                 iv = arith::SubIOp::create(
                     inner, loc,
                     arith::ConstantIndexOp::create(inner, loc, size - 1), iv);
               SmallVector<Value> at;
               if (hasOuter)
                 at.push_back(outer);
               at.push_back(iv);
               ValueRange states = carried.take_front(starts.size());
               ValueRange results = carried.drop_front(starts.size());
               return hasRows ? stepRow(inner, states, results, at, step)
                              : stepNumber(inner, states, results, at, step);
             });
    return SmallVector<Value>(ArrayRef(ends).drop_front(starts.size()));
  }

  Value positionOf(OpBuilder &builder, Value iv) {
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), iv);
  }

  SmallVector<Value> stepNumber(OpBuilder &builder, ValueRange states,
                                ValueRange outs, ArrayRef<Value> at,
                                StepFn step) {
    SmallVector<Value> element;
    for (Value input : inputs)
      element.push_back(tensor::ExtractOp::create(builder, loc, input, at));
    if (wantsPosition)
      element.push_back(positionOf(builder, at.back()));
    ImplicitLocOpBuilder body(loc, builder);
    Step next = step(body, states, element);
    for (auto [result, out] : llvm::zip_equal(next.results, outs))
      next.carried.push_back(
          tensor::InsertOp::create(builder, loc, result, out, at));
    return next.carried;
  }

  SmallVector<Value> stepRow(OpBuilder &builder, ValueRange states,
                             ValueRange outs, ArrayRef<Value> at, StepFn step) {
    int64_t length = flat.getShape().back();
    SmallVector<OpFoldResult> offsets(at),
        sizes(at.size(), builder.getIndexAttr(1)),
        strides(at.size() + 1, builder.getIndexAttr(1));
    offsets.push_back(builder.getIndexAttr(0));
    sizes.push_back(builder.getIndexAttr(length));
    auto slice = [&](Value from) -> Value {
      Type element = getElementTypeOrSelf(from.getType());
      return tensor::ExtractSliceOp::create(
          builder, loc, RankedTensorType::get({length}, element), from, offsets,
          sizes, strides);
    };
    AffineMap each = builder.getMultiDimIdentityMap(1);
    SmallVector<Value> ins = llvm::map_to_vector(inputs, slice);
    SmallVector<AffineMap> maps(ins.size(), each);
    if (wantsPosition) {
      ins.push_back(positionOf(builder, at.back()));
      maps.push_back(AffineMap::get(1, 0, builder.getContext()));
    }
    SmallVector<Value> inits(states);
    llvm::append_range(inits, llvm::map_range(outs, slice));
    maps.append(inits.size(), each);
    auto generic = linalg::GenericOp::create(
        builder, loc, ValueRange(inits).getTypes(), ins, inits, maps,
        utils::IteratorType::parallel,
        [&](OpBuilder &body, Location bodyLoc, ValueRange args) {
          ImplicitLocOpBuilder inner(bodyLoc, body);
          Step next = step(inner, args.slice(ins.size(), states.size()),
                           args.take_front(ins.size()));
          llvm::append_range(next.carried, next.results);
          linalg::YieldOp::create(body, bodyLoc, next.carried);
        });
    SmallVector<Value> next(generic.getResults().take_front(states.size()));
    for (auto [row, out] :
         llvm::zip_equal(generic.getResults().drop_front(states.size()), outs))
      next.push_back(tensor::InsertSliceOp::create(builder, loc, row, out,
                                                   offsets, sizes, strides));
    return next;
  }

  OpBuilder &b;
  Location loc;
  bool reverse, hasOuter, hasRows, wantsPosition = false;
  RankedTensorType shape, flat;
  SmallVector<int64_t> groups;
  SmallVector<Value> inputs;
  ArrayRef<TypedAttr> starts;
};

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// The number in the type that is accumulated in, and back.
Value widened(ImplicitLocOpBuilder &b, Value x) {
  Type wide = accumulatorType(x.getType());
  return x.getType() == wide ? x : arith::ExtFOp::create(b, wide, x);
}
Value narrowed(ImplicitLocOpBuilder &b, Value x, Type type) {
  return x.getType() == type ? x : arith::TruncFOp::create(b, type, x);
}

Value add(ImplicitLocOpBuilder &b, Value x, Value y) {
  return isa<FloatType>(x.getType())
             ? arith::AddFOp::create(b, x, y).getResult()
             : arith::AddIOp::create(b, x, y).getResult();
}
Value multiply(ImplicitLocOpBuilder &b, Value x, Value y) {
  return isa<FloatType>(x.getType())
             ? arith::MulFOp::create(b, x, y).getResult()
             : arith::MulIOp::create(b, x, y).getResult();
}
Value isNan(ImplicitLocOpBuilder &b, Value x) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, x, x);
}

TypedAttr numberOf(Builder &b, Type type, int64_t value) {
  if (isa<FloatType>(type))
    return b.getFloatAttr(type, value);
  return b.getIntegerAttr(type, value);
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

} // namespace

LogicalResult cellgrad::lower(CumProdOp op, PatternRewriter &rewriter) {
  Type type = op.getType().getElementType();
  TypedAttr start = numberOf(rewriter, accumulatorType(type), 1);
  ScanEmitter scan(rewriter, op, op.getX(), op.getDim(), op.getReverse());
  auto step = [&](ImplicitLocOpBuilder &b, ValueRange carried,
                  ValueRange element) -> Step {
    Value next = multiply(b, carried[0], widened(b, element[0]));
    Value result = op.getExclusive() ? carried[0] : next;
    return {{next}, {narrowed(b, result, type)}};
  };
  rewriter.replaceOp(op, scan.emit(start, type, /*wantsPosition=*/false, step));
  return success();
}

LogicalResult cellgrad::lower(CumSumOp op, PatternRewriter &rewriter) {
  Type type = op.getType().getElementType();
  RunningSum sum(type, op.getType().getDimSize(op.getDim()));
  ScanEmitter scan(rewriter, op, op.getX(), op.getDim(), op.getReverse());
  auto step = [&](ImplicitLocOpBuilder &b, ValueRange carried,
                  ValueRange element) -> Step {
    SmallVector<Value> next = sum.add(b, b.getLoc(), carried, element[0]);
    ValueRange result = op.getExclusive() ? carried : ValueRange(next);
    return {next, {sum.round(b, b.getLoc(), result)}};
  };
  rewriter.replaceOp(
      op, scan.emit(sum.zeros(), type, /*wantsPosition=*/false, step));
  return success();
}

/// In f64, as running sums are; the products are the program's.
LogicalResult cellgrad::lower(RecurrenceOp op, PatternRewriter &rewriter) {
  Type type = op.getType().getElementType();
  RunningSum sum(type, op.getType().getDimSize(op.getDim()));
  TypedAttr start = sum.zeros().front();
  ScanEmitter scan(rewriter, op, op->getOperands(), op.getDim(),
                   op.getReverse());
  auto step = [&](ImplicitLocOpBuilder &b, ValueRange carried,
                  ValueRange element) -> Step {
    auto wide = [&](Value x) { return sum.begin(b, b.getLoc(), x).front(); };
    Value product = multiply(b, carried[0], wide(element[0]));
    Value next = add(b, product, wide(element[1]));
    return {{next}, {sum.round(b, b.getLoc(), carried)}};
  };
  rewriter.replaceOp(op, scan.emit(start, type, /*wantsPosition=*/false, step));
  return success();
}

LogicalResult cellgrad::lower(SegmentCumSumOp op, PatternRewriter &rewriter) {
  Type type = op.getType().getElementType();
  RunningSum sum(type, op.getType().getDimSize(op.getDim()));
  SmallVector<TypedAttr> zeros = sum.zeros();
  ScanEmitter scan(rewriter, op, op->getOperands(), op.getDim(),
                   op.getReverse());
  auto step = [&](ImplicitLocOpBuilder &b, ValueRange carried,
                  ValueRange element) -> Step {
    auto unlessStart = [&](SmallVector<Value> values) {
      for (auto [value, zero] : llvm::zip_equal(values, zeros))
        value = arith::SelectOp::create(
            b, element[1], arith::ConstantOp::create(b, zero), value);
      return values;
    };
    SmallVector<Value> before(carried);
    if (!op.getReverse())
      before = unlessStart(before);
    SmallVector<Value> next = sum.add(b, b.getLoc(), before, element[0]);
    Value result = sum.round(b, b.getLoc(), next);
    if (op.getReverse())
      next = unlessStart(next);
    return {next, {result}};
  };
  rewriter.replaceOp(op, scan.emit(zeros, type, /*wantsPosition=*/false, step));
  return success();
}

static TypedAttr startOf(Builder &b, Type type, bool isMax) {
  if (auto floats = dyn_cast<FloatType>(type))
    return b.getFloatAttr(type,
                          APFloat::getInf(floats.getFloatSemantics(), isMax));
  unsigned width = type.getIntOrFloatBitWidth();
  return b.getIntegerAttr(type, isMax ? APInt::getSignedMinValue(width)
                                      : APInt::getSignedMaxValue(width));
}

/// Whether `best` stays the extremum when `x` comes; not when they are equal.
static Value stays(ImplicitLocOpBuilder &b, Value best, Value x, bool isMax) {
  if (isa<FloatType>(x.getType()))
    return arith::CmpFOp::create(
        b, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT, best,
        x);
  return arith::CmpIOp::create(
      b, isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt, best,
      x);
}

/// What is carried is the extremum of the elements since the last NaN, that
/// NaN, and the position where it is asked for. The chain from one element to
/// the next is then one instruction, which the extremum of a NaN would not be.
template <typename OpT>
static LogicalResult lowerExtremum(OpT op, PatternRewriter &rewriter) {
  constexpr bool isMax = std::is_same_v<OpT, CumMaxOp>;
  Type type = op.getX().getType().getElementType();
  Type wide = accumulatorType(type), integer = rewriter.getI32Type();
  bool isFloat = isa<FloatType>(type);
  bool wantsPosition = !op.getPositions().use_empty();
  SmallVector<TypedAttr> starts{startOf(rewriter, wide, isMax)};
  SmallVector<Type> elements{type};
  if (isFloat)
    starts.push_back(numberOf(rewriter, wide, 0));
  if (wantsPosition) {
    starts.push_back(numberOf(rewriter, integer, 0));
    elements.push_back(integer);
  }

  auto step = [&](ImplicitLocOpBuilder &b, ValueRange carried,
                  ValueRange element) -> Step {
    Value x = widened(b, element[0]);
    Value stay = stays(b, carried[0], x, isMax);
    Value best = arith::SelectOp::create(b, stay, carried[0], x);
    Step next{{best}, {best}};
    if (isFloat) {
      Value nan = arith::SelectOp::create(b, isNan(b, x), x, carried[1]);
      stay = arith::OrIOp::create(b, stay, isNan(b, carried[1]));
      next.carried.push_back(nan);
      next.results[0] = arith::SelectOp::create(b, isNan(b, nan), nan, best);
    }
    next.results[0] = narrowed(b, next.results[0], type);
    if (wantsPosition) {
      Value position =
          arith::SelectOp::create(b, stay, carried.back(), element[1]);
      next.carried.push_back(position);
      next.results.push_back(position);
    }
    return next;
  };
  ScanEmitter scan(rewriter, op, op.getX(), op.getDim(), /*reverse=*/false);
  SmallVector<Value> results = scan.emit(starts, elements, wantsPosition, step);
  if (!wantsPosition)
    results.push_back(
        emptyTensor(rewriter, op.getLoc(), op.getPositions().getType()));
  rewriter.replaceOp(op, results);
  return success();
}

LogicalResult cellgrad::lower(CumMaxOp op, PatternRewriter &rewriter) {
  return lowerExtremum(op, rewriter);
}
LogicalResult cellgrad::lower(CumMinOp op, PatternRewriter &rewriter) {
  return lowerExtremum(op, rewriter);
}
