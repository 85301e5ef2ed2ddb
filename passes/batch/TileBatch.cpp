//===- TileBatch.cpp - loops over tiles of an open batch ------------------===//

#include "passes/batch/BatchForms.h"
#include "passes/batch/BatchPositions.h"
#include "passes/batch/BatchPrograms.h"
#include "passes/batch/OwnElements.h"
#include "passes/batch/Passes.h"
#include "passes/batch/SumPhases.h"

#include "dialect/BatchParts.h"
#include "dialect/CollectiveOps.h"
#include "dialect/Refusal.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/SetVector.h"

namespace cellgrad {
#define GEN_PASS_DEF_TILEBATCHPASS
#include "passes/batch/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Samples of so many of the largest tiles are kept between phases, however
/// large they are: a program for one tile keeps its samples, too, and memory
/// that no sample is in costs nothing. So are those of programs for known
/// sizes, which may be of a million samples.
constexpr int64_t kTilesAlwaysKept = 2;

/// Tiles for what is left over of 8 samples, or is not more than that: few
/// samples take as long as one where weights are packed or read from memory
/// for each tile.
constexpr int64_t kSizesBetween[] = {7, 6, 5, 3};

/// Sums over the batch have no larger tiles: each is compiled for every phase,
/// and 64 and 128 samples, which have programs of their own, take as long in
/// tiles of 32.
constexpr int64_t kLargestOfSums = 32;

/// So many samples, at most, are in memory at once between layers where each
/// sample is computed by itself.
constexpr int64_t kPartOfBatch = 288;

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
    for (SmallVector<int64_t> *rows : {&sizes, &between})
      llvm::erase_if(*rows, [&](int64_t n) { return n > batch.max; });
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
    for (func::FuncOp entry : adding) {
      separateOwnElements(entry, batch);
      numberExtrema(entry, batch);
      simplify(entry);
      if (failed(SampleFlow(batch).run(entry)))
        return signalPassFailure();
    }
    for (func::FuncOp entry : llvm::concat<func::FuncOp>(apart, adding))
      for (func::FuncOp program : batchProgramsOf(entry))
        if (failed(checkProgram(entry, program, batch)))
          return signalPassFailure();
    // All copies first: one entry may call another.
    SmallVector<SmallVector<Tile>> known, copies;
    for (func::FuncOp entry : apart)
      known.push_back(programsFor(entry, batch, /*adds=*/false));
    for (func::FuncOp entry : adding)
      known.push_back(programsFor(entry, batch, /*adds=*/true));
    for (func::FuncOp entry : apart) // one sample has a program
      copies.push_back(tilesOf(entry, batch, false, /*apart=*/true));
    for (auto [entry, tiles] : llvm::zip(apart, copies))
      if (!cutAtProducts(entry, batch))
        makeLoops(entry, batch, tiles);
    for (auto [entry, programs] :
         llvm::zip(adding, llvm::drop_begin(known, apart.size())))
      if (failed(cutIntoPhases(entry, batch, programs)))
        return signalPassFailure();
    for (auto [entry, programs] :
         llvm::zip(llvm::concat<func::FuncOp>(apart, adding), known)) {
      putBeside(entry, programs);
      entry->setAttr("cell.batch", module->getAttr("cell.batch"));
      entry->setAttr(kBatchTiles, UnitAttr::get(&getContext()));
      entry->removeAttr(kPrograms);
    }
    module->removeAttr("cell.batch");
    // Functions that were copied, with the rules that only they name.
    OpPassManager unused(ModuleOp::getOperationName());
    unused.addPass(createSymbolDCEPass());
    if (failed(runPipeline(unused, module)))
      signalPassFailure();
  }

private:
  SmallVector<int64_t> sizes;   ///< rows of the tiles
  SmallVector<int64_t> between; ///< and of further ones, for few samples

  LogicalResult readTiles() {
    sizes.assign(tiles.begin(), tiles.end());
    if (sizes.empty()) {
      sizes.assign(std::begin(kBatchTileSizes), std::end(kBatchTileSizes));
      between.assign(std::begin(kSizesBetween), std::end(kSizesBetween));
    }
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
      if (hasBatch(function, batch) && !keepsSamplesApart(function, batch) &&
          callsOrDerives(function))
        return expandDerivatives(getOperation());
    }
    return success();
  }

  /// A copy for each size, or for `everyOther` of the usual ones, 2 and 1:
  /// products of one row add in another order. Where samples are `apart`, tiles
  /// of 2 may overlap: none is of 1.
  SmallVector<Tile> tilesOf(func::FuncOp function, const OpenBatch &batch,
                            bool everyOther = false, bool apart = false) {
    SmallVector<int64_t> taken;
    bool isUsual = !between.empty(); // not given as an option
    for (auto [i, rows] : llvm::enumerate(sizes))
      if ((rows == 1 ? !apart : rows == 2 || !everyOther || i % 2 == 0) &&
          (apart || !isUsual || rows <= kLargestOfSums))
        taken.push_back(rows);
    for (int64_t rows : between)
      if (!everyOther)
        taken.push_back(rows);
    llvm::sort(taken, std::greater<>());
    SmallVector<Tile> tiles;
    for (int64_t rows : taken)
      tiles.emplace_back(rows, copyFor(function, batch, rows));
    return tiles;
  }

  /// Samples that know nothing of each other, and large layers: these are for
  /// all samples at once, with loops over tiles between them. Without such
  /// layers, the entry is left as it is, but for the batch as an argument.
  bool cutAtProducts(func::FuncOp entry, const OpenBatch &batch) {
    bool mayCut = byRows && kept > 3;
    if (mayCut) {
      if (callsOrDerives(entry)) {
        func::FuncOp copy = copyFor(entry, batch, batch.size);
        entry.getBody().takeBody(copy.getBody());
        copy.erase();
        inlineCalls(entry);
        mayCut = !callsOrDerives(entry);
      }
      simplify(entry);
    }
    Value size = addBatchArgument(entry);
    SampleFlow flow(batch);
    ScopedDiagnosticHandler silent(&getContext(),
                                   [](Diagnostic &) { return success(); });
    return mayCut && succeeded(flow.run(entry)) &&
           SumPhases(entry, batch, flow, std::min<int64_t>(kept, kPartOfBatch),
                     /*alwaysKept=*/0, byRows)
               .buildInParts(size, [&](func::FuncOp function, bool everyOther) {
                 return tilesOf(function, batch, everyOther, /*apart=*/true);
               });
  }

  /// Samples that know nothing of each other: loops over the tiles.
  static void makeLoops(func::FuncOp entry, const OpenBatch &batch,
                        ArrayRef<Tile> tiles) {
    Block &body = entry.getBody().front();
    body.clear();
    SmallVector<Value> inputs(llvm::drop_begin(body.getArguments()));
    Value size = readBatchArgument(entry);
    OpBuilder b = OpBuilder::atBlockEnd(&body);
    SmallVector<Combine> none(entry.getNumResults(), Combine::None);
    func::ReturnOp::create(
        b, entry.getLoc(),
        TileLoops(b, entry.getLoc(), size, batch)
            .run(tiles, inputs, entry.getResultTypes(), none));
  }

  /// Equal values are one, and no product is transposed that could be made so:
  /// it may become one that is no longer of the cell dialect (RowProducts.h).
  /// Constants stay: they may follow from the batch.
  void simplify(func::FuncOp entry) {
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(entry);
    eliminateCommonSubExpressions(rewriter, dominance, entry);
    RewritePatternSet products(&getContext());
    MatMulOp::getCanonicalizationPatterns(products, &getContext());
    (void)applyPatternsGreedily(
        entry, std::move(products),
        GreedyRewriteConfig().enableFolding(false).setRegionSimplificationLevel(
            GreedySimplifyRegionLevel::Disabled));
  }

  /// Samples that are added up over the batch. Ranks choose one of `programs`
  /// together; else what calls the entry does.
  LogicalResult cutIntoPhases(func::FuncOp entry, const OpenBatch &batch,
                              SmallVector<Tile> &programs) {
    SampleFlow flow(batch);
    bool meets = entry
                     .walk([](Operation *op) {
                       return needsAllRanks(op) ? WalkResult::interrupt()
                                                : WalkResult::advance();
                     })
                     .wasInterrupted();
    int64_t always = kTilesAlwaysKept * sizes.front();
    for (const Tile &program : programs)
      always = std::max(always, program.first);
    SmallVector<Tile> whole;
    if (meets)
      whole.swap(programs);
    Value size = addBatchArgument(entry);
    computeForms(entry, size);
    if (failed(flow.run(entry)) || failed(checkResults(entry, batch, flow)))
      return failure();
    SumPhases(entry, batch, flow, kept, always, byRows)
        .build(size, whole, [&](func::FuncOp function, bool everyOther) {
          return tilesOf(function, batch, everyOther);
        });
    return success();
  }

  /// Programs for batches of known sizes, which are as those compiled for the
  /// size: the entry's own where it has one, else copies.
  SmallVector<Tile> programsFor(func::FuncOp entry, const OpenBatch &batch,
                                bool adds) {
    SmallVector<func::FuncOp> own = batchProgramsOf(entry);
    SmallVector<Tile> programs;
    for (int64_t rows : sizesWithPrograms(batch, sizes, adds)) {
      func::FuncOp program;
      for (func::FuncOp given : own)
        if (sizeOfProgram(entry, given, batch) == rows)
          program = given;
      for (func::FuncOp given : own)
        if (!program && sizeOfProgram(entry, given, batch) == batch.size)
          program = copyFor(given, batch, rows, /*derives=*/true);
      if (!program && adds && rows == 1)
        continue; // the phases' tile
      programs.emplace_back(rows,
                            program ? program : copyFor(entry, batch, rows));
    }
    return programs;
  }

  /// Makes programs for known sizes functions that what calls `entry` chooses
  /// by the batch (`cell-emit-abi`). They take and give the same.
  static void putBeside(func::FuncOp entry, ArrayRef<Tile> programs) {
    Builder b(entry.getContext());
    Operation *after = entry;
    for (auto [rows, function] : programs) {
      func::FuncOp program = function;
      program->moveAfter(after);
      after = program;
      program.setPublic();
      for (unsigned i = 0; i < program.getNumArguments(); ++i)
        program.setArgAttrs(i, entry.getArgAttrDict(i + 1));
      for (unsigned i = 0; i < program.getNumResults(); ++i)
        program.setResultAttrs(i, entry.getResultAttrDict(i));
      program->setAttr(
          kBatchProgram,
          b.getDictionaryAttr(
              {b.getNamedAttr("of", b.getStringAttr(entry.getName())),
               b.getNamedAttr("size", b.getI64IntegerAttr(rows))}));
    }
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
    return success();
  }

  /// Copies of `entry` and all that it calls, for `rows` rows. A program that
  /// `derives` keeps its rules for derivatives.
  func::FuncOp copyFor(func::FuncOp entry, const OpenBatch &batch, int64_t rows,
                       bool derives = false) {
    SymbolTable symbols(getOperation());
    SmallVector<std::pair<StringAttr, func::FuncOp>> copies;
    for (func::FuncOp function : reachableFrom(entry, derives)) {
      func::FuncOp copy = function.clone();
      copy.setName((function.getName() + "_of_" + Twine(rows)).str());
      copy.setPrivate();
      copy->removeAttr(kPrograms);
      for (unsigned i = 0; i < copy.getNumArguments(); ++i)
        copy.removeArgAttr(i, "cell.role");
      symbols.insert(copy);
      if (!derives)
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
