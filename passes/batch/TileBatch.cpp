//===- TileBatch.cpp - loops over tiles of an open batch ------------------===//

#include "passes/batch/OpenBatch.h"
#include "passes/batch/Passes.h"

#include "dialect/Refusal.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/SetVector.h"

namespace cellgrad {
#define GEN_PASS_DEF_TILEBATCHPASS
#include "passes/batch/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Tiles of at most so many rows may begin before the one before has ended.
constexpr int64_t kOverlapping = 8;
constexpr int64_t kTiles[] = {128, 64, 32, 8, 2, 1};

/// The loops of one entry.
class TileLoops {
public:
  explicit TileLoops(func::FuncOp entry)
      : b(entry.getContext()), loc(entry.getLoc()), entry(entry) {}

  /// Replaces the body of the entry: `tiles` are the functions for so many
  /// rows, descending to 1.
  void build(ArrayRef<std::pair<int64_t, func::FuncOp>> tiles) {
    Block &body = entry.getBody().front();
    body.clear();
    b.setInsertionPointToStart(&body);
    inputs.assign(body.args_begin(), body.args_end());
    size = addBatchArgument();
    results.clear();
    for (Type type : entry.getResultTypes()) {
      auto tensor = cast<RankedTensorType>(type);
      results.push_back(tensor::EmptyOp::create(b, loc, tensor.getShape(),
                                                tensor.getElementType()));
    }
    begin = constant(0);
    for (auto [rows, function] : tiles)
      loopOver(rows, function);
    func::ReturnOp::create(b, loc, results);
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, loc, value);
  }

  Value addBatchArgument() {
    auto type = RankedTensorType::get({}, b.getI64Type());
    auto attributes = b.getDictionaryAttr(
        {b.getNamedAttr("cell.name", b.getStringAttr("batch")),
         b.getNamedAttr("cell.role", b.getStringAttr("batch"))});
    (void)entry.insertArgument(0, type, attributes, loc);
    Value number =
        tensor::ExtractOp::create(b, loc, entry.getArgument(0), ValueRange());
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), number);
  }

  /// All rows that are left and make a tile.
  void loopOver(int64_t rows, func::FuncOp function) {
    Value zero = constant(0), one = constant(1), step = constant(rows);
    Value left = arith::SubIOp::create(b, loc, size, begin);
    bool overlaps = rows > 1 && rows <= kOverlapping;
    Value count, last;
    if (overlaps) {
      Value fits =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, size, step);
      count = arith::SelectOp::create(
          b, loc, fits, arith::CeilDivSIOp::create(b, loc, left, step), zero);
      last = arith::SubIOp::create(b, loc, size, step);
    } else {
      count = arith::DivSIOp::create(b, loc, left, step);
    }
    auto loop = scf::ForOp::create(b, loc, zero, count, one, results);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value at = arith::AddIOp::create(
          b, loc, begin,
          arith::MulIOp::create(b, loc, loop.getInductionVar(), step));
      if (overlaps)
        at = arith::MinSIOp::create(b, loc, at, last);
      scf::YieldOp::create(
          b, loc, callTile(rows, function, at, loop.getRegionIterArgs()));
    }
    results.assign(loop.result_begin(), loop.result_end());
    Value end = arith::AddIOp::create(
        b, loc, begin, arith::MulIOp::create(b, loc, count, step));
    begin =
        overlaps ? arith::MinSIOp::create(b, loc, end, size).getResult() : end;
  }

  /// Computes `rows` rows from `at` on, and puts them into `into`.
  SmallVector<Value> callTile(int64_t rows, func::FuncOp function, Value at,
                              ValueRange into) {
    auto place = [&](RankedTensorType type) {
      int64_t rank = type.getRank();
      SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)), sizes,
          strides(rank, b.getIndexAttr(1));
      offsets[0] = at;
      for (int64_t extent : type.getShape())
        sizes.push_back(b.getIndexAttr(extent));
      sizes[0] = b.getIndexAttr(rows);
      return std::tuple(offsets, sizes, strides);
    };
    SmallVector<Value> operands;
    for (auto [input, type] : llvm::zip(inputs, function.getArgumentTypes())) {
      if (input.getType() == type) {
        operands.push_back(input);
        continue;
      }
      auto [offsets, sizes, strides] =
          place(cast<RankedTensorType>(input.getType()));
      operands.push_back(
          tensor::ExtractSliceOp::create(b, loc, cast<RankedTensorType>(type),
                                         input, offsets, sizes, strides));
    }
    auto call = func::CallOp::create(b, loc, function, operands);
    SmallVector<Value> filled;
    for (auto [part, whole] : llvm::zip(call.getResults(), into)) {
      auto [offsets, sizes, strides] =
          place(cast<RankedTensorType>(whole.getType()));
      filled.push_back(tensor::InsertSliceOp::create(b, loc, part, whole,
                                                     offsets, sizes, strides));
    }
    return filled;
  }

  OpBuilder b;
  Location loc;
  func::FuncOp entry;
  SmallVector<Value> inputs, results;
  Value size;  ///< the batch
  Value begin; ///< rows before it are computed
};

struct TileBatch : cellgrad::impl::TileBatchPassBase<TileBatch> {
  using TileBatchPassBase::TileBatchPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<std::optional<OpenBatch>> read = readOpenBatch(module);
    if (failed(read) || failed(readTiles()))
      return signalPassFailure();
    if (!*read)
      return;
    OpenBatch batch = **read;
    SmallVector<func::FuncOp> entries;
    llvm::SetVector<func::FuncOp> others; // that do not run for the batch
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isPublic() || function.isDeclaration())
        continue;
      if (llvm::any_of(function.getArgumentTypes(),
                       [&](Type type) { return batch.hasRows(type); }))
        entries.push_back(function);
      else
        others.insert_range(reachableFrom(function));
    }
    for (func::FuncOp function : others)
      if (failed(checkRows(function, batch)))
        return signalPassFailure();
    for (func::FuncOp entry : entries)
      if (failed(checkEntry(entry, batch)))
        return signalPassFailure();
    // All copies first: one entry may call another.
    llvm::SetVector<func::FuncOp> replaced;
    SmallVector<SmallVector<std::pair<int64_t, func::FuncOp>>> copies;
    for (func::FuncOp entry : entries) {
      for (func::FuncOp function : reachableFrom(entry))
        if (function.isPrivate() && !others.contains(function))
          replaced.insert(function);
      copies.emplace_back();
      for (int64_t rows : sizes)
        copies.back().emplace_back(rows, rows == 1 && functionOfOne(entry)
                                             ? functionOfOne(entry)
                                             : copyFor(entry, batch, rows));
    }
    for (auto [entry, tilesOf] : llvm::zip(entries, copies)) {
      TileLoops(entry).build(tilesOf);
      entry->setAttr("cell.batch", module->getAttr("cell.batch"));
      entry->removeAttr("cell.batch_of_one");
    }
    for (func::FuncOp function : replaced)
      function.erase();
    module->removeAttr("cell.batch");
    module->setAttr("cell.batch_tiles", UnitAttr::get(&getContext()));
  }

private:
  SmallVector<int64_t> sizes; ///< rows of the tiles

  LogicalResult readTiles() {
    sizes.assign(tiles.begin(), tiles.end());
    if (sizes.empty())
      sizes.assign(std::begin(kTiles), std::end(kTiles));
    bool falls = sizes.back() == 1;
    for (size_t i = 1; i < sizes.size(); ++i)
      falls &= sizes[i] < sizes[i - 1];
    if (falls)
      return success();
    return getOperation().emitError()
           << "cell-tile-batch: tiles must descend to 1";
  }

  static LogicalResult checkEntry(func::FuncOp entry, const OpenBatch &batch) {
    for (func::FuncOp function : reachableFrom(entry))
      if (failed(checkRows(function, batch)))
        return failure();
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      if (entry.getArgAttr(i, "cell.donate"))
        return refuse(entry)
               << "updates argument #" << i
               << " in place: a program for any batch size only reads what it "
                  "is given; export for a fixed batch";
    if (entry.getNumResults() == 0)
      return refuse(entry) << "has an open batch, but no result";
    for (auto [k, type] : llvm::enumerate(entry.getResultTypes()))
      if (!batch.hasRows(type))
        return refuse(entry)
               << "result #" << k << " is " << type
               << ", which has no row for each sample: a program for any batch "
                  "size gives rows; export for a fixed batch";
    auto one = functionOfOne(entry);
    auto isOne = [&](Type type, Type ofOne) {
      auto tensor = cast<RankedTensorType>(type);
      SmallVector<int64_t> shape(tensor.getShape());
      if (batch.hasRows(type))
        shape[0] = 1;
      return tensor.clone(shape) == ofOne;
    };
    if (!one ||
        (llvm::all_of_zip(entry.getArgumentTypes(), one.getArgumentTypes(),
                          isOne) &&
         llvm::all_of_zip(entry.getResultTypes(), one.getResultTypes(), isOne)))
      return success();
    return refuse(entry) << "has other inputs, Parameters or results for a "
                            "batch of 1 than for others: export for a fixed "
                            "batch";
  }

  /// What the program is for a batch of 1, where that is known: Python may have
  /// captured another one.
  static func::FuncOp functionOfOne(func::FuncOp entry) {
    auto name = entry->getAttrOfType<FlatSymbolRefAttr>("cell.batch_of_one");
    return name
               ? SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(entry, name)
               : func::FuncOp();
  }

  /// Copies of `entry` and all that it calls, for `rows` rows.
  func::FuncOp copyFor(func::FuncOp entry, const OpenBatch &batch,
                       int64_t rows) {
    SymbolTable symbols(getOperation());
    SmallVector<std::pair<StringAttr, func::FuncOp>> copies;
    for (func::FuncOp function : reachableFrom(entry)) {
      func::FuncOp copy = function.clone();
      copy.setName((function.getName() + "_of_" + Twine(rows)).str());
      copy.setPrivate();
      for (unsigned i = 0; i < copy.getNumArguments(); ++i)
        copy.removeArgAttr(i, "cell.role");
      symbols.insert(copy);
      dropRules(copy);
      setBatchSize(copy, batch, rows);
      copies.emplace_back(function.getSymNameAttr(), copy);
    }
    for (auto &[name, copy] : copies)
      for (auto &[old, target] : copies)
        (void)SymbolTable::replaceAllSymbolUses(old, target.getSymNameAttr(),
                                                copy);
    return copies.back().second;
  }
};

} // namespace
