//===- Selection.cpp - the first few of a row in order --------------------===//
//
// A row is read in chunks. A chunk with a key below the largest of those
// selected so far joins them, and the smallest of both are kept: the number
// that parts them is found bit by bit, by counting the keys below it. Every
// loop over keys but the last is a vector reduction, a chunk without such a key
// costs one, and no input costs more than all chunks joining.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/sequential/Sort.h"
#include "passes/lower/tensors/Builders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace cellgrad;

/// Keys that are selected from at a time: enough to be worth the counting, few
/// enough to stay in the first cache.
static constexpr int64_t kSelectedFrom = 2048;

/// How many of `keys` are below `threshold`.
Value SortEmitter::countBelow(Value keys, Value threshold) {
  MLIRContext *context = b.getContext();
  Value zero = filledTensor(b, loc, RankedTensorType::get({}, number),
                            b.getIntegerAttr(number, 0));
  Value count = generic(
      zero, {keys, threshold},
      {b.getMultiDimIdentityMap(1), AffineMap::get(1, 0, context),
       AffineMap::get(1, 0, context)},
      utils::IteratorType::reduction, [&](ValueRange args) -> Value {
        Value below = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                            args[0], args[1]);
        return arith::AddIOp::create(
            b, loc, args[2], arith::ExtUIOp::create(b, loc, number, below));
      });
  return tensor::ExtractOp::create(b, loc, count, ValueRange());
}

/// A number that `count` keys are below, or the largest one that fewer are: the
/// `count`th smallest key. Its bits are found from the highest on.
Value SortEmitter::thresholdOf(Value keys, int64_t count) {
  Value first = integer(APInt::getSignMask(key.getIntOrFloatBitWidth()));
  auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
    return arith::CmpIOp::create(b, loc, predicate, x, y);
  };
  auto whileOp = scf::WhileOp::create(
      b, loc, TypeRange{key, key, number},
      ValueRange{integer(key, 0), first, integer(number, 0)},
      [&](OpBuilder &, Location, ValueRange carried) {
        Value bits =
            compare(arith::CmpIPredicate::ne, carried[1], integer(key, 0));
        Value differs = compare(arith::CmpIPredicate::ne, carried[2],
                                integer(number, count));
        Value open = arith::AndIOp::create(b, loc, bits, differs);
        scf::ConditionOp::create(b, loc, open, carried);
      },
      [&](OpBuilder &, Location, ValueRange carried) {
        Value larger = arith::OrIOp::create(b, loc, carried[0], carried[1]);
        Value below = countBelow(keys, larger);
        Value isLow =
            compare(arith::CmpIPredicate::sle, below, integer(number, count));
        Value next = arith::SelectOp::create(b, loc, isLow, larger, carried[0]);
        Value bit = arith::ShRUIOp::create(b, loc, carried[1], integer(key, 1));
        scf::YieldOp::create(b, loc, ValueRange{next, bit, below});
      });
  return whileOp.getResult(0);
}

/// Moves the `count` smallest keys to the front, and their positions. The first
/// `count` keys have the given ones, those behind are from `base` on.
SortEmitter::Selection SortEmitter::select(Selection from, Value base,
                                           int64_t count) {
  Value threshold = thresholdOf(from.keys, count);
  // Of the keys that equal it, the first ones.
  Value below = countBelow(from.keys, threshold);
  Value ties = arith::SubIOp::create(b, loc, integer(number, count), below);
  auto keep = [&](Value iv, Value position, ValueRange carried) {
    Value value = at(carried[0], iv);
    auto compare = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      return arith::CmpIOp::create(b, loc, predicate, x, y);
    };
    Value less = compare(arith::CmpIPredicate::ult, value, threshold);
    Value equal = compare(arith::CmpIPredicate::eq, value, threshold);
    Value wanted =
        compare(arith::CmpIPredicate::sgt, carried[3], integer(number, 0));
    Value tie = arith::AndIOp::create(b, loc, equal, wanted);
    Value kept = arith::OrIOp::create(b, loc, less, tie);
    // What is not kept is overwritten by the next that is, or stays behind.
    Value step = arith::IndexCastUIOp::create(b, loc, b.getIndexType(), kept);
    return SmallVector<Value>{
        put(value, carried[0], carried[2]),
        put(position, carried[1], carried[2]),
        arith::AddIOp::create(b, loc, carried[2], step),
        arith::SubIOp::create(b, loc, carried[3],
                              arith::ExtUIOp::create(b, loc, number, tie))};
  };
  SmallVector<Value> state =
      loop(count, 1, {from.keys, from.positions, index(0), ties},
           [&](Value iv, ValueRange carried) {
             return keep(iv, at(carried[1], iv), carried);
           });
  state = loop(
      sizeOf(from.keys) - count, 1, state, [&](Value iv, ValueRange carried) {
        Value position = arith::AddIOp::create(b, loc, base, iv);
        Value place = arith::AddIOp::create(b, loc, iv, index(count));
        return keep(place, arith::IndexCastOp::create(b, loc, number, position),
                    carried);
      });
  return {state[0], state[1], threshold};
}

/// The same of the selected keys and the elements from `base` on that there is
/// place for behind them.
SortEmitter::Selection SortEmitter::selectAlso(Selection from, Value x,
                                               Value row, Value base,
                                               int64_t count) {
  int64_t chunk = sizeOf(from.keys) - count;
  auto behind = b.getIndexAttr(count), one = b.getIndexAttr(1);
  Value keys = keysOf(x, row, base, sliceOf(from.keys, behind, chunk));
  from.keys = tensor::InsertSliceOp::create(
      b, loc, keys, from.keys, ArrayRef<OpFoldResult>{behind},
      ArrayRef<OpFoldResult>{b.getIndexAttr(chunk)},
      ArrayRef<OpFoldResult>{one});
  Value below = countBelow(keys, from.threshold);
  Value joins = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, below,
                                      integer(number, 0));
  auto yield = [&](const Selection &to) {
    scf::YieldOp::create(b, loc,
                         ValueRange{to.keys, to.positions, to.threshold});
  };
  auto ifOp = scf::IfOp::create(
      b, loc, joins,
      [&](OpBuilder &, Location) { yield(select(from, base, count)); },
      [&](OpBuilder &, Location) { yield(from); });
  return {ifOp.getResult(0), ifOp.getResult(1), ifOp.getResult(2)};
}

/// The first `count` positions that put the row in order; `count` is not zero.
Value SortEmitter::selectRow(Value x, Value row, int64_t count) {
  int64_t size = std::max<int64_t>(kSelectedFrom, llvm::alignTo(4 * count, 64));
  if (length <= 2 * size)
    size = length;
  int64_t chunk = size - count, rest = (length - count) % chunk;
  auto first = b.getIndexAttr(0);
  // `keys` before those of other elements.
  auto behind = [&](int64_t others, llvm::function_ref<Value(Value)> keys) {
    Value all = rowOf(key, count + others);
    return tensor::InsertSliceOp::create(
               b, loc, keys(sliceOf(all, first, count)), all,
               ArrayRef<OpFoldResult>{first},
               ArrayRef<OpFoldResult>{b.getIndexAttr(count)},
               ArrayRef<OpFoldResult>{b.getIndexAttr(1)})
        .getResult();
  };

  Selection best{
      behind(chunk, [&](Value init) { return keysOf(x, row, first, init); }),
      positions(count + 1),
      integer(APInt::getAllOnes(key.getIntOrFloatBitWidth()))};
  SmallVector<Value> state = loop(
      (length - count) / chunk, 1, {best.keys, best.positions, best.threshold},
      [&](Value iv, ValueRange carried) {
        Value base = arith::MulIOp::create(b, loc, iv, index(chunk));
        base = arith::AddIOp::create(b, loc, base, index(count));
        Selection next = selectAlso({carried[0], carried[1], carried[2]}, x,
                                    row, base, count);
        return SmallVector<Value>{next.keys, next.positions, next.threshold};
      });
  best = {state[0], state[1], state[2]};
  if (rest > 0) {
    Value selected = sliceOf(best.keys, first, count);
    best.keys = behind(rest, [&](Value) { return selected; });
    best = selectAlso(best, x, row, index(length - rest), count);
  }

  Value order = sortKeys(sliceOf(best.keys, first, count));
  return loop(
      count, 1, rowOf(number, count), [&](Value iv, ValueRange carried) {
        Value place =
            arith::IndexCastOp::create(b, loc, b.getIndexType(), at(order, iv));
        return SmallVector<Value>{
            put(at(best.positions, place), carried[0], iv)};
      })[0];
}
