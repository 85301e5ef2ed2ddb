//===- TileLoops.cpp - a function for a few samples, for all of a batch ---===//

#include "passes/batch/TileLoops.h"

#include "dialect/BatchParts.h"
#include "dialect/CellDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace cellgrad;

/// Tiles of at most so many rows may begin before the one before has ended.
static constexpr int64_t kOverlapping = 4;

/// One sample behind a tile of so many takes longer than two do. They are
/// computed as 7 and 2, where there are such tiles.
static constexpr int64_t kWithoutOneMore = 8;

static bool mayOverlap(const Tile &tile) {
  return tile.first > 1 && tile.first <= kOverlapping;
}

/// How many tiles of the largest size a batch is taken to have.
static constexpr double kTripsOfLargest = 8;

Value cellgrad::addBatchArgument(func::FuncOp entry) {
  OpBuilder b(entry.getContext());
  Location loc = entry.getLoc();
  auto type = RankedTensorType::get({}, b.getI64Type());
  auto attributes = b.getDictionaryAttr(
      {b.getNamedAttr("cell.name", b.getStringAttr("batch")),
       b.getNamedAttr("cell.role", b.getStringAttr("batch"))});
  (void)entry.insertArgument(0, type, attributes, loc);
  return readBatchArgument(entry);
}

Value cellgrad::readBatchArgument(func::FuncOp entry) {
  Location loc = entry.getLoc();
  OpBuilder b = OpBuilder::atBlockBegin(&entry.getBody().front());
  Value number =
      tensor::ExtractOp::create(b, loc, entry.getArgument(0), ValueRange());
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
}

Value TileLoops::constant(int64_t value) {
  return arith::ConstantIndexOp::create(b, loc, value);
}

/// What parts of a result of `type` are put together in. Sums of short numbers
/// would stand still: 256 tiles of bf16 are 1 + 1 + ..., which ends at 256.
static RankedTensorType typeOfParts(Type type, Combine combine) {
  auto tensor = cast<RankedTensorType>(type);
  auto number = dyn_cast<FloatType>(tensor.getElementType());
  if (combine != Combine::Add || !number || number.getWidth() >= 32)
    return tensor;
  return tensor.clone(Float32Type::get(type.getContext()));
}

SmallVector<Value> TileLoops::emptyFor(TypeRange results,
                                       ArrayRef<Combine> combines) {
  SmallVector<Value> made;
  for (auto [type, combine] : llvm::zip(results, combines)) {
    RankedTensorType tensor = typeOfParts(type, combine);
    made.push_back(combine == Combine::None
                       ? tensor::EmptyOp::create(b, loc, tensor.getShape(),
                                                 tensor.getElementType())
                       : neutralElement(b, loc, tensor, combine));
  }
  return made;
}

SmallVector<Value> TileLoops::run(ArrayRef<Tile> tiles, ValueRange inputs,
                                  TypeRange results, ArrayRef<Combine> given,
                                  ArrayRef<Value> into) {
  combines = given;
  values = emptyFor(results, combines);
  for (auto [i, place] : llvm::enumerate(into))
    if (place)
      values[i] = place;
  begin = constant(0);
  // Parts of a sum count samples, each once.
  bool once = llvm::any_of(
      combines, [](Combine combine) { return combine != Combine::None; });
  double trips = kTripsOfLargest;
  auto hasTile = [&](int64_t rows) {
    return llvm::any_of(tiles,
                        [&](const Tile &tile) { return tile.first == rows; });
  };
  for (auto [i, tile] : llvm::enumerate(tiles)) {
    // What larger tiles leave is between none and all but one of theirs.
    if (i > 0)
      trips = std::max(1.0, double(tiles[i - 1].first) / tile.first / 2);
    if (once || !mayOverlap(tile)) {
      bool leavesOneMore = tile.first == kWithoutOneMore &&
                           hasTile(tile.first - 1) && hasTile(2);
      loopOver(tile, inputs, std::nullopt, trips, leavesOneMore);
      continue;
    }
    bool isLast = i + 1 == tiles.size() || !mayOverlap(tiles[i + 1]);
    loopOver(tile, inputs, isLast ? 0 : tiles[i + 1].first, trips);
  }
  for (auto [value, type] : llvm::zip(values, results))
    if (value.getType() != type)
      value = cellgrad::CastOp::create(b, loc, type, value);
  return values;
}

SmallVector<Value> TileLoops::runOnce(const Tile &tile, ValueRange inputs,
                                      TypeRange results) {
  SmallVector<Combine> last;
  for (Type type : results)
    last.push_back(batchDimOf(type, batch).dim < 0 ? Combine::Last
                                                   : Combine::None);
  combines = last;
  begin = constant(0);
  values.clear();
  llvm::SmallDenseSet<Type> seen;
  bool mayBeOne = false;
  for (Type type : results) {
    auto tensor = cast<RankedTensorType>(type);
    values.push_back(tensor::EmptyOp::create(b, loc, tensor.getShape(),
                                             tensor.getElementType()));
    mayBeOne |= batchDimOf(type, batch).dim >= 0 && !seen.insert(type).second;
  }
  // Two results that turn out to be equal would become one tensor, and a copy
  // of all that its type says, the stand-in's size. In a loop they do not.
  if (mayBeOne)
    loopOver(tile, inputs, std::nullopt, /*trips=*/1);
  else
    values = callTile(tile, begin, inputs, values);
  return values;
}

/// All samples that are left and make a tile; one fewer where the loop
/// `leavesOneMore` and one sample would be left over. The last tile may begin
/// before the one before has ended where more than `spare` samples would be
/// left over.
void TileLoops::loopOver(const Tile &tile, ValueRange inputs,
                         std::optional<int64_t> spare, double trips,
                         bool leavesOneMore) {
  bool overlaps = spare.has_value();
  Value zero = constant(0), one = constant(1), step = constant(tile.first);
  Value left = arith::SubIOp::create(b, loc, size, begin);
  Value count, last;
  if (overlaps) {
    Value fits =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, size, step);
    if (*spare > 0)
      left = arith::SubIOp::create(b, loc, left, constant(*spare));
    count = arith::SelectOp::create(
        b, loc, fits, arith::CeilDivSIOp::create(b, loc, left, step), zero);
    last = arith::SubIOp::create(b, loc, size, step);
  } else {
    Value whole = left;
    if (leavesOneMore) {
      Value rest = arith::RemSIOp::create(b, loc, left, step);
      Value isOne =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, rest, one);
      whole = arith::SelectOp::create(
          b, loc, isOne, arith::SubIOp::create(b, loc, left, step), left);
    }
    count = arith::DivSIOp::create(b, loc, whole, step);
  }
  auto loop = scf::ForOp::create(b, loc, zero, count, one, values);
  loop->setAttr(kTileTrips, b.getF64FloatAttr(trips));
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value at = arith::AddIOp::create(
        b, loc, begin,
        arith::MulIOp::create(b, loc, loop.getInductionVar(), step));
    if (overlaps)
      at = arith::MinSIOp::create(b, loc, at, last);
    SmallVector<Value> next =
        callTile(tile, at, inputs, loop.getRegionIterArgs());
    if (!values.empty()) // else there is a terminator already
      scf::YieldOp::create(b, loc, next);
  }
  values.assign(loop.result_begin(), loop.result_end());
  Value end = arith::AddIOp::create(b, loc, begin,
                                    arith::MulIOp::create(b, loc, count, step));
  begin =
      overlaps ? arith::MinSIOp::create(b, loc, end, size).getResult() : end;
}

/// Computes the samples of a tile from `tileAt` on, and puts what it gives into
/// `into`.
SmallVector<Value> TileLoops::callTile(const Tile &tile, Value tileAt,
                                       ValueRange inputs, ValueRange into) {
  auto [rows, function] = tile;
  Value inBatch = first ? arith::AddIOp::create(b, loc, first, tileAt) : tileAt;
  // The place of the tile's part, which may have several rows for a sample.
  auto place = [&, rows = rows](RankedTensorType part, Type whole) {
    Value at = batchDimOf(whole, batch).dim == 0 ? inBatch : tileAt;
    int64_t rank = part.getRank(), ofSample = part.getDimSize(0) / rows;
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), sizes,
        strides(rank, b.getIndexAttr(1));
    offsets[0] = at;
    if (ofSample > 1)
      offsets[0] =
          arith::MulIOp::create(b, loc, at, constant(ofSample)).getResult();
    for (int64_t extent : part.getShape())
      sizes.push_back(b.getIndexAttr(extent));
    return std::tuple(offsets, sizes, strides);
  };
  func::FuncOp callee = function;
  SmallVector<Value> operands;
  for (auto [input, type] : llvm::zip(inputs, callee.getArgumentTypes())) {
    if (input.getType() == type) {
      operands.push_back(input);
      continue;
    }
    auto [offsets, sizes, strides] =
        place(cast<RankedTensorType>(type), input.getType());
    operands.push_back(tensor::ExtractSliceOp::create(
        b, loc, cast<RankedTensorType>(type), input, offsets, sizes, strides));
  }
  for (unsigned i = inputs.size(); i < callee.getNumArguments(); ++i) {
    bool isFirst = callee.getArgAttr(i, kFirstSample) != nullptr;
    Value number = arith::IndexCastOp::create(b, loc, b.getI64Type(),
                                              isFirst ? inBatch : all);
    operands.push_back(tensor::FromElementsOp::create(
        b, loc, callee.getArgumentTypes()[i], number));
  }
  auto call = func::CallOp::create(b, loc, callee, operands);
  SmallVector<Value> filled;
  for (auto [part, whole, combine] :
       llvm::zip(call.getResults(), into, combines)) {
    if (combine != Combine::None) {
      Value given = part;
      if (given.getType() != whole.getType())
        given = cellgrad::CastOp::create(b, loc, whole.getType(), given);
      filled.push_back(combineParts(b, loc, whole, given, combine));
      continue;
    }
    auto [offsets, sizes, strides] =
        place(cast<RankedTensorType>(part.getType()), whole.getType());
    filled.push_back(tensor::InsertSliceOp::create(b, loc, part, whole, offsets,
                                                   sizes, strides));
  }
  return filled;
}
