//===- Random.cpp - random bits as integer arithmetic ---------------------===//

#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// Arithmetic on 32-bit words.
struct Words {
  ImplicitLocOpBuilder &b;

  Value constant(int64_t v) {
    return arith::ConstantOp::create(
        b, b.getIntegerAttr(b.getI32Type(), APInt(32, v, false, true)));
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }
  Value differ(Value x, Value y) { return arith::XOrIOp::create(b, x, y); }
  Value rotate(Value x, int64_t count) {
    Value left = arith::ShLIOp::create(b, x, constant(count));
    Value right = arith::ShRUIOp::create(b, x, constant(32 - count));
    return arith::OrIOp::create(b, left, right);
  }
};

/// The block cipher Threefry-2x32 with 20 rounds.
std::pair<Value, Value> threefry(Words w, Value key0, Value key1,
                                 Value counter0, Value counter1) {
  static constexpr int64_t rotations[2][4] = {{13, 15, 26, 6},
                                              {17, 29, 16, 24}};
  Value parity = w.differ(w.differ(key0, key1), w.constant(0x1BD11BDA));
  Value keys[3] = {key0, key1, parity};
  Value x0 = w.add(counter0, key0), x1 = w.add(counter1, key1);
  for (int64_t i = 0; i < 5; ++i) {
    for (int64_t count : rotations[i % 2]) {
      x0 = w.add(x0, x1);
      x1 = w.differ(w.rotate(x1, count), x0);
    }
    x0 = w.add(x0, keys[(i + 1) % 3]);
    x1 = w.add(x1, w.add(keys[(i + 2) % 3], w.constant(i + 1)));
  }
  return {x0, x1};
}

/// One element from the words of its key and its position in the stream, which
/// is counted from `key[2]` and `key[3]` where they are there.
Value randomElement(ImplicitLocOpBuilder &b, Type type, ValueRange key,
                    Value position, bool isLong) {
  Words w{b};
  Value low = arith::IndexCastOp::create(b, b.getI32Type(), position);
  Value high = w.constant(0);
  if (isLong) {
    Value half = arith::ConstantIndexOp::create(b, 32);
    Value shifted = arith::ShRUIOp::create(b, position, half);
    high = arith::IndexCastOp::create(b, b.getI32Type(), shifted);
  }
  if (key.size() == 4) {
    low = w.add(low, key[2]);
    Value carry =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, low, key[2]);
    high = w.add(w.add(high, key[3]),
                 arith::ExtUIOp::create(b, b.getI32Type(), carry));
  }
  auto [x0, x1] = threefry(w, key[0], key[1], high, low);
  if (type.isInteger(32))
    return w.differ(x0, x1);
  Value top = arith::ExtUIOp::create(b, type, x0);
  Value count =
      arith::ConstantOp::create(b, b.getIntegerAttr(type, int64_t(32)));
  top = arith::ShLIOp::create(b, top, count);
  return arith::OrIOp::create(b, top, arith::ExtUIOp::create(b, type, x1));
}

/// Groups the first `split` dimensions, and those up to `rank`; an empty group
/// is left out.
SmallVector<ReassociationIndices> groupsOf(int64_t split, int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (auto [from, to] : {std::pair(int64_t(0), split), {split, rank}})
    if (from < to)
      groups.emplace_back(llvm::to_vector(llvm::seq<int64_t>(from, to)));
  return groups;
}

} // namespace

LogicalResult cellgrad::lower(RandomBitsOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getType());
  auto keyType = cast<RankedTensorType>(op.getKey().getType());
  int64_t batchRank = keyType.getRank() - 1, rank = type.getRank();

  // One loop over the keys, if there are several, and one over a stream.
  SmallVector<ReassociationIndices> groups = groupsOf(batchRank, rank);
  SmallVector<int64_t> shape;
  for (const ReassociationIndices &group : groups) {
    shape.push_back(1);
    for (int64_t d : group)
      shape.back() *= type.getDimSize(d);
  }
  if (rank == 0)
    shape.push_back(1);
  auto flat = RankedTensorType::get(shape, type.getElementType());
  Value key = op.getKey();
  if (batchRank > 1)
    key = tensor::CollapseShapeOp::create(rewriter, loc, key,
                                          groupsOf(batchRank, batchRank + 1));

  int64_t loops = shape.size();
  bool isStream = rank > batchRank;
  SmallVector<AffineMap> maps;
  int64_t words = keyType.getShape().back();
  for (int64_t word = 0; word < words; ++word) {
    SmallVector<AffineExpr> exprs;
    if (batchRank > 0)
      exprs.push_back(rewriter.getAffineDimExpr(0));
    exprs.push_back(rewriter.getAffineConstantExpr(word));
    maps.push_back(AffineMap::get(loops, 0, exprs, rewriter.getContext()));
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(loops));
  SmallVector<utils::IteratorType> iterators(loops,
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, TypeRange(flat), SmallVector<Value>(words, key),
      ValueRange(emptyTensor(rewriter, loc, flat)), maps, iterators,
      [&](OpBuilder &builder, Location bodyLoc, ValueRange args) {
        ImplicitLocOpBuilder b(bodyLoc, builder);
        Value position = isStream ? Value(linalg::IndexOp::create(b, loops - 1))
                                  : Value(arith::ConstantIndexOp::create(b, 0));
        bool isLong = isStream && shape.back() > (int64_t(1) << 32);
        linalg::YieldOp::create(b, randomElement(b, type.getElementType(),
                                                 args.take_front(words),
                                                 position, isLong));
      });
  Value bits = generic.getResult(0);
  if (rank == 0)
    bits = tensor::CollapseShapeOp::create(rewriter, loc, type, bits, groups);
  else if (flat != type)
    bits = tensor::ExpandShapeOp::create(rewriter, loc, type, bits, groups);
  rewriter.replaceOp(op, bits);
  return success();
}
