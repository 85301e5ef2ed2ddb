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

/// That `op` is made for at least one rank, and has a group of so many.
static LogicalResult verifyRanks(Operation *op, int64_t ranks) {
  if (failed(verifyGroup(op)))
    return failure();
  if (ranks < 1)
    return op->emitOpError("is for ") << ranks << " ranks; expected at least 1";
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
  if (failed(verifyRanks(op, ranks)))
    return failure();
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
  if (failed(verifyCombine(*this, getCombine())))
    return failure();
  if (std::optional<uint64_t> ranks = getRanks())
    return verifyRanks(*this, static_cast<int64_t>(*ranks));
  return verifyGroup(*this);
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
  if (failed(verifyRanks(*this, ranks)))
    return failure();
  if (getType().getRank() != 0 && getType().getDimSize(0) % ranks == 0)
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

/// Over the ranks that take part in `op`.
static Value sumOverRanks(OpBuilder &builder, Location loc, Operation *op,
                          Value x, BoolAttr ordered = {}) {
  return AllReduceOp::create(builder, loc, x, builder.getStringAttr("sum"),
                             ordered ? ordered : builder.getBoolAttr(false),
                             op->getAttrOfType<DenseI64ArrayAttr>("group"),
                             IntegerAttr());
}

/// The product of what the other ranks have of `x`. Rank i gets the i-th part
/// of all, and multiplies those before and those behind each: nothing is
/// divided by, so zeros are like other numbers, in derivatives of this, too.
static Value productOfOthers(OpBuilder &builder, Location loc, Operation *op,
                             Value x, int64_t ranks) {
  auto type = cast<RankedTensorType>(x.getType());
  int64_t size = type.getNumElements(), part = llvm::divideCeil(size, ranks);
  int64_t more = part * ranks - size;
  auto group = op->getAttrOfType<DenseI64ArrayAttr>("group");
  auto shaped = [&](Value value, ArrayRef<int64_t> shape) -> Value {
    return ReshapeOp::create(builder, loc, type.clone(shape), value);
  };
  auto exchanged = [&](Value value) -> Value {
    return AllToAllOp::create(builder, loc, value,
                              builder.getI64IntegerAttr(ranks), group);
  };
  Value flat = shaped(x, size);
  if (more != 0)
    flat = PadOp::create(builder, loc, flat, ArrayRef<int64_t>(0), more,
                         ArrayRef<int64_t>(0));
  Value rows = shaped(exchanged(flat), {ranks, part});
  auto products = [&](bool reverse) -> Value {
    return CumProdOp::create(builder, loc, rows, /*dim=*/0, reverse,
                             /*exclusive=*/true);
  };
  Value before = products(false);
  rows = MulOp::create(builder, loc, before, products(true));
  flat = exchanged(shaped(rows, part * ranks));
  if (more != 0)
    flat = SliceOp::create(builder, loc, flat, ArrayRef<int64_t>(0), size,
                           ArrayRef<int64_t>(1));
  return shaped(flat, type.getShape());
}

/// What a tangent of `x` is multiplied by before it is summed over ranks, and a
/// cotangent after: of a product that of the others, of an extremum, which is
/// `whole`, 1 where x attains it. None of a sum.
static Value factorOf(OpBuilder &builder, Location loc, Operation *op,
                      StringRef combine, int64_t ranks, Value x,
                      function_ref<Value()> whole) {
  if (combine == "sum")
    return {};
  if (combine == "prod")
    return productOfOthers(builder, loc, op, x, ranks);
  Value equal = EqualOp::create(builder, loc, x, whole());
  return CastOp::create(builder, loc, x.getType(), equal);
}

/// The cotangent of what is combined, from that of the result, on all ranks.
static Value cotangentOf(OpBuilder &builder, Location loc, Operation *op,
                         StringRef combine, Value factor, Value total) {
  if (!factor)
    return total;
  if (combine != "prod")
    total =
        quotient(builder, loc, total, sumOverRanks(builder, loc, op, factor));
  return MulOp::create(builder, loc, total, factor);
}

/// The tangent of the result; `sum` sums over ranks as the op does.
static Value tangentOf(OpBuilder &builder, Location loc, StringRef combine,
                       Value factor, Value tangent,
                       function_ref<Value(Value)> sum) {
  if (!factor)
    return sum(tangent);
  Value total = sum(MulOp::create(builder, loc, tangent, factor));
  return combine == "prod" ? total : quotient(builder, loc, total, sum(factor));
}

/// The number of ranks that the derivative of `op` is made for; 0 where it
/// needs none.
static FailureOr<int64_t> ranksOfProduct(AllReduceOp op) {
  if (op.getCombine() != "prod")
    return 0;
  if (ArrayRef<int64_t> group = groupOf(op); !group.empty())
    return static_cast<int64_t>(group.size());
  if (std::optional<uint64_t> ranks = op.getRanks())
    return static_cast<int64_t>(*ranks);
  return refuse(op) << "by 'prod' has a derivative for a number of ranks that "
                       "is known; expected 'ranks' or 'group'";
}

LogicalResult AllReduceOp::buildVJP(OpBuilder &builder,
                                    ArrayRef<Value> cotangents,
                                    const llvm::SmallBitVector &wanted,
                                    MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0] || !wanted[0])
    return success();
  FailureOr<int64_t> ranks = ranksOfProduct(*this);
  if (failed(ranks))
    return failure();
  Location loc = ruleLocation(*this, "vjp");
  Value total =
      sumOverRanks(builder, loc, *this, cotangents[0], getOrderedAttr());
  Value factor = factorOf(builder, loc, *this, getCombine(), *ranks, getX(),
                          [&] { return getResult(); });
  operandCotangents[0] =
      cotangentOf(builder, loc, *this, getCombine(), factor, total);
  return success();
}

LogicalResult AllReduceOp::buildJVP(OpBuilder &builder,
                                    ArrayRef<Value> tangents,
                                    MutableArrayRef<Value> resultTangents) {
  if (!tangents[0])
    return success();
  FailureOr<int64_t> ranks = ranksOfProduct(*this);
  if (failed(ranks))
    return failure();
  Location loc = ruleLocation(*this, "jvp");
  Value factor = factorOf(builder, loc, *this, getCombine(), *ranks, getX(),
                          [&] { return getResult(); });
  resultTangents[0] =
      tangentOf(builder, loc, getCombine(), factor, tangents[0], [&](Value x) {
        return sumOverRanks(builder, loc, *this, x, getOrderedAttr());
      });
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

/// As all_reduce, of which each rank has a part.
static Value factorOf(OpBuilder &builder, Location loc, ReduceScatterOp op) {
  auto whole = [&]() -> Value {
    return AllGatherOp::create(builder, loc, op.getX().getType(),
                               op.getResult(), op.getRanksAttr(),
                               op.getGroupAttr());
  };
  return factorOf(builder, loc, op, op.getCombine(),
                  static_cast<int64_t>(op.getRanks()), op.getX(), whole);
}

LogicalResult
ReduceScatterOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                          const llvm::SmallBitVector &wanted,
                          MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0] || !wanted[0])
    return success();
  Location loc = ruleLocation(*this, "vjp");
  Value total =
      AllGatherOp::create(builder, loc, getX().getType(), cotangents[0],
                          getRanksAttr(), getGroupAttr());
  operandCotangents[0] = cotangentOf(builder, loc, *this, getCombine(),
                                     factorOf(builder, loc, *this), total);
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
  if (!tangents[0])
    return success();
  Location loc = ruleLocation(*this, "jvp");
  auto sum = [&](Value x) -> Value {
    return ReduceScatterOp::create(builder, loc, getType(), x,
                                   builder.getStringAttr("sum"), getRanksAttr(),
                                   getGroupAttr());
  };
  resultTangents[0] =
      tangentOf(builder, loc, getCombine(), factorOf(builder, loc, *this),
                tangents[0], sum);
  return success();
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
