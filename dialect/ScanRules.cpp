//===- ScanRules.cpp - derivatives and batches of scans -------------------===//

#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

//===----------------------------------------------------------------------===//
// Running extrema
//===----------------------------------------------------------------------===//
//
// Elements that are an extremum when they come start segments: the tangent of a
// segment is that of its start, the cotangent of the start the sum over the
// segment.

/// True where an element of the operand is what the result holds.
template <typename OpT>
static Value attains(OpBuilder &builder, Location loc, OpT op) {
  Value self =
      IotaOp::create(builder, loc, op.getPositions().getType(), op.getDim());
  return EqualOp::create(builder, loc, op.getPositions(), self);
}

template <typename OpT>
static Value keepStarts(OpBuilder &builder, Location loc, OpT op, Value starts,
                        Value x) {
  return SelectOp::create(builder, loc, starts, x,
                          splat(builder, loc, op.getX().getType(), 0));
}

template <typename OpT>
static LogicalResult extremumVJP(OpBuilder &builder, OpT op, Value ct,
                                 MutableArrayRef<Value> operandCotangents) {
  if (!ct)
    return success();
  Location loc = ruleLocation(op, "vjp");
  Value starts = attains(builder, loc, op);
  Value sums = SegmentCumSumOp::create(builder, loc, ct, starts, op.getDim(),
                                       /*reverse=*/true);
  operandCotangents[0] = keepStarts(builder, loc, op, starts, sums);
  return success();
}

template <typename OpT>
static LogicalResult extremumJVP(OpBuilder &builder, OpT op, Value tangent,
                                 MutableArrayRef<Value> resultTangents) {
  if (!tangent)
    return success();
  Location loc = ruleLocation(op, "jvp");
  Value starts = attains(builder, loc, op);
  Value first = keepStarts(builder, loc, op, starts, tangent);
  resultTangents[0] = SegmentCumSumOp::create(builder, loc, first, starts,
                                              op.getDim(), /*reverse=*/false);
  return success();
}

LogicalResult CumMaxOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                                 const llvm::SmallBitVector &,
                                 MutableArrayRef<Value> operandCotangents) {
  return extremumVJP(builder, *this, cotangents[0], operandCotangents);
}
LogicalResult CumMaxOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                 MutableArrayRef<Value> resultTangents) {
  return extremumJVP(builder, *this, tangents[0], resultTangents);
}
LogicalResult CumMinOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                                 const llvm::SmallBitVector &,
                                 MutableArrayRef<Value> operandCotangents) {
  return extremumVJP(builder, *this, cotangents[0], operandCotangents);
}
LogicalResult CumMinOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                 MutableArrayRef<Value> resultTangents) {
  return extremumJVP(builder, *this, tangents[0], resultTangents);
}

} // namespace cellgrad
