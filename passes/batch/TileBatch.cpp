//===- TileBatch.cpp - loops over tiles of an open batch ------------------===//

#include "passes/batch/BatchForms.h"
#include "passes/batch/Passes.h"
#include "passes/batch/SumPhases.h"

#include "dialect/Refusal.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace cellgrad {
#define GEN_PASS_DEF_TILEBATCHPASS
#include "passes/batch/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

constexpr int64_t kTiles[] = {128, 64, 32, 8, 2, 1};
/// Batches of the size of a tile of so many samples have a program of their
/// own, where samples are added up, and so do those that `cell.batch` names: it
/// keeps samples between the sums.
constexpr int64_t kFewestWhole = 32;

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
    llvm::erase_if(sizes, [&](int64_t rows) { return rows > batch.max; });
    if (failed(writeOut(batch)))
      return signalPassFailure();
    SmallVector<func::FuncOp> apart, adding;
    llvm::SetVector<func::FuncOp> others; // that do not run for the batch
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!hasBatch(function, batch)) {
        if (function.isPublic() && !function.isDeclaration())
          others.insert_range(reachableFrom(function));
      } else {
        (keepsSamplesApart(function, batch) ? apart : adding)
            .push_back(function);
      }
    }
    for (func::FuncOp function : others)
      if (failed(checkRows(function, batch)))
        return signalPassFailure();
    for (func::FuncOp entry : llvm::concat<func::FuncOp>(apart, adding))
      if (failed(checkEntry(entry, batch)))
        return signalPassFailure();
    for (func::FuncOp entry : adding)
      if (failed(cutIntoPhases(entry, batch)))
        return signalPassFailure();
    // All copies first: one entry may call another.
    SmallVector<SmallVector<Tile>> copies;
    for (func::FuncOp entry : apart)
      copies.push_back(tilesOf(entry, batch, functionOfOne(entry)));
    for (auto [entry, tiles] : llvm::zip(apart, copies))
      makeLoops(entry, batch, tiles);
    for (func::FuncOp entry : llvm::concat<func::FuncOp>(apart, adding)) {
      entry->setAttr("cell.batch", module->getAttr("cell.batch"));
      entry->removeAttr("cell.batch_of_one");
    }
    module->removeAttr("cell.batch");
    module->setAttr("cell.batch_tiles", UnitAttr::get(&getContext()));
    // Functions that were copied, with the rules that only they name.
    OpPassManager unused(ModuleOp::getOperationName());
    unused.addPass(createSymbolDCEPass());
    if (failed(runPipeline(unused, module)))
      signalPassFailure();
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

  static bool hasBatch(func::FuncOp function, const OpenBatch &batch) {
    return function.isPublic() && !function.isDeclaration() &&
           llvm::any_of(function.getArgumentTypes(),
                        [&](Type type) { return batch.hasRows(type); });
  }

  /// Writes derivatives and calls out where entries do more than to compute
  /// samples one by one.
  LogicalResult writeOut(const OpenBatch &batch) {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!hasBatch(function, batch) || keepsSamplesApart(function, batch))
        continue;
      bool calls = function
                       .walk([](Operation *op) {
                         return isa<func::CallOp, CustomOp, RecomputeOp, VJPOp,
                                    JVPOp, VMapOp>(op)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
      if (calls)
        return expandDerivatives(getOperation());
    }
    return success();
  }

  /// Tiles of a function: `one`, if there is one, for one sample.
  SmallVector<Tile> tilesOf(func::FuncOp function, const OpenBatch &batch,
                            func::FuncOp one) {
    SmallVector<Tile> tiles;
    for (int64_t rows : sizes)
      tiles.emplace_back(
          rows, rows == 1 && one ? one : copyFor(function, batch, rows));
    return tiles;
  }

  /// Samples that know nothing of each other: loops over the tiles.
  static void makeLoops(func::FuncOp entry, const OpenBatch &batch,
                        ArrayRef<Tile> tiles) {
    Block &body = entry.getBody().front();
    body.clear();
    SmallVector<Value> inputs(body.args_begin(), body.args_end());
    Value size = addBatchArgument(entry);
    OpBuilder b = OpBuilder::atBlockEnd(&body);
    SmallVector<Combine> none(entry.getNumResults(), Combine::None);
    func::ReturnOp::create(
        b, entry.getLoc(),
        TileLoops(b, entry.getLoc(), size, batch)
            .run(tiles, inputs, entry.getResultTypes(), none));
  }

  /// Samples that are added up over the batch.
  LogicalResult cutIntoPhases(func::FuncOp entry, const OpenBatch &batch) {
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(entry);
    eliminateCommonSubExpressions(rewriter, dominance, entry);
    SampleFlow flow(batch);
    if (failed(flow.run(entry)))
      return failure();
    SmallVector<Tile> whole = wholeOf(entry, batch);
    Value size = addBatchArgument(entry);
    computeForms(entry, size);
    if (failed(flow.run(entry)) || failed(checkResults(entry, batch, flow)))
      return failure();
    SumPhases(entry, batch, flow, kept)
        .build(size, whole, [&](func::FuncOp function) {
          return tilesOf(function, batch, /*one=*/{});
        });
    return success();
  }

  /// Programs for batches of known sizes, which are as those compiled for the
  /// size.
  SmallVector<Tile> wholeOf(func::FuncOp entry, const OpenBatch &batch) {
    SmallVector<Tile> whole;
    SmallVector<int64_t> known(batch.often);
    for (int64_t rows : sizes)
      if (rows >= kFewestWhole && !llvm::is_contained(known, rows))
        known.push_back(rows);
    auto one = functionOfOne(entry);
    for (int64_t rows : known)
      if (rows > 1 || !one)
        whole.emplace_back(rows, copyFor(entry, batch, rows));
    if (one)
      whole.emplace_back(1, one);
    return whole;
  }

  /// Results with samples have them where callers expect them.
  static LogicalResult checkResults(func::FuncOp entry, const OpenBatch &batch,
                                    const SampleFlow &flow) {
    Operation *ret = entry.getBody().front().getTerminator();
    for (auto [k, value] : llvm::enumerate(ret->getOperands())) {
      Share share = flow.of(value);
      if (!share.hasSamples() || share.kind == Share::Alike ||
          (batchDimOf(value.getType(), batch).dim == 0 &&
           batchDimOf(value.getType(), batch).count == 1))
        continue;
      return refuse(entry) << "result #" << k << " is "
                           << shapeInWords(
                                  cast<RankedTensorType>(value.getType()),
                                  batch)
                           << ": a program for any batch size gives samples "
                              "with the batch as "
                              "the first dimension";
    }
    return success();
  }

  static LogicalResult checkEntry(func::FuncOp entry, const OpenBatch &batch) {
    auto many = [&](StringRef what, size_t number, Type type) {
      return refuse(entry) << what << " #" << number << " is " << type
                           << ", which has " << batch.rowsOf(type)
                           << " rows for each sample: a program for any batch "
                              "size takes and gives one; reshape it, with the "
                              "batch as the first dimension";
    };
    for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
      if (batch.rowsOf(type) > 1)
        return many("argument", i, type);
    for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes()))
      if (entry.getArgAttr(i, "cell.donate") && batch.hasRows(type))
        return refuse(entry)
               << "updates argument #" << i
               << " in place, which has a row for each sample: a program for "
                  "any batch size only reads them; export for a fixed batch";
    if (entry.getNumResults() == 0)
      return refuse(entry) << "has an open batch, but no result";
    for (auto [k, type] : llvm::enumerate(entry.getResultTypes()))
      if (batch.rowsOf(type) > 1)
        return many("result", k, type);
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
      evaluateForms(copy, rows);
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
