//===- EmitGemm.cpp - contractions on memrefs to blocked loops ------------===//

#include "passes/lower/buffers/Contraction.h"
#include "passes/lower/buffers/Epilogue.h"
#include "passes/lower/buffers/FillFolding.h"
#include "passes/lower/buffers/OpCost.h"
#include "passes/lower/buffers/SumLoop.h"
#include "passes/lower/cpu/GemmEmitter.h"
#include "passes/lower/cpu/ItemLoop.h"
#include "passes/lower/cpu/Passes.h"
#include "passes/lower/cpu/TileEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace cellgrad {
#define GEN_PASS_DEF_EMITGEMM
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Fewer products of a batch, each of which can be shared, are not items: some
/// thread would have much more to do than others.
constexpr int64_t kFewestProducts = 4;

/// Up to so many rows of a batch have a plan of their own. Where they are rows
/// of the result, plans are for about so many.
constexpr int64_t kFewRows = 64, kFewUsualRows = 8, kUsualRows = 128;

GemmMatrix matrix(FlatMemory &mem, const Access &access, unsigned row,
                  unsigned column) {
  auto [flat, start] = mem.flatten(access.memref);
  return {flat, start.plus(access.offset), access.strides[row],
          access.strides[column]};
}

struct EmitGemm : cellgrad::impl::EmitGemmBase<EmitGemm> {
  using EmitGemmBase::EmitGemmBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // Others may go with an op, and what was emitted hides what it writes.
    SmallVector<std::pair<linalg::GenericOp, SmallVector<ZeroBorder>>> ops;
    getOperation().walk([&](linalg::GenericOp op) {
      if (isSumOfProducts(op) && hasKernelTypes(op))
        ops.emplace_back(op, isProductOfRows(op) ? SmallVector<ZeroBorder>()
                                                 : zeroBorders(op));
    });
    for (auto &[op, borders] : ops) {
      if (isProductOfRows(op))
        emitRows(rewriter, op);
      else if (std::optional<Contraction> contraction = matchContraction(op))
        emit(rewriter, op, *contraction);
      else
        emitStrided(rewriter, op, borders);
    }
  }

  void emit(IRRewriter &rewriter, linalg::GenericOp op,
            Contraction &contraction) {
    Location loc = op.getLoc();
    LoopNest &nest = contraction.nest;
    Access &a = nest.inputs[0], &bb = nest.inputs[1], &c = nest.outputs[0];
    GemmProblem problem;
    problem.element = c.elementType();
    GemmShape &shape = problem.shape;
    shape = shapeOf(contraction);
    GemmPlan plan = planGemm(shape, *target);
    linalg::GenericOp epilogue = findEpilogue(op);
    std::optional<LoopNest> epilogueLoops;
    if (epilogue && completesTiles(shape, plan) && bodyVectorises(epilogue))
      epilogueLoops = epilogueNest(contraction, epilogue);
    // Products of a batch are items, or blocks of one product where there are
    // few of them.
    ArrayRef<unsigned> batch(contraction.batch);
    int64_t products = 1;
    for (unsigned dim : batch)
      products *= nest.sizes[dim];
    double nanoseconds = products * estimateNanoseconds(shape, problem.element);
    if (epilogueLoops) {
      problem.epilogueNanoseconds =
          estimateNanoseconds(cast<linalg::LinalgOp>(epilogue.getOperation()));
      nanoseconds += problem.epilogueNanoseconds;
      problem.epilogueNanoseconds /= products;
    }
    bool isLong = nanoseconds >= fewestNanoseconds;
    problem.inItems = isLong && products < kFewestProducts &&
                      nanoseconds / products >= fewestNanoseconds;
    problem.fewestNanoseconds = fewestNanoseconds;
    if (problem.inItems)
      shareGemm(shape, *target, plan);
    if (printPlan) {
      std::string text;
      llvm::raw_string_ostream(text) << plan;
      if (epilogueLoops)
        text += ", epilogue of " +
                std::to_string(llvm::range_size(
                    epilogue.getBody()->without_terminator())) +
                " ops";
      op.emitRemark() << shape.m << "x" << shape.n << "x" << shape.k << ": "
                      << text;
    }

    linalg::FillOp fill = findFill(op, c.memref);
    problem.accumulate =
        !fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
    problem.useFma = target->fma;

    // What the epilogue uses may be defined after the product.
    rewriter.setInsertionPoint(epilogueLoops ? epilogue : op);
    FlatMemory mem(rewriter, loc);
    std::optional<EpilogueEmitter> tiles;
    SmallVector<Operation *> ends{op};
    if (fill && !problem.accumulate)
      ends.push_back(fill);
    if (epilogueLoops) {
      ends.push_back(epilogue);
      // Before it is flattened, which makes views of it. An epilogue may write
      // a result in place of the product that nothing else reads.
      Value buffer = unreshaped(c.memref);
      bool isWritten = llvm::any_of(epilogue.getOutputs(), [&](Value output) {
        return unreshaped(output) == buffer;
      });
      problem.keepsC = problem.accumulate || plan.depthBlock < shape.k ||
                       isWritten || !isUsedOnlyBy(c.memref, ends);
      tiles.emplace(rewriter, contraction, std::move(*epilogueLoops),
                    plan.lanes);
      problem.epilogue = &*tiles;
    }
    problem.a = matrix(mem, a, contraction.m, contraction.k);
    problem.b = matrix(mem, bb, contraction.k, contraction.n);
    problem.c = matrix(mem, c, contraction.m, contraction.n);
    auto moveTo = [&](unsigned dim, Value item) {
      FlatIndex iv{item, 0};
      problem.a.at = mem.advance(problem.a.at, iv, a.strides[dim]);
      problem.b.at = mem.advance(problem.b.at, iv, bb.strides[dim]);
      problem.c.at = mem.advance(problem.c.at, iv, c.strides[dim]);
      if (tiles)
        tiles->moveTo(dim, item);
    };
    auto emitProduct = [&] {
      emitGemm(
          rewriter, loc, problem, plan,
          allocateGemmBuffers(rewriter, loc, shape, plan, problem.element));
    };
    if (isLong && !problem.inItems) {
      emitItems(rewriter, loc, rewriter.getIndexAttr(products), nanoseconds,
                [&](Value item) {
                  for (unsigned dim : llvm::reverse(batch.drop_front())) {
                    Value size = mem.constant(nest.sizes[dim]);
                    moveTo(dim,
                           arith::RemUIOp::create(rewriter, loc, item, size));
                    item = arith::DivUIOp::create(rewriter, loc, item, size);
                  }
                  moveTo(batch[0], item);
                  emitProduct();
                });
    } else {
      for (unsigned dim : batch) {
        auto loop =
            scf::ForOp::create(rewriter, loc, mem.constant(0),
                               mem.constant(nest.sizes[dim]), mem.constant(1));
        rewriter.setInsertionPoint(loop.getBody()->getTerminator());
        moveTo(dim, loop.getInductionVar());
      }
      emitProduct();
    }
    for (Operation *end : ends)
      rewriter.eraseOp(end);
    if (!problem.keepsC)
      eraseBuffer(rewriter, unreshaped(c.memref));
  }

  /// Erases a temporary that nothing reads or writes, with its views.
  static void eraseBuffer(IRRewriter &rewriter, Value buffer) {
    for (Operation *view : llvm::make_early_inc_range(buffer.getUsers()))
      eraseBuffer(rewriter, view->getResult(0));
    rewriter.eraseOp(buffer.getDefiningOp());
  }

  /// Some rows of a buffer, as many as there are when the code runs.
  struct SomeRows {
    Value view, all;
    int64_t most, stride;
    OpFoldResult first, count;
  };

  static std::optional<SomeRows> someRowsOf(Value operand) {
    auto view = operand.getDefiningOp<memref::SubViewOp>();
    if (!view)
      return std::nullopt;
    MemRefType type = view.getSourceType();
    SmallVector<int64_t> strides;
    int64_t offset;
    if (type.getRank() != 2 || !type.hasStaticShape() ||
        failed(type.getStridesAndOffset(strides, offset)) || strides[1] != 1 ||
        ShapedType::isDynamic(strides[0]) ||
        !isConstantIntValue(view.getMixedOffsets()[1], 0) ||
        !llvm::all_of(view.getMixedStrides(),
                      [](OpFoldResult stride) {
                        return isConstantIntValue(stride, 1);
                      }) ||
        !isConstantIntValue(view.getMixedSizes()[1], type.getDimSize(1)))
      return std::nullopt;
    return SomeRows{
        operand,    view.getSource(),          type.getDimSize(0),
        strides[0], view.getMixedOffsets()[0], view.getMixedSizes()[0]};
  }

  /// The distance of the rows of a matrix of known size, each without gaps.
  static std::optional<int64_t> strideOf(Value matrix) {
    auto type = cast<MemRefType>(matrix.getType());
    SmallVector<int64_t> strides;
    int64_t offset;
    if (!type.hasStaticShape() ||
        failed(type.getStridesAndOffset(strides, offset)) || strides[1] != 1 ||
        ShapedType::isDynamic(strides[0]))
      return std::nullopt;
    return strides[0];
  }

  GemmProblem problemOf(linalg::GenericOp op, linalg::FillOp fill) {
    GemmProblem problem;
    problem.element = getElementTypeOrSelf(op.getOutputs()[0].getType());
    problem.accumulate =
        !fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
    problem.useFma = target->fma;
    problem.fewestNanoseconds = fewestNanoseconds;
    return problem;
  }

  static GemmMatrix matrixOf(FlatMemory &mem, Value memref, int64_t row,
                             int64_t column) {
    auto [flat, start] = mem.flatten(memref);
    return GemmMatrix{flat, start, row, column};
  }

  static GemmMatrix matrixOf(FlatMemory &mem, const SomeRows &rows) {
    GemmMatrix matrix = matrixOf(mem, rows.all, rows.stride, 1);
    FlatIndex first;
    if (std::optional<int64_t> known = getConstantIntValue(rows.first))
      first.constant = *known;
    else
      first.var = cast<Value>(rows.first);
    matrix.at = mem.advance(matrix.at, first, rows.stride);
    return matrix;
  }

  static void erase(IRRewriter &rewriter, linalg::GenericOp op,
                    linalg::FillOp fill, const GemmProblem &problem) {
    rewriter.eraseOp(op);
    if (fill && !problem.accumulate)
      rewriter.eraseOp(fill);
  }

  /// Emits one of two plans: for few rows of a batch, or for many.
  static void emitForSize(IRRewriter &rewriter, Location loc, Value rows,
                          int64_t few, function_ref<void(bool areFew)> emit) {
    Value areFew = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::sle, rows,
        arith::ConstantIndexOp::create(rewriter, loc, few));
    auto choice = scf::IfOp::create(rewriter, loc, areFew, /*withElse=*/true);
    rewriter.setInsertionPointToStart(choice.thenBlock());
    emit(true);
    rewriter.setInsertionPointToStart(choice.elseBlock());
    emit(false);
  }

  /// Products of the rows of a batch. What has another form stays, and is
  /// refused by cell-emit-loops.
  void emitRows(IRRewriter &rewriter, linalg::GenericOp op) {
    AffineExpr m, n, k;
    bindDims(rewriter.getContext(), m, n, k);
    SmallVector<SmallVector<AffineExpr>> maps;
    for (AffineMap map : op.getIndexingMapsArray())
      maps.emplace_back(map.getResults());
    using Maps = SmallVector<SmallVector<AffineExpr>>;
    rewriter.setInsertionPoint(op);
    if (maps == Maps{{k, m}, {k, n}, {m, n}})
      emitSumOfRows(rewriter, op);
    else if (maps == Maps{{m, k}, {k, n}, {m, n}})
      emitEachRow(rewriter, op, /*transposeB=*/false);
    else if (maps == Maps{{m, k}, {n, k}, {m, n}})
      emitEachRow(rewriter, op, /*transposeB=*/true);
  }

  /// C[m, n] += A[m, k] * B[k, n] for all m.
  void emitEachRow(IRRewriter &rewriter, linalg::GenericOp op,
                   bool transposeB) {
    Location loc = op.getLoc();
    Value weights = op.getInputs()[1];
    auto a = someRowsOf(op.getInputs()[0]), c = someRowsOf(op.getOutputs()[0]);
    std::optional<int64_t> b = strideOf(weights);
    if (!a || !b || !c)
      return;
    linalg::FillOp fill = findFill(op, c->view);
    GemmProblem problem = problemOf(op, fill);
    auto countOf = [&](const SomeRows &rows) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, rows.count);
    };
    problem.rows =
        arith::MinSIOp::create(rewriter, loc, countOf(*a), countOf(*c));
    problem.mostRows = std::min(a->most, c->most);
    problem.fewRows = true;
    auto type = cast<MemRefType>(weights.getType());
    auto plan = [&](int64_t rows) {
      problem.shape = {std::min(rows, problem.mostRows),
                       type.getDimSize(!transposeB),
                       type.getDimSize(transposeB),
                       a->stride,
                       1,
                       transposeB ? 1 : *b,
                       transposeB ? *b : 1,
                       type.getElementTypeBitWidth(),
                       /*rowsAreOpen=*/true};
      GemmPlan made = planGemm(problem.shape, *target);
      problem.inItems = estimateNanoseconds(problem.shape, problem.element) >=
                        fewestNanoseconds;
      if (problem.inItems)
        shareGemm(problem.shape, *target, made);
      return made;
    };
    auto emitFor = [&](int64_t rows) {
      GemmPlan made = plan(rows);
      const GemmShape &shape = problem.shape;
      if (printPlan) {
        std::string text;
        llvm::raw_string_ostream(text) << made;
        op.emitRemark() << "?x" << shape.n << "x" << shape.k << ", about "
                        << shape.m << ": " << text;
      }
      FlatMemory mem(rewriter, loc);
      problem.a = matrixOf(mem, *a);
      problem.b = matrixOf(mem, weights, shape.bRow, shape.bColumn);
      problem.c = matrixOf(mem, *c);
      emitGemm(
          rewriter, loc, problem, made,
          allocateGemmBuffers(rewriter, loc, shape, made, problem.element));
    };
    // One is for both, where it says the same.
    if (problem.mostRows > kFewRows &&
        !(plan(kFewUsualRows) == plan(kUsualRows)))
      emitForSize(rewriter, loc, problem.rows, kFewRows, [&](bool areFew) {
        problem.fewRows = areFew;
        emitFor(areFew ? kFewUsualRows : kUsualRows);
      });
    else
      emitFor(problem.mostRows > kFewRows ? kUsualRows : kFewUsualRows);
    erase(rewriter, op, fill, problem);
  }

  /// C[m, n] += A[k, m] * B[k, n], the sum over all rows.
  void emitSumOfRows(IRRewriter &rewriter, linalg::GenericOp op) {
    Location loc = op.getLoc();
    auto a = someRowsOf(op.getInputs()[0]), b = someRowsOf(op.getInputs()[1]);
    Value c = op.getOutputs()[0];
    auto type = cast<MemRefType>(c.getType());
    std::optional<int64_t> stride = strideOf(c);
    if (!a || !b || !stride || a->count != b->count)
      return;
    linalg::FillOp fill = findFill(op, c);
    GemmProblem problem = problemOf(op, fill);
    problem.depth = getValueOrCreateConstantIndexOp(rewriter, loc, a->count);
    auto emitFor = [&](int64_t most) {
      GemmShape &shape = problem.shape;
      shape = {type.getDimSize(0),
               type.getDimSize(1),
               most,
               1,
               a->stride,
               b->stride,
               1,
               type.getElementTypeBitWidth()};
      GemmPlan plan = planGemm(shape, *target);
      GemmShape usual = shape;
      usual.k = std::min(most, kFewRows);
      problem.inItems =
          estimateNanoseconds(usual, problem.element) >= fewestNanoseconds;
      if (problem.inItems) {
        // Items are of rows and columns: it is not known how many blocks of the
        // sum there will be. Nor is all of A packed that there is room for.
        GemmPlan alone = plan;
        usual.k = std::min(most, kChainsOfTiles.longest * plan.depthBlock);
        shareGemm(usual, *target, plan);
        problem.inItems = !plan.packA || !plan.columnItems || most == usual.k;
        if (!problem.inItems)
          plan = alone;
      }
      if (printPlan) {
        std::string text;
        llvm::raw_string_ostream(text) << plan;
        op.emitRemark() << shape.m << "x" << shape.n << "x?, " << most
                        << " at most: " << text;
      }
      FlatMemory mem(rewriter, loc);
      problem.a = matrixOf(mem, *a);
      std::swap(problem.a.row, problem.a.column);
      problem.b = matrixOf(mem, *b);
      problem.c = matrixOf(mem, c, *stride, 1);
      emitGemm(
          rewriter, loc, problem, plan,
          allocateGemmBuffers(rewriter, loc, shape, plan, problem.element));
    };
    // A plan for many leaves room for many: panels of few lie far apart.
    int64_t most = std::min(a->most, b->most);
    if (most <= kFewRows) {
      emitFor(most);
    } else {
      emitForSize(rewriter, loc, problem.depth, kFewRows,
                  [&](bool areFew) { emitFor(areFew ? kFewRows : most); });
    }
    erase(rewriter, op, fill, problem);
  }

  /// Convolutions, and contractions over several dimensions.
  void emitStrided(IRRewriter &rewriter, linalg::GenericOp op,
                   ArrayRef<ZeroBorder> borders) {
    Location loc = op.getLoc();
    FailureOr<LoopNest> nest = analyzeNest(op);
    if (failed(nest) || nest->isEmpty())
      return;
    nest->simplify();
    std::optional<StridedProduct> product = stridedProduct(*nest, borders);
    std::optional<TilePlan> plan;
    if (product)
      plan = planTiles(*product, *target);
    if (!plan)
      return;
    if (printPlan) {
      std::string text;
      llvm::raw_string_ostream(text) << *plan;
      op.emitRemark() << text;
    }
    Access &c = nest->outputs[0];
    linalg::FillOp fill = findFill(op, c.memref);
    TileProblem problem;
    problem.accumulate =
        !fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
    problem.useFma = target->fma;
    problem.element = c.elementType();
    problem.fewestNanoseconds = fewestNanoseconds;
    rewriter.setInsertionPoint(op);
    FlatMemory mem(rewriter, loc);
    auto operand = [&](const Access &access) {
      auto [flat, start] = mem.flatten(access.memref);
      return TileOperand{flat, start.plus(access.offset)};
    };
    problem.a = operand(nest->inputs[0]);
    problem.b = operand(nest->inputs[1]);
    problem.c = operand(c);
    emitTiles(rewriter, loc, problem, *plan);
    // Blocks of the sum are added to the zeros.
    if (fill && !problem.accumulate &&
        (plan->outerDepth.empty() || plan->bufferC))
      rewriter.eraseOp(fill);
    rewriter.eraseOp(op);
  }
};

} // namespace
