//===- Rules.cpp - buildVJP and buildJVP of every op ----------------------===//

#include "dialect/Rules.h"

#include "dialect/CollectiveOps.h"

#include "dialect/Refusal.h"
#include "dialect/Zero.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace cellgrad {

Location ruleLocation(Operation *op, StringRef rule) {
  std::string text = (rule + " of " + op->getName().getStringRef()).str();
  return FusedLoc::get(op->getContext(), {op->getLoc()},
                       StringAttr::get(op->getContext(), text));
}

Value splat(OpBuilder &builder, Location loc, Type type, double value) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  Attribute attr = isa<FloatType>(element)
                       ? Attribute(builder.getFloatAttr(element, value))
                       : Attribute(builder.getIntegerAttr(
                             element, static_cast<int64_t>(value)));
  return ConstantOp::create(builder, loc, DenseElementsAttr::get(tensor, attr));
}

bool carriesDerivative(Type type) {
  if (auto stash = dyn_cast<StashType>(type))
    type = stash.getElement();
  return isa<RankedTensorType>(type) &&
         !getElementTypeOrSelf(type).isInteger(1);
}

bool isInteger(Type type) {
  if (auto stash = dyn_cast<StashType>(type))
    type = stash.getElement();
  return isa<IntegerType>(getElementTypeOrSelf(type));
}

Value half(OpBuilder &builder, Location loc, Value x) {
  if (isInteger(x.getType()))
    return quotient(builder, loc, x, splat(builder, loc, x.getType(), 2));
  return MulOp::create(builder, loc, x, splat(builder, loc, x.getType(), 0.5));
}

Value quotient(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!isInteger(a.getType()))
    return DivOp::create(builder, loc, a, b);
  // Towards zero: the quotient of the magnitudes, with the sign of both.
  Value sign = MulOp::create(builder, loc, SignOp::create(builder, loc, a),
                             SignOp::create(builder, loc, b));
  Value magnitude =
      FloorDivOp::create(builder, loc, AbsOp::create(builder, loc, a),
                         AbsOp::create(builder, loc, b));
  return MulOp::create(builder, loc, sign, magnitude);
}

Value valueOrZero(OpBuilder &builder, Location loc, Value value, Type type) {
  if (value)
    return value;
  if (isa<StashType>(type))
    return StashEmptyOp::create(builder, loc, type);
  return splat(builder, loc, type, 0);
}

/// The operand through which the stash that `term` adds to comes in: an empty
/// stash, changed by additions only, possibly in loops that carry it.
static OpOperand *zeroBase(Value term) {
  auto result = cast<OpResult>(term);
  OpOperand *in = nullptr;
  if (auto add = dyn_cast<StashAddOp>(result.getOwner()))
    in = &add.getStashMutable();
  else if (auto loop = dyn_cast<LoopLikeOpInterface>(result.getOwner()))
    in = &loop.getInitsMutable()[result.getResultNumber()];
  else
    llvm::report_fatal_error(
        "the cotangent of a stash does not come from additions");
  return in->get().getDefiningOp<StashEmptyOp>() ? in : zeroBase(in->get());
}

Value accumulate(OpBuilder &builder, Location loc, Value sum, Value term) {
  if (!sum)
    return term;
  // Slices that were read one by one, as in a loop, are added one by one: no
  // tensor of the whole shape is made for each.
  if (auto scatter = term.getDefiningOp<ScatterOp>();
      scatter && scatter.adds() && isConstantZero(scatter.getX()))
    return ScatterOp::create(builder, loc, sum, scatter.getIndices(),
                             scatter.getUpdates(), scatter.getDim(),
                             scatter.getBatchDims(), scatter.getCombine());
  if (!isa<StashType>(term.getType()))
    return AddOp::create(builder, loc, sum, term);
  zeroBase(term)->set(sum);
  return term;
}

bool allZero(ArrayRef<Value> values) {
  return llvm::none_of(values, [](Value v) { return static_cast<bool>(v); });
}

static Value rebuild(OpBuilder &builder, Location loc, Operation *op,
                     ValueRange operands) {
  IRMapping map;
  Operation *clone = builder.clone(*op, map);
  clone->setOperands(operands);
  clone->setLoc(loc);
  return clone->getResult(0);
}

Value linearJVP(OpBuilder &builder, Location loc, Operation *op,
                ArrayRef<Value> tangents) {
  SmallVector<Value> operands;
  for (auto [tangent, operand] : llvm::zip_equal(tangents, op->getOperands()))
    operands.push_back(valueOrZero(builder, loc, tangent, operand.getType()));
  return rebuild(builder, loc, op, operands);
}

Value multilinearJVP(OpBuilder &builder, Location loc, Operation *op,
                     ArrayRef<Value> tangents) {
  Value sum;
  for (auto [i, tangent] : llvm::enumerate(tangents)) {
    if (!tangent)
      continue;
    SmallVector<Value> operands(op->getOperands());
    operands[i] = tangent;
    sum = accumulate(builder, loc, sum, rebuild(builder, loc, op, operands));
  }
  return sum;
}

SmallVector<int64_t> highPaddingOfSlice(SliceOp op) {
  // Elements of x after the last one taken.
  SmallVector<int64_t> high;
  ArrayRef<int64_t> shape = op.getX().getType().getShape();
  ArrayRef<int64_t> taken = op.getType().getShape();
  for (auto [i, size] : llvm::enumerate(shape)) {
    int64_t start = op.getStarts()[i], stride = op.getStrides()[i];
    int64_t span = taken[i] == 0 ? 0 : (taken[i] - 1) * stride + 1;
    high.push_back(size - start - span);
  }
  return high;
}

SmallVector<int64_t> interiorOfStrides(ArrayRef<int64_t> strides) {
  return llvm::map_to_vector(strides, [](int64_t s) { return s - 1; });
}

SmallVector<int64_t> limitsOfPad(PadOp op) {
  SmallVector<int64_t> limits;
  for (auto [size, high] :
       llvm::zip_equal(op.getType().getShape(), op.getHigh()))
    limits.push_back(size - high);
  return limits;
}

SmallVector<int64_t> stridesOfInterior(ArrayRef<int64_t> interior) {
  return llvm::map_to_vector(interior, [](int64_t s) { return s + 1; });
}

SmallVector<int64_t> inversePermutation(ArrayRef<int64_t> perm) {
  SmallVector<int64_t> inverse(perm.size());
  for (auto [i, p] : llvm::enumerate(perm))
    inverse[p] = i;
  return inverse;
}

#include "dialect/Derivatives.inc"

//===----------------------------------------------------------------------===//
// Rules that an expression cannot say
//===----------------------------------------------------------------------===//

/// Slice of `whole` that operand `index` of `op` became.
static Value sliceOfOperand(OpBuilder &builder, Location loc, ConcatOp op,
                            Value whole, unsigned index) {
  int64_t dim = op.getDim(), start = 0;
  for (unsigned i = 0; i < index; ++i)
    start += cast<RankedTensorType>(op.getXs()[i].getType()).getDimSize(dim);
  auto part = cast<RankedTensorType>(op.getXs()[index].getType());
  SmallVector<int64_t> starts(part.getRank(), 0), limits(part.getShape()),
      strides(part.getRank(), 1);
  starts[dim] = start;
  limits[dim] += start;
  return SliceOp::create(builder, loc, whole, starts, limits, strides);
}

LogicalResult ConcatOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                                 const llvm::SmallBitVector &wanted,
                                 MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0])
    return success();
  Location loc = ruleLocation(*this, "vjp");
  for (unsigned i : wanted.set_bits())
    operandCotangents[i] =
        sliceOfOperand(builder, loc, *this, cotangents[0], i);
  return success();
}

LogicalResult ConcatOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                 MutableArrayRef<Value> resultTangents) {
  if (!allZero(tangents))
    resultTangents[0] =
        linearJVP(builder, ruleLocation(*this, "jvp"), *this, tangents);
  return success();
}

static constexpr llvm::StringLiteral straightName = "cell.straight";

bool isStraight(Operation *op) {
  auto straight = op->getAttrOfType<BoolAttr>(straightName);
  return straight && straight.getValue();
}

/// Whether the derivative passes a cast: from numbers to floating point,
/// between integers, and where it is told to. Other casts to integers round,
/// and those to bool compare, which is piecewise constant.
static bool passesDerivative(CastOp op) {
  return carriesDerivative(op.getX().getType()) &&
         carriesDerivative(op.getType()) &&
         (isInteger(op.getX().getType()) || !isInteger(op.getType()) ||
          isStraight(op));
}

/// A tangent or cotangent as one of `type`, which the next derivative passes.
static Value castDerivative(OpBuilder &builder, Location loc, Type type,
                            Value x) {
  auto cast = CastOp::create(builder, loc, type, x);
  if (isInteger(type) && !isInteger(x.getType()))
    cast->setAttr(straightName, builder.getBoolAttr(true));
  return cast;
}

LogicalResult CastOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                               const llvm::SmallBitVector &wanted,
                               MutableArrayRef<Value> operandCotangents) {
  if (cotangents[0] && wanted[0] && passesDerivative(*this))
    operandCotangents[0] = castDerivative(builder, ruleLocation(*this, "vjp"),
                                          getX().getType(), cotangents[0]);
  return success();
}

LogicalResult CastOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                               MutableArrayRef<Value> resultTangents) {
  if (tangents[0] && passesDerivative(*this))
    resultTangents[0] = castDerivative(builder, ruleLocation(*this, "jvp"),
                                       getType(), tangents[0]);
  return success();
}

} // namespace cellgrad
