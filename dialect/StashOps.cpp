//===- StashOps.cpp - derivatives and batches of stashes ------------------===//
//
// Changes are linear and touch one position, so that none of these rules needs
// a value from the forward pass: a stash is never stashed itself.
//
//===----------------------------------------------------------------------===//

#include "dialect/Refusal.h"
#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

static Value readAt(OpBuilder &builder, Location loc, Value stash,
                    Value position) {
  Type element = cast<StashType>(stash.getType()).getElement();
  return StashReadOp::create(builder, loc, element, stash, position);
}

template <typename OpT>
static Value change(OpBuilder &builder, Location loc, Value x, Value stash,
                    Value position) {
  return OpT::create(builder, loc, stash.getType(), x, stash, position);
}

static Value zeroOf(OpBuilder &builder, Location loc, Type type) {
  return valueOrZero(builder, loc, Value(), type);
}

LogicalResult StashReadOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents,
                                    const llvm::SmallBitVector &wanted,
                                    MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0] || !wanted[0])
    return success();
  Location loc = ruleLocation(*this, "vjp");
  operandCotangents[0] = change<StashAddOp>(
      builder, loc, cotangents[0], zeroOf(builder, loc, getStash().getType()),
      getPosition());
  return success();
}

LogicalResult StashReadOp::buildJVP(OpBuilder &builder,
                                    ArrayRef<Value> tangents,
                                    MutableArrayRef<Value> resultTangents) {
  if (tangents[0])
    resultTangents[0] =
        readAt(builder, ruleLocation(*this, "jvp"), tangents[0], getPosition());
  return success();
}

LogicalResult StashWriteOp::buildVJP(OpBuilder &builder,
                                     ArrayRef<Value> cotangents,
                                     const llvm::SmallBitVector &wanted,
                                     MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0])
    return success();
  Location loc = ruleLocation(*this, "vjp");
  if (wanted[0])
    operandCotangents[0] = readAt(builder, loc, cotangents[0], getPosition());
  // What was there before has no influence.
  if (wanted[1])
    operandCotangents[1] = change<StashWriteOp>(
        builder, loc, zeroOf(builder, loc, getX().getType()), cotangents[0],
        getPosition());
  return success();
}

LogicalResult StashAddOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents,
                                   const llvm::SmallBitVector &wanted,
                                   MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0])
    return success();
  if (wanted[0])
    operandCotangents[0] = readAt(builder, ruleLocation(*this, "vjp"),
                                  cotangents[0], getPosition());
  if (wanted[1])
    operandCotangents[1] = cotangents[0];
  return success();
}

/// Both changes are linear in the stash and x together.
template <typename OpT>
static void changeJVP(OpBuilder &builder, OpT op, ArrayRef<Value> tangents,
                      MutableArrayRef<Value> resultTangents) {
  if (!tangents[0] && !tangents[1])
    return;
  Location loc = ruleLocation(op, "jvp");
  Value x = valueOrZero(builder, loc, tangents[0], op.getX().getType());
  Value stash = valueOrZero(builder, loc, tangents[1], op.getStash().getType());
  resultTangents[0] = change<OpT>(builder, loc, x, stash, op.getPosition());
}

LogicalResult StashWriteOp::buildJVP(OpBuilder &builder,
                                     ArrayRef<Value> tangents,
                                     MutableArrayRef<Value> resultTangents) {
  changeJVP(builder, *this, tangents, resultTangents);
  return success();
}

LogicalResult StashAddOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                   MutableArrayRef<Value> resultTangents) {
  changeJVP(builder, *this, tangents, resultTangents);
  return success();
}

//===----------------------------------------------------------------------===//
// Batches: a stash of batches, at the same positions for all elements
//===----------------------------------------------------------------------===//

LogicalResult StashEmptyOp::buildBatched(OpBuilder &builder,
                                         ArrayRef<Value> operands,
                                         const llvm::SmallBitVector &batched,
                                         int64_t size,
                                         SmallVectorImpl<Value> &results) {
  results.push_back(StashEmptyOp::create(builder, getLoc(),
                                         batchOf(getResult().getType(), size)));
  return success();
}

LogicalResult StashReadOp::buildBatched(OpBuilder &builder,
                                        ArrayRef<Value> operands,
                                        const llvm::SmallBitVector &batched,
                                        int64_t size,
                                        SmallVectorImpl<Value> &results) {
  results.push_back(readAt(builder, getLoc(), operands[0], operands[1]));
  return success();
}

template <typename OpT>
static LogicalResult
batchChange(OpBuilder &builder, OpT op, ArrayRef<Value> operands,
            const llvm::SmallBitVector &batched, int64_t size,
            SmallVectorImpl<Value> &results) {
  if (!batched[1])
    return refuse(op) << "writes one element of a batch into a stash that the "
                         "whole batch shares";
  Value x = asBatch(builder, op.getLoc(), operands[0], batched[0], size);
  results.push_back(
      change<OpT>(builder, op.getLoc(), x, operands[1], operands[2]));
  return success();
}

LogicalResult StashWriteOp::buildBatched(OpBuilder &builder,
                                         ArrayRef<Value> operands,
                                         const llvm::SmallBitVector &batched,
                                         int64_t size,
                                         SmallVectorImpl<Value> &results) {
  return batchChange(builder, *this, operands, batched, size, results);
}

LogicalResult StashAddOp::buildBatched(OpBuilder &builder,
                                       ArrayRef<Value> operands,
                                       const llvm::SmallBitVector &batched,
                                       int64_t size,
                                       SmallVectorImpl<Value> &results) {
  return batchChange(builder, *this, operands, batched, size, results);
}

} // namespace cellgrad
