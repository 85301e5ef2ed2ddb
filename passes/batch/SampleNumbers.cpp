//===- SampleNumbers.cpp - which samples a tile has -----------------------===//

#include "passes/batch/SampleNumbers.h"

#include "passes/batch/SampleFlow.h"
#include "passes/batch/TileLoops.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

/// The argument of `function` with a mark, which is made where there is none
/// yet.
static Value numberOf(func::FuncOp function, StringRef mark) {
  unsigned count = function.getNumArguments();
  for (unsigned i = 0; i < count; ++i)
    if (function.getArgAttr(i, mark))
      return function.getArgument(i);
  OpBuilder b(function.getContext());
  auto attribute = b.getNamedAttr(mark, b.getUnitAttr());
  (void)function.insertArgument(
      count, RankedTensorType::get({}, b.getI64Type()),
      b.getDictionaryAttr(attribute), function.getLoc());
  return function.getArgument(count);
}

/// Numbers of samples are those in the whole batch.
static void countFromSample(IotaOp iota, func::FuncOp function,
                            const OpenBatch &batch) {
  auto type = cast<RankedTensorType>(iota.getType());
  auto [dim, count] = batchDimOf(type, batch);
  if (int64_t(iota.getDim()) != dim)
    return;
  Value first = numberOf(function, kFirstSample);
  OpBuilder b(iota);
  Location loc = iota.getLoc();
  RankedTensorType wide = type.clone(b.getI64Type());
  auto scalar = cast<RankedTensorType>(first.getType());
  if (count > 1)
    first = MulOp::create(
        b, loc, first,
        ConstantOp::create(
            b, loc,
            DenseElementsAttr::get(scalar, b.getI64IntegerAttr(count))));
  Value numbers = AddOp::create(
      b, loc, IotaOp::create(b, loc, wide, iota.getDimAttr()),
      BroadcastOp::create(b, loc, wide, first,
                          b.getDenseI64ArrayAttr(llvm::to_vector(
                              llvm::seq<int64_t>(0, type.getRank())))));
  if (wide != type)
    numbers = CastOp::create(b, loc, type, numbers);
  iota.replaceAllUsesWith(numbers);
  iota.erase();
}

/// Random numbers of a sample are those at its place in the whole batch: those
/// for samples are counted from the place of the first of a tile, in each of
/// the groups that are before the batch from a place of its own.
static void countFromSample(RandomBitsOp bits, func::FuncOp function,
                            const OpenBatch &batch) {
  auto type = cast<RankedTensorType>(bits.getType());
  int64_t dim = batchDimOf(type, batch).dim;
  if (dim < 0)
    return;
  SmallVector<int64_t> shape(type.getShape().take_front(dim));
  int64_t groups = 1, ofSample = type.getNumElements() / batch.size;
  for (int64_t extent : shape)
    groups *= extent;
  ofSample /= groups;

  Value first = numberOf(function, kFirstSample);
  Value all = groups > 1 ? numberOf(function, kAllSamples) : Value();
  OpBuilder b(bits);
  Location loc = bits.getLoc();
  Type i32 = b.getI32Type();
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  };
  auto scalar = [&](Value tensor) -> Value {
    return tensor::ExtractOp::create(b, loc, tensor, ValueRange());
  };
  first = scalar(first);
  all = all ? scalar(all) : Value();
  SmallVector<Value> words;
  for (int64_t group = 0; group < groups; ++group) {
    Value place = first;
    if (group > 0)
      place = arith::AddIOp::create(
          b, loc, arith::MulIOp::create(b, loc, all, number(group)), first);
    Value position = arith::MulIOp::create(b, loc, place, number(ofSample));
    words.push_back(arith::TruncIOp::create(b, loc, i32, position));
    words.push_back(arith::TruncIOp::create(
        b, loc, i32, arith::ShRUIOp::create(b, loc, position, number(32))));
  }
  Value key = bits.getKey();
  if (groups == 1)
    shape.clear();
  shape.push_back(2);
  auto keys = RankedTensorType::get(shape, i32);
  if (groups > 1)
    key = BroadcastOp::create(
        b, loc, keys, key,
        b.getDenseI64ArrayAttr(llvm::to_vector(llvm::seq<int64_t>(0, dim))));
  bits.getKeyMutable().assign(ConcatOp::create(
      b, loc,
      ValueRange{key, tensor::FromElementsOp::create(b, loc, keys, words)},
      b.getI64IntegerAttr(keys.getRank() - 1)));
}

void cellgrad::countFromSamples(func::FuncOp function, const OpenBatch &batch) {
  function.walk(
      [&](RandomBitsOp bits) { countFromSample(bits, function, batch); });
  function.walk([&](IotaOp iota) { countFromSample(iota, function, batch); });
}
