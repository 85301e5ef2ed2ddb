//===- EmitGemm.cpp - contractions on memrefs to blocked loops ------------===//

#include "passes/lower/buffers/Contraction.h"
#include "passes/lower/buffers/FillFolding.h"
#include "passes/lower/cpu/GemmEmitter.h"
#include "passes/lower/cpu/ItemLoop.h"
#include "passes/lower/cpu/Passes.h"
#include "passes/lower/cpu/TileEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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

/// True when all operands are memrefs of f32 or all of f64.
bool hasKernelTypes(linalg::GenericOp op) {
  Type element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  return (element.isF32() || element.isF64()) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isa<MemRefType>(operand.getType()) &&
                  getElementTypeOrSelf(operand.getType()) == element;
         });
}

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
    SmallVector<linalg::GenericOp> ops;
    getOperation().walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      if (!hasKernelTypes(op))
        continue;
      if (std::optional<Contraction> contraction = matchContraction(op))
        emit(rewriter, op, *contraction);
      else if (isSumOfProducts(op))
        emitStrided(rewriter, op);
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
    shape.m = nest.sizes[contraction.m];
    shape.n = nest.sizes[contraction.n];
    shape.k = nest.sizes[contraction.k];
    shape.aRow = a.strides[contraction.m];
    shape.aColumn = a.strides[contraction.k];
    shape.bRow = bb.strides[contraction.k];
    shape.bColumn = bb.strides[contraction.n];
    shape.elementBits = problem.element.getIntOrFloatBitWidth();
    GemmPlan plan = planGemm(shape, *target);
    if (printPlan) {
      std::string text;
      llvm::raw_string_ostream(text) << plan;
      op.emitRemark() << shape.m << "x" << shape.n << "x" << shape.k << ": "
                      << text;
    }

    linalg::FillOp fill = findFill(op, c.memref);
    problem.accumulate =
        !fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
    problem.useFma = target->fma;

    rewriter.setInsertionPoint(op);
    FlatMemory mem(rewriter, loc);
    problem.a = matrix(mem, a, contraction.m, contraction.k);
    problem.b = matrix(mem, bb, contraction.k, contraction.n);
    problem.c = matrix(mem, c, contraction.m, contraction.n);
    // Products of a batch are items, or else blocks of one product.
    ArrayRef<unsigned> batch(contraction.batch);
    double nanoseconds =
        nanosecondsOfProducts(2.0 * shape.m * shape.n * shape.k);
    for (unsigned dim : batch)
      nanoseconds *= nest.sizes[dim];
    bool isLong = nanoseconds >= 2 * fewestNanoseconds;
    problem.inItems = isLong && batch.empty();
    problem.fewestNanoseconds = fewestNanoseconds;
    if (problem.inItems)
      plan.rowBlock = itemRows(shape, plan);
    auto moveTo = [&](unsigned dim, Value item) {
      FlatIndex iv{item, 0};
      problem.a.at = mem.advance(problem.a.at, iv, a.strides[dim]);
      problem.b.at = mem.advance(problem.b.at, iv, bb.strides[dim]);
      problem.c.at = mem.advance(problem.c.at, iv, c.strides[dim]);
    };
    auto emitRest = [&](ArrayRef<unsigned> dims) {
      for (unsigned dim : dims) {
        auto loop =
            scf::ForOp::create(rewriter, loc, mem.constant(0),
                               mem.constant(nest.sizes[dim]), mem.constant(1));
        rewriter.setInsertionPoint(loop.getBody()->getTerminator());
        moveTo(dim, loop.getInductionVar());
      }
      emitGemm(rewriter, loc, problem, plan,
               allocateGemmBuffers(rewriter, loc, plan, problem.element));
    };
    if (isLong && !batch.empty())
      emitItems(rewriter, loc, rewriter.getIndexAttr(nest.sizes[batch[0]]),
                nanoseconds, [&](Value item) {
                  moveTo(batch[0], item);
                  emitRest(batch.drop_front());
                });
    else
      emitRest(batch);
    if (fill && !problem.accumulate)
      rewriter.eraseOp(fill);
    rewriter.eraseOp(op);
  }

  /// Convolutions, and contractions over several dimensions.
  void emitStrided(IRRewriter &rewriter, linalg::GenericOp op) {
    Location loc = op.getLoc();
    FailureOr<LoopNest> nest = analyzeNest(op);
    if (failed(nest) || nest->isEmpty())
      return;
    nest->simplify();
    std::optional<StridedProduct> product = stridedProduct(*nest);
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
