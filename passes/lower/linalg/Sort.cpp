//===- Sort.cpp - sorting as loops ----------------------------------------===//
//
// Elements become unsigned keys of the same order. Few of them are sorted by
// counting, for each, those that come before it; many by their digits, the
// lowest first (radix sort): both are stable, and neither compares by branches.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/linalg/Patterns.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

namespace {

/// Rows up to this length are sorted by counting.
constexpr int64_t kCountingLimit = 128;
/// The bits of a digit, and how many different digits there are.
constexpr int64_t kDigitBits = 8, kDigits = 1 << kDigitBits;

constexpr utils::IteratorType kParallel = utils::IteratorType::parallel;
constexpr utils::IteratorType kReduction = utils::IteratorType::reduction;

/// Sorts the rows of a matrix.
class SortEmitter {
public:
  SortEmitter(OpBuilder &b, Location loc, Type element, int64_t length,
              bool descending)
      : b(b), loc(loc), length(length), descending(descending),
        key(b.getIntegerType(std::max(16u, element.getIntOrFloatBitWidth()))),
        number(llvm::isInt<32>(length) ? b.getI32Type() : b.getI64Type()) {}

  /// The positions that put row `row` of `x` in order.
  Value sortRow(Value x, Value row) {
    Value keys = keysOf(x, row);
    return length <= kCountingLimit ? sortByCounting(keys) : sortByDigits(keys);
  }

  using LoopBody = llvm::function_ref<SmallVector<Value>(Value, ValueRange)>;
  SmallVector<Value> loop(int64_t size, int64_t step, ValueRange inits,
                          LoopBody body) {
    auto forOp = scf::ForOp::create(
        b, loc, index(0), index(size), index(step), inits,
        [&](OpBuilder &, Location, Value iv, ValueRange carried) {
          scf::YieldOp::create(b, loc, body(iv, carried));
        });
    return SmallVector<Value>(forOp.getResults());
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }
  Value integer(Type type, int64_t value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  }
  Value integer(const APInt &value) {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(key, value));
  }
  Value rowOf(Type element) {
    return emptyTensor(b, loc, RankedTensorType::get({length}, element));
  }
  Value at(Value tensor, Value position) {
    return tensor::ExtractOp::create(b, loc, tensor, position);
  }
  Value put(Value value, Value tensor, Value position) {
    return tensor::InsertOp::create(b, loc, value, tensor, position);
  }

  //===-- Keys ------------------------------------------------------------===//

  /// An unsigned number that orders as `x` does.
  Value keyOf(Value x) {
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

  Value keysOf(Value x, Value row) {
    auto type = cast<RankedTensorType>(x.getType());
    auto one = b.getIndexAttr(1);
    Value slice = tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get({length}, type.getElementType()), x,
        ArrayRef<OpFoldResult>{row, b.getIndexAttr(0)},
        ArrayRef<OpFoldResult>{one, b.getIndexAttr(length)},
        ArrayRef<OpFoldResult>{one, one});
    AffineMap identity = b.getMultiDimIdentityMap(1);
    return generic(rowOf(key), slice, {identity, identity}, kParallel,
                   [&](ValueRange args) { return keyOf(args[0]); });
  }

  Value generic(Value init, ValueRange inputs, ArrayRef<AffineMap> maps,
                ArrayRef<utils::IteratorType> loops,
                llvm::function_ref<Value(ValueRange)> body) {
    return linalg::GenericOp::create(
               b, loc, TypeRange(init.getType()), inputs, ValueRange(init),
               maps, loops,
               [&](OpBuilder &, Location, ValueRange args) {
                 linalg::YieldOp::create(b, loc, body(args));
               })
        .getResult(0);
  }

  Value loopNumber(int64_t dim) {
    return arith::IndexCastOp::create(b, loc, number,
                                      linalg::IndexOp::create(b, loc, dim));
  }

  //===-- Few -------------------------------------------------------------===//

  Value sortByCounting(Value keys) {
    AffineExpr i = b.getAffineDimExpr(0), j = b.getAffineDimExpr(1);
    AffineMap mine = AffineMap::get(2, 0, i), other = AffineMap::get(2, 0, j);
    Value zeros = filledTensor(b, loc, RankedTensorType::get({length}, number),
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
    return loop(length, 1, rowOf(number), [&](Value iv, ValueRange carried) {
      Value rank =
          arith::IndexCastOp::create(b, loc, b.getIndexType(), at(ranks, iv));
      Value self = arith::IndexCastOp::create(b, loc, number, iv);
      return SmallVector<Value>{put(self, carried[0], rank)};
    })[0];
  }

  //===-- Many ------------------------------------------------------------===//

  Value sortByDigits(Value keys) {
    AffineMap identity = b.getMultiDimIdentityMap(1);
    Value order = generic(rowOf(number), {}, identity, kParallel,
                          [&](ValueRange) { return loopNumber(0); });
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
                {keys, order, rowOf(key), rowOf(number)}, step)[1];
  }

  Value digitOf(Value keyValue, Value shift) {
    Value digit = arith::ShRUIOp::create(b, loc, keyValue, shift);
    digit = arith::AndIOp::create(b, loc, digit, integer(key, kDigits - 1));
    return arith::IndexCastUIOp::create(b, loc, b.getIndexType(), digit);
  }

  /// Keys and their positions, moved to where their digit belongs.
  std::pair<Value, Value> moveByDigit(Value bit, Value keys, Value order,
                                      Value keysTo, Value orderTo) {
    Value shift = arith::IndexCastOp::create(b, loc, key, bit);
    Value one = integer(number, 1);
    Value starts =
        filledTensor(b, loc, RankedTensorType::get({kDigits}, number),
                     b.getIntegerAttr(number, 0));
    starts = loop(length, 1, starts, [&](Value iv, ValueRange carried) {
      Value digit = digitOf(at(keys, iv), shift);
      Value more = arith::AddIOp::create(b, loc, at(carried[0], digit), one);
      return SmallVector<Value>{put(more, carried[0], digit)};
    })[0];
    Value zero = integer(number, 0);
    starts =
        loop(kDigits, 1, {starts, zero}, [&](Value iv, ValueRange carried) {
          Value end =
              arith::AddIOp::create(b, loc, carried[1], at(carried[0], iv));
          return SmallVector<Value>{put(carried[1], carried[0], iv), end};
        })[0];
    SmallVector<Value> moved =
        loop(length, 1, {keysTo, orderTo, starts},
             [&](Value iv, ValueRange carried) {
               Value value = at(keys, iv);
               Value digit = digitOf(value, shift);
               Value start = at(carried[2], digit);
               Value to =
                   arith::IndexCastOp::create(b, loc, b.getIndexType(), start);
               Value next = arith::AddIOp::create(b, loc, start, one);
               return SmallVector<Value>{put(value, carried[0], to),
                                         put(at(order, iv), carried[1], to),
                                         put(next, carried[2], digit)};
             });
    return {moved[0], moved[1]};
  }

  OpBuilder &b;
  Location loc;
  int64_t length;
  bool descending;
  Type key, number;
};

/// Brings the dimension behind all others, sorts row by row, and brings it
/// back.
struct ArgSortLowering : OpRewritePattern<ArgSortOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ArgSortOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    RankedTensorType from = op.getX().getType(), to = op.getType();
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
    auto row = RankedTensorType::get({length}, to.getElementType());
    Value out = emptyTensor(rewriter, loc, rows.clone(to.getElementType()));
    out = sort.loop(
        rows.getDimSize(0), 1, out, [&](Value iv, ValueRange carried) {
          Value order =
              convertElements(rewriter, loc, sort.sortRow(x, iv), row);
          return SmallVector<Value>{tensor::InsertSliceOp::create(
              rewriter, loc, order, carried[0],
              ArrayRef<OpFoldResult>{iv, rewriter.getIndexAttr(0)},
              ArrayRef<OpFoldResult>{one, rewriter.getIndexAttr(length)},
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
};

} // namespace

void cellgrad::populateSortToLinalg(RewritePatternSet &patterns) {
  patterns.add<ArgSortLowering>(patterns.getContext());
}
