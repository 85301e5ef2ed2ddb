//===- Sort.cpp - sorting as loops ----------------------------------------===//

#include "passes/lower/sequential/Sort.h"

#include "passes/lower/tensors/Builders.h"
#include "passes/lower/tensors/Lowerings.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

/// Rows up to this length are sorted by counting.
static constexpr int64_t kCountingLimit = 128;
/// The bits of a digit, and how many different digits there are.
static constexpr int64_t kDigitBits = 8, kDigits = 1 << kDigitBits;

static constexpr utils::IteratorType kParallel = utils::IteratorType::parallel;
static constexpr utils::IteratorType kReduction =
    utils::IteratorType::reduction;

SortEmitter::SortEmitter(OpBuilder &b, Location loc, Type element,
                         int64_t length, bool descending)
    : b(b), loc(loc), length(length), descending(descending),
      key(b.getIntegerType(std::max(16u, element.getIntOrFloatBitWidth()))),
      number(llvm::isInt<32>(length) ? b.getI32Type() : b.getI64Type()) {}

Value SortEmitter::sortRow(Value x, Value row, int64_t count) {
  // Half of a row is not worth the selection, and nor is any part of a few.
  if (length > kCountingLimit && count <= length / 2)
    return selectRow(x, row, count);
  Value order = sortKeys(keysOf(x, row, b.getIndexAttr(0), rowOf(key, length)));
  return count == length ? order : sliceOf(order, b.getIndexAttr(0), count);
}

Value SortEmitter::sortKeys(Value keys) {
  return sizeOf(keys) <= kCountingLimit ? sortByCounting(keys)
                                        : sortByDigits(keys);
}

//===----------------------------------------------------------------------===//
// Rows and numbers
//===----------------------------------------------------------------------===//

SmallVector<Value> SortEmitter::loop(int64_t size, int64_t step,
                                     ValueRange inits, LoopBody body) {
  auto forOp = scf::ForOp::create(
      b, loc, index(0), index(size), index(step), inits,
      [&](OpBuilder &, Location, Value iv, ValueRange carried) {
        scf::YieldOp::create(b, loc, body(iv, carried));
      });
  return SmallVector<Value>(forOp.getResults());
}

int64_t SortEmitter::sizeOf(Value row) {
  return cast<RankedTensorType>(row.getType()).getDimSize(0);
}

Value SortEmitter::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}
Value SortEmitter::integer(Type type, int64_t value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}
Value SortEmitter::integer(const APInt &value) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(key, value));
}
Value SortEmitter::rowOf(Type element, int64_t size) {
  return emptyTensor(b, loc, RankedTensorType::get({size}, element));
}
Value SortEmitter::at(Value tensor, Value position) {
  return tensor::ExtractOp::create(b, loc, tensor, position);
}
Value SortEmitter::put(Value value, Value tensor, Value position) {
  return tensor::InsertOp::create(b, loc, value, tensor, position);
}
Value SortEmitter::sliceOf(Value row, OpFoldResult start, int64_t size) {
  auto type = RankedTensorType::get(
      {size}, cast<RankedTensorType>(row.getType()).getElementType());
  return tensor::ExtractSliceOp::create(b, loc, type, row, start,
                                        OpFoldResult(b.getIndexAttr(size)),
                                        OpFoldResult(b.getIndexAttr(1)));
}

Value SortEmitter::generic(Value init, ValueRange inputs,
                           ArrayRef<AffineMap> maps,
                           ArrayRef<utils::IteratorType> loops,
                           llvm::function_ref<Value(ValueRange)> body) {
  return linalg::GenericOp::create(b, loc, TypeRange(init.getType()), inputs,
                                   ValueRange(init), maps, loops,
                                   [&](OpBuilder &, Location, ValueRange args) {
                                     linalg::YieldOp::create(b, loc,
                                                             body(args));
                                   })
      .getResult(0);
}

Value SortEmitter::loopNumber(int64_t dim) {
  return arith::IndexCastOp::create(b, loc, number,
                                    linalg::IndexOp::create(b, loc, dim));
}

Value SortEmitter::positions(int64_t size) {
  return generic(rowOf(number, size), {}, b.getMultiDimIdentityMap(1),
                 kParallel, [&](ValueRange) { return loopNumber(0); });
}

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

/// An unsigned number that orders as `x` does.
Value SortEmitter::keyOf(Value x) {
  unsigned width = key.getIntOrFloatBitWidth();
  Value sign = integer(APInt::getSignMask(width));
  Value ones = integer(APInt::getAllOnes(width));
  Value bits;
  if (auto type = dyn_cast<FloatType>(x.getType())) {
    Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0.0));
    Value isZero =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, zero);
    Value isNan =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
    bits = arith::BitcastOp::create(b, loc, key, x);
    // Below zero, the larger magnitude comes first.
    Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                           bits, integer(key, 0));
    Value flip = arith::SelectOp::create(b, loc, negative, ones, sign);
    bits = arith::XOrIOp::create(b, loc, bits, flip);
    bits = arith::SelectOp::create(b, loc, isZero, sign, bits);
    bits = arith::SelectOp::create(b, loc, isNan, ones, bits);
  } else {
    bits = x.getType() == key ? x : arith::ExtSIOp::create(b, loc, key, x);
    bits = arith::XOrIOp::create(b, loc, bits, sign);
  }
  return descending ? arith::XOrIOp::create(b, loc, bits, ones) : bits;
}

/// Keys of as many elements from `start` on as `init` holds.
Value SortEmitter::keysOf(Value x, Value row, OpFoldResult start, Value init) {
  auto type = cast<RankedTensorType>(x.getType());
  auto one = b.getIndexAttr(1);
  Value slice = tensor::ExtractSliceOp::create(
      b, loc, RankedTensorType::get({sizeOf(init)}, type.getElementType()), x,
      ArrayRef<OpFoldResult>{row, start},
      ArrayRef<OpFoldResult>{one, b.getIndexAttr(sizeOf(init))},
      ArrayRef<OpFoldResult>{one, one});
  AffineMap identity = b.getMultiDimIdentityMap(1);
  return generic(init, slice, {identity, identity}, kParallel,
                 [&](ValueRange args) { return keyOf(args[0]); });
}

//===----------------------------------------------------------------------===//
// Few
//===----------------------------------------------------------------------===//

Value SortEmitter::sortByCounting(Value keys) {
  int64_t size = sizeOf(keys);
  AffineExpr i = b.getAffineDimExpr(0), j = b.getAffineDimExpr(1);
  AffineMap mine = AffineMap::get(2, 0, i), other = AffineMap::get(2, 0, j);
  Value zeros = filledTensor(b, loc, RankedTensorType::get({size}, number),
                             b.getIntegerAttr(number, 0));
  Value ranks = generic(
      zeros, {keys, keys}, {mine, other, mine}, {kParallel, kReduction},
      [&](ValueRange args) -> Value {
        auto compare = [&](arith::CmpIPredicate predicate, Value a, Value c) {
          return arith::CmpIOp::create(b, loc, predicate, a, c);
        };
        Value less = compare(arith::CmpIPredicate::ult, args[1], args[0]);
        Value equal = compare(arith::CmpIPredicate::eq, args[1], args[0]);
        Value earlier =
            compare(arith::CmpIPredicate::slt, loopNumber(1), loopNumber(0));
        Value tie = arith::AndIOp::create(b, loc, equal, earlier);
        Value before = arith::OrIOp::create(b, loc, less, tie);
        Value step = arith::ExtUIOp::create(b, loc, number, before);
        return arith::AddIOp::create(b, loc, args[2], step);
      });
  return loop(size, 1, rowOf(number, size), [&](Value iv, ValueRange carried) {
    Value rank =
        arith::IndexCastOp::create(b, loc, b.getIndexType(), at(ranks, iv));
    Value self = arith::IndexCastOp::create(b, loc, number, iv);
    return SmallVector<Value>{put(self, carried[0], rank)};
  })[0];
}

//===----------------------------------------------------------------------===//
// Many
//===----------------------------------------------------------------------===//

Value SortEmitter::sortByDigits(Value keys) {
  int64_t size = sizeOf(keys);
  // There and back: two digits a step.
  auto step = [&](Value shift, ValueRange carried) {
    auto there =
        moveByDigit(shift, carried[0], carried[1], carried[2], carried[3]);
    Value next = arith::AddIOp::create(b, loc, shift, index(kDigitBits));
    auto back =
        moveByDigit(next, there.first, there.second, carried[0], carried[1]);
    return SmallVector<Value>{back.first, back.second, there.first,
                              there.second};
  };
  return loop(key.getIntOrFloatBitWidth(), 2 * kDigitBits,
              {keys, positions(size), rowOf(key, size), rowOf(number, size)},
              step)[1];
}

Value SortEmitter::digitOf(Value keyValue, Value shift) {
  Value digit = arith::ShRUIOp::create(b, loc, keyValue, shift);
  digit = arith::AndIOp::create(b, loc, digit, integer(key, kDigits - 1));
  return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), digit);
}

/// Keys and their positions, moved to where their digit belongs.
std::pair<Value, Value> SortEmitter::moveByDigit(Value bit, Value keys,
                                                 Value order, Value keysTo,
                                                 Value orderTo) {
  int64_t size = sizeOf(keys);
  Value shift = arith::IndexCastOp::create(b, loc, key, bit);
  Value one = integer(number, 1);
  Value starts = filledTensor(b, loc, RankedTensorType::get({kDigits}, number),
                              b.getIntegerAttr(number, 0));
  starts = loop(size, 1, starts, [&](Value iv, ValueRange carried) {
    Value digit = digitOf(at(keys, iv), shift);
    Value more = arith::AddIOp::create(b, loc, at(carried[0], digit), one);
    return SmallVector<Value>{put(more, carried[0], digit)};
  })[0];
  Value zero = integer(number, 0);
  starts = loop(kDigits, 1, {starts, zero}, [&](Value iv, ValueRange carried) {
    Value end = arith::AddIOp::create(b, loc, carried[1], at(carried[0], iv));
    return SmallVector<Value>{put(carried[1], carried[0], iv), end};
  })[0];
  SmallVector<Value> moved = loop(
      size, 1, {keysTo, orderTo, starts}, [&](Value iv, ValueRange carried) {
        Value value = at(keys, iv);
        Value digit = digitOf(value, shift);
        Value start = at(carried[2], digit);
        Value to = arith::IndexCastOp::create(b, loc, b.getIndexType(), start);
        Value next = arith::AddIOp::create(b, loc, start, one);
        return SmallVector<Value>{put(value, carried[0], to),
                                  put(at(order, iv), carried[1], to),
                                  put(next, carried[2], digit)};
      });
  return {moved[0], moved[1]};
}

/// Brings the dimension behind all others, sorts row by row, and brings it
/// back.
LogicalResult cellgrad::lower(ArgSortOp op, PatternRewriter &rewriter) {
  Location loc = op.getLoc();
  RankedTensorType from = op.getX().getType(), to = op.getType();
  if (to.getNumElements() == 0) {
    rewriter.replaceOp(op, emptyTensor(rewriter, loc, to));
    return success();
  }
  int64_t rank = from.getRank(), dim = op.getDim();
  int64_t length = from.getDimSize(dim);
  SmallVector<int64_t> perm, back;
  for (int64_t d = 0; d < rank; ++d)
    if (d != dim)
      perm.push_back(d);
  perm.push_back(dim);
  back.resize(rank);
  for (auto [i, p] : llvm::enumerate(perm))
    back[p] = i;
  auto permuted = [&](RankedTensorType type) {
    return type.clone(llvm::map_to_vector(
        perm, [&](int64_t d) { return type.getDimSize(d); }));
  };
  auto transpose = [&](Value x, RankedTensorType type,
                       ArrayRef<int64_t> order) -> Value {
    if (llvm::is_sorted(order))
      return x;
    Value init = emptyTensor(rewriter, loc, type);
    return linalg::TransposeOp::create(rewriter, loc, x, init, order)
        ->getResult(0);
  };

  Value x = transpose(op.getX(), permuted(from), perm);
  if (rank == 1) {
    auto row = RankedTensorType::get({1, length}, from.getElementType());
    x = tensor::ExpandShapeOp::create(rewriter, loc, row, x,
                                      ArrayRef<ReassociationIndices>{{0, 1}});
  } else {
    x = collapseGroups(rewriter, loc, x, {rank - 1, 1});
  }
  auto rows = cast<RankedTensorType>(x.getType());
  SortEmitter sort(rewriter, loc, from.getElementType(), length,
                   op.getDescending());
  auto one = rewriter.getIndexAttr(1);
  int64_t count = to.getDimSize(dim);
  auto row = RankedTensorType::get({count}, to.getElementType());
  Value out =
      emptyTensor(rewriter, loc,
                  rows.clone({rows.getDimSize(0), count}, to.getElementType()));
  out =
      sort.loop(rows.getDimSize(0), 1, out, [&](Value iv, ValueRange carried) {
        Value order =
            convertElements(rewriter, loc, sort.sortRow(x, iv, count), row);
        return SmallVector<Value>{tensor::InsertSliceOp::create(
            rewriter, loc, order, carried[0],
            ArrayRef<OpFoldResult>{iv, rewriter.getIndexAttr(0)},
            ArrayRef<OpFoldResult>{one, rewriter.getIndexAttr(count)},
            ArrayRef<OpFoldResult>{one, one})};
      })[0];
  auto type = permuted(to);
  if (rank == 1)
    out = tensor::CollapseShapeOp::create(
        rewriter, loc, type, out, ArrayRef<ReassociationIndices>{{0, 1}});
  else
    out = expandGroups(rewriter, loc, out, type, {rank - 1, 1});
  rewriter.replaceOp(op, transpose(out, to, back));
  return success();
}
