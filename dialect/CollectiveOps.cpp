//===- CollectiveOps.cpp - verifiers and rules of collectives -------------===//
//
// The objective that is differentiated is the sum of what all ranks give: the
// cotangent of what a rank sends is the sum of those of all who receive it.
//
//===----------------------------------------------------------------------===//

#include "dialect/CollectiveOps.h"

#include "dialect/Addressable.h"
#include "dialect/Refusal.h"
#include "dialect/Rules.h"

#include "mlir/IR/OpImplementation.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#define GET_OP_CLASSES
#include "dialect/CollectiveOps.cpp.inc"

using namespace mlir;

namespace cellgrad {

bool communicates(Operation *op) {
  return op->hasTrait<Collective>() && !isa<RankIdOp, GroupSizeOp>(op);
}

bool isMessage(Operation *op) { return isa<SendOp, ReceiveOp>(op); }

bool isOfHost(Operation *op) {
  // CG_HOST is the largest int32_t.
  return isMessage(op) &&
         op->getAttrOfType<IntegerAttr>("peer").getInt() == INT32_MAX;
}

bool needsAllRanks(Operation *op) { return communicates(op) && !isMessage(op); }

ArrayRef<int64_t> groupOf(Operation *op) {
  auto group = op->getAttrOfType<DenseI64ArrayAttr>("group");
  return group ? group.asArrayRef() : ArrayRef<int64_t>();
}

ArrayRef<StringLiteral> combineNames() {
  static constexpr StringLiteral names[] = {"sum", "prod", "min", "max"};
  return names;
}

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

static LogicalResult verifyCombine(Operation *op, StringRef combine) {
  if (llvm::is_contained(combineNames(), combine))
    return success();
  return op->emitOpError("combines by '")
         << combine << "'; expected sum, prod, min or max";
}

static LogicalResult verifyNumber(Operation *op, int64_t rank, StringRef role) {
  if (rank >= 0 && rank <= INT32_MAX)
    return success();
  return op->emitOpError("has rank ") << rank << " as " << role;
}

/// That the group of `op` is one: different ranks, at least one.
static LogicalResult verifyGroup(Operation *op) {
  auto group = op->getAttrOfType<DenseI64ArrayAttr>("group");
  if (!group)
    return success();
  if (group.empty())
    return op->emitOpError("is for a group without ranks; leave 'group' out "
                           "for all ranks");
  llvm::SmallDenseSet<int64_t> seen;
  for (int64_t rank : group.asArrayRef()) {
    if (failed(verifyNumber(op, rank, "one of its group")))
      return failure();
    if (!seen.insert(rank).second)
      return op->emitOpError("has rank ") << rank << " twice in its group";
  }
  return success();
}

/// That an op that is made for so many ranks has a group of so many.
static LogicalResult verifyCount(Operation *op, int64_t ranks) {
  if (failed(verifyGroup(op)))
    return failure();
  if (ArrayRef<int64_t> group = groupOf(op);
      !group.empty() && static_cast<int64_t>(group.size()) != ranks)
    return op->emitOpError("is for ")
           << ranks << " ranks, and its group has " << group.size();
  return success();
}

/// That dimension 0 of `whole` is `ranks` times that of `part`, and the others
/// are equal.
static LogicalResult verifyParts(Operation *op, RankedTensorType whole,
                                 RankedTensorType part, int64_t ranks) {
  if (failed(verifyCount(op, ranks)))
    return failure();
  if (ranks < 1)
    return op->emitOpError("is for ") << ranks << " ranks; expected at least 1";
  if (whole.getRank() != 0 && part.getRank() == whole.getRank() &&
      part.getElementType() == whole.getElementType() &&
      part.getShape().drop_front() == whole.getShape().drop_front() &&
      !llvm::MulOverflow(part.getDimSize(0), ranks, ranks) &&
      ranks == whole.getDimSize(0))
    return success();
  return op->emitOpError("has ")
         << whole << " as a whole and " << part
         << " as the part of one rank; expected equal types but for dimension "
            "0, which is that of a part times the number of ranks";
}

LogicalResult AllReduceOp::verify() {
  if (failed(verifyGroup(*this)))
    return failure();
  return verifyCombine(*this, getCombine());
}

LogicalResult AllGatherOp::verify() {
  return verifyParts(*this, getType(), getX().getType(), getRanks());
}

LogicalResult ReduceScatterOp::verify() {
  if (failed(verifyCombine(*this, getCombine())))
    return failure();
  return verifyParts(*this, getX().getType(), getType(), getRanks());
}

LogicalResult AllToAllOp::verify() {
  int64_t ranks = getRanks();
  if (failed(verifyCount(*this, ranks)))
    return failure();
  if (ranks >= 1 && getType().getRank() != 0 &&
      getType().getDimSize(0) % ranks == 0)
    return success();
  return emitOpError("sends ")
         << getType() << " to " << ranks
         << " ranks; expected a dimension 0 that is a multiple of their number";
}

LogicalResult BroadcastFromOp::verify() {
  auto root = static_cast<int64_t>(getRoot());
  if (failed(verifyNumber(*this, root, "root")) || failed(verifyGroup(*this)))
    return failure();
  ArrayRef<int64_t> group = groupOf(*this);
  if (group.empty() || llvm::is_contained(group, root))
    return success();
  return emitOpError("has rank ") << root
                                  << " as root, which is not in its "
                                     "group";
}

LogicalResult MeetOp::verify() { return verifyGroup(*this); }

static LogicalResult verifyMessage(Operation *op, int64_t peer, int64_t tag) {
  if (failed(verifyNumber(op, peer, "the other one")))
    return failure();
  if (tag >= 0)
    return success();
  return op->emitOpError("has tag ") << tag << "; expected at least 0";
}

LogicalResult SendOp::verify() {
  return verifyMessage(*this, getPeer(), getTag());
}

LogicalResult ReceiveOp::verify() {
  return verifyMessage(*this, getPeer(), getTag());
}

static LogicalResult verifyWho(Operation *op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (type.getRank() == 0)
    return success();
  return op->emitOpError("gives ") << type << "; expected tensor<i64>";
}

LogicalResult RankIdOp::verify() { return verifyWho(*this); }
LogicalResult GroupSizeOp::verify() { return verifyWho(*this); }

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//

static LogicalResult refuseCombine(Operation *op, StringRef combine) {
  return refuse(op) << "by '" << combine
                    << "' has no derivative: all_reduce has one by sum, min "
                       "and max, reduce_scatter by sum; gather what the ranks "
                       "have and combine it by other ops";
}

/// Over the ranks that take part in `op`.
static Value sumOverRanks(OpBuilder &builder, Location loc, Operation *op,
                          Value x, BoolAttr ordered = {}) {
  return AllReduceOp::create(builder, loc, x, builder.getStringAttr("sum"),
                             ordered ? ordered : builder.getBoolAttr(false),
                             op->getAttrOfType<DenseI64ArrayAttr>("group"));
}

/// 1 where the element of `op` is that of the result, on this rank.
static Value attained(OpBuilder &builder, Location loc, AllReduceOp op) {
  Value equal = EqualOp::create(builder, loc, op.getX(), op.getResult());
  return CastOp::create(builder, loc, op.getType(), equal);
}

LogicalResult AllReduceOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents,
                                    const llvm::SmallBitVector &wanted,
                                    MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0] || !wanted[0])
    return success();
  if (getCombine() == "prod")
    return refuseCombine(*this, getCombine());
  Location loc = ruleLocation(*this, "vjp");
  Value total =
      sumOverRanks(builder, loc, *this, cotangents[0], getOrderedAttr());
  if (getCombine() != "sum") {
    Value mask = attained(builder, loc, *this);
    Value count = sumOverRanks(builder, loc, *this, mask);
    total =
        MulOp::create(builder, loc, quotient(builder, loc, total, count), mask);
  }
  operandCotangents[0] = total;
  return success();
}

LogicalResult AllReduceOp::buildJVP(OpBuilder &builder,
                                    ArrayRef<Value> tangents,
                                    MutableArrayRef<Value> resultTangents) {
  if (!tangents[0])
    return success();
  if (getCombine() == "prod")
    return refuseCombine(*this, getCombine());
  Location loc = ruleLocation(*this, "jvp");
  Value tangent = tangents[0], mask;
  if (getCombine() != "sum") {
    mask = attained(builder, loc, *this);
    tangent = MulOp::create(builder, loc, tangent, mask);
  }
  Value total = sumOverRanks(builder, loc, *this, tangent, getOrderedAttr());
  if (mask)
    total =
        quotient(builder, loc, total, sumOverRanks(builder, loc, *this, mask));
  resultTangents[0] = total;
  return success();
}

LogicalResult AllGatherOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents,
                                    const llvm::SmallBitVector &wanted,
                                    MutableArrayRef<Value> operandCotangents) {
  if (cotangents[0] && wanted[0])
    operandCotangents[0] = ReduceScatterOp::create(
        builder, ruleLocation(*this, "vjp"), getX().getType(), cotangents[0],
        builder.getStringAttr("sum"), getRanksAttr(), getGroupAttr());
  return success();
}

LogicalResult
ReduceScatterOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                          const llvm::SmallBitVector &wanted,
                          MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0] || !wanted[0])
    return success();
  if (getCombine() != "sum")
    return refuseCombine(*this, getCombine());
  operandCotangents[0] =
      AllGatherOp::create(builder, ruleLocation(*this, "vjp"), getX().getType(),
                          cotangents[0], getRanksAttr(), getGroupAttr());
  return success();
}

LogicalResult AllToAllOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents,
                                   const llvm::SmallBitVector &wanted,
                                   MutableArrayRef<Value> operandCotangents) {
  if (cotangents[0] && wanted[0])
    operandCotangents[0] =
        AllToAllOp::create(builder, ruleLocation(*this, "vjp"), getType(),
                           cotangents[0], getRanksAttr(), getGroupAttr());
  return success();
}

/// The root gets what all have, the others nothing.
LogicalResult
BroadcastFromOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                          const llvm::SmallBitVector &wanted,
                          MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0] || !wanted[0])
    return success();
  Location loc = ruleLocation(*this, "vjp");
  Value total = sumOverRanks(builder, loc, *this, cotangents[0]);
  auto number = RankedTensorType::get({}, builder.getI64Type());
  Value isRoot = EqualOp::create(
      builder, loc, RankIdOp::create(builder, loc, number),
      splat(builder, loc, number, static_cast<double>(getRoot())));
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, getType().getRank()));
  isRoot =
      BroadcastOp::create(builder, loc, predicateType(getType()), isRoot, dims);
  operandCotangents[0] = SelectOp::create(builder, loc, isRoot, total,
                                          splat(builder, loc, getType(), 0));
  return success();
}

/// What messages of a derivative are told by: by no tag of a program, and not
/// by that of another derivative of the same message.
enum Derived { Cotangent = 1, Tangent = 2 };
static int64_t tagOf(int64_t tag, Derived how) {
  int64_t path = (tag >> 32) * 4 + how;
  return path << 32 | (tag & 0xffffffff);
}

template <typename ThereT, typename OpT>
static LogicalResult passOn(OpT op, OpBuilder &builder, Value given,
                            Derived how, Value &result) {
  if (!given)
    return success();
  if (op.getTag() >> 60)
    return refuse(op) << "has no derivative of this order";
  result = ThereT::create(
      builder, ruleLocation(op, how == Cotangent ? "vjp" : "jvp"), given,
      op.getPeerAttr(),
      builder.getI64IntegerAttr(tagOf(static_cast<int64_t>(op.getTag()), how)));
  return success();
}

/// `x`, which depends on the message of `send` from here on: what is sent has a
/// part in the derivative, whose own derivative needs it.
static Value tied(OpBuilder &builder, SendOp send, Value x) {
  return AddOp::create(builder, x.getLoc(), x, send.getResult());
}

LogicalResult SendOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                               const llvm::SmallBitVector &wanted,
                               MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0] || !wanted[0])
    return success();
  return passOn<ReceiveOp>(*this, builder, tied(builder, *this, cotangents[0]),
                           Cotangent, operandCotangents[0]);
}

LogicalResult ReceiveOp::buildVJP(OpBuilder &builder,
                                  ArrayRef<Value> cotangents,
                                  const llvm::SmallBitVector &wanted,
                                  MutableArrayRef<Value> operandCotangents) {
  return passOn<SendOp>(*this, builder, wanted[0] ? cotangents[0] : Value(),
                        Cotangent, operandCotangents[0]);
}

LogicalResult SendOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                               MutableArrayRef<Value> resultTangents) {
  if (failed(passOn<SendOp>(*this, builder, tangents[0], Tangent,
                            resultTangents[0])))
    return failure();
  if (resultTangents[0])
    resultTangents[0] = tied(builder, *this, resultTangents[0]);
  return success();
}

LogicalResult ReceiveOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                  MutableArrayRef<Value> resultTangents) {
  return passOn<ReceiveOp>(*this, builder, tangents[0], Tangent,
                           resultTangents[0]);
}

template <typename OpT>
static LogicalResult itself(OpT op, OpBuilder &builder,
                            ArrayRef<Value> tangents,
                            MutableArrayRef<Value> resultTangents) {
  if (tangents[0])
    resultTangents[0] =
        linearJVP(builder, ruleLocation(op, "jvp"), op, tangents);
  return success();
}

LogicalResult AllGatherOp::buildJVP(OpBuilder &builder,
                                    ArrayRef<Value> tangents,
                                    MutableArrayRef<Value> resultTangents) {
  return itself(*this, builder, tangents, resultTangents);
}

LogicalResult ReduceScatterOp::buildJVP(OpBuilder &builder,
                                        ArrayRef<Value> tangents,
                                        MutableArrayRef<Value> resultTangents) {
  if (tangents[0] && getCombine() != "sum")
    return refuseCombine(*this, getCombine());
  return itself(*this, builder, tangents, resultTangents);
}

LogicalResult AllToAllOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                   MutableArrayRef<Value> resultTangents) {
  return itself(*this, builder, tangents, resultTangents);
}

LogicalResult BroadcastFromOp::buildJVP(OpBuilder &builder,
                                        ArrayRef<Value> tangents,
                                        MutableArrayRef<Value> resultTangents) {
  return itself(*this, builder, tangents, resultTangents);
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// Exchanges the first two dimensions.
static Value swapFirst(OpBuilder &builder, Location loc, Value x) {
  auto perm = llvm::to_vector(
      llvm::seq<int64_t>(0, cast<RankedTensorType>(x.getType()).getRank()));
  std::swap(perm[0], perm[1]);
  return TransposeOp::create(builder, loc, x, perm);
}

/// Parts are along the first dimension: the batch goes behind it and back.
template <typename OpT>
static LogicalResult batchBehindParts(OpT op, OpBuilder &builder,
                                      ArrayRef<Value> operands, int64_t size,
                                      SmallVectorImpl<Value> &results) {
  Location loc = op.getLoc();
  SmallVector<int64_t> shape(op.getType().getShape());
  shape.insert(shape.begin() + 1, size);
  Operation *copy = builder.clone(*op);
  OpBuilder before(copy);
  copy->setOperand(0, swapFirst(before, loc, operands[0]));
  copy->getResult(0).setType(
      RankedTensorType::get(shape, op.getType().getElementType()));
  results.push_back(swapFirst(builder, loc, copy->getResult(0)));
  return success();
}

LogicalResult AllGatherOp::buildBatched(OpBuilder &builder,
                                        ArrayRef<Value> operands,
                                        const llvm::SmallBitVector &,
                                        int64_t size,
                                        SmallVectorImpl<Value> &results) {
  return batchBehindParts(*this, builder, operands, size, results);
}

LogicalResult ReduceScatterOp::buildBatched(OpBuilder &builder,
                                            ArrayRef<Value> operands,
                                            const llvm::SmallBitVector &,
                                            int64_t size,
                                            SmallVectorImpl<Value> &results) {
  return batchBehindParts(*this, builder, operands, size, results);
}

LogicalResult AllToAllOp::buildBatched(OpBuilder &builder,
                                       ArrayRef<Value> operands,
                                       const llvm::SmallBitVector &,
                                       int64_t size,
                                       SmallVectorImpl<Value> &results) {
  return batchBehindParts(*this, builder, operands, size, results);
}

LogicalResult MeetOp::buildBatched(OpBuilder &, ArrayRef<Value>,
                                   const llvm::SmallBitVector &, int64_t,
                                   SmallVectorImpl<Value> &) {
  llvm_unreachable("an op without operands is no part of a batch");
}

} // namespace cellgrad
