//===- OutlineItems.cpp - kernels as functions of ranges of items ---------===//
//
// An `scf.forall` that takes long enough to be shared becomes a function of a
// range of its items and of the worker that computes them:
//
//   scf.forall (%i) in (128) { ... }
//
// becomes
//
//   func.func private @cell_items(args, %begin, %end, %worker)
//       attributes {cell.kernel} {
//     scf.for %i = %begin to %end step %c1 { ... }
//   }
//   call @cell_items(args, %c0, %c128, %c0)
//
// Kernels with the same code are one function.
// The call has its serial meaning until the very end, where it becomes a call
// of the pool that the caller has lent (LaunchKernels.cpp). All other loops
// over items become plain loops.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/cpu/Passes.h"

#include "passes/lower/buffers/Callers.h"
#include "passes/lower/buffers/Items.h"
#include "passes/lower/buffers/SharedCode.h"

#include "dialect/CollectiveOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/IR/SymbolTable.h"

namespace cellgrad {
#define GEN_PASS_DEF_OUTLINEITEMS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// True when the steps only compute: nothing is printed, checked, kept or
/// polled, and calls are of such functions.
bool onlyComputes(scf::ForallOp loop) {
  return !loop->walk([](Operation *op) {
                bool leaves = isa<PrintOp, CheckOp, PollOp, EndOp>(op) ||
                              op->hasTrait<Collective>() ||
                              llvm::any_of(op->getResultTypes(),
                                           llvm::IsaPred<StashType>);
                return leaves ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

struct OutlineItems : cellgrad::impl::OutlineItemsBase<OutlineItems> {
  using OutlineItemsBase::OutlineItemsBase;

  void runOnOperation() override {
    SmallVector<scf::ForallOp> loops; // those inside of others first
    getOperation().walk([&](scf::ForallOp loop) { loops.push_back(loop); });
    SymbolTable symbols(getOperation());
    IRRewriter rewriter(&getContext());
    // Decided before any loop is gone: what one calls stays inside of items.
    DenseSet<Operation *> shared;
    Callers callers(getOperation());
    for (scf::ForallOp loop : loops)
      if (isShared(loop, callers))
        shared.insert(loop);
    auto makePlain = [&](scf::ForallOp loop) {
      rewriter.setInsertionPoint(loop);
      return scf::forallToForLoop(rewriter, loop);
    };
    SharedGroups groups;
    for (scf::ForallOp loop : loops) {
      SharedCode code({loop});
      if (shared.contains(loop) && succeeded(code.collect()))
        groups.add(std::move(code));
      else if (failed(makePlain(loop)))
        return signalPassFailure();
    }
    for (const std::vector<SharedCode> &group : groups.get())
      outline(group, symbols);
  }

private:
  /// Only outermost loops: workers do not share their work.
  bool isShared(scf::ForallOp loop, const Callers &callers) {
    auto time = loop->getAttrOfType<IntegerAttr>(kNanoseconds);
    return time && time.getInt() >= fewestNanoseconds && loop.getRank() == 1 &&
           loop.getStaticUpperBound()[0] != 1 && onlyComputes(loop) &&
           isOutermost(loop, callers);
  }

  /// True for an op that no item runs: in an entry, or in a function that
  /// entries alone call.
  static bool isOutermost(Operation *op, const Callers &callers) {
    if (op->getParentOfType<scf::ForallOp>())
      return false;
    auto function = op->getParentOfType<func::FuncOp>();
    if (!function.isPrivate())
      return true;
    return llvm::all_of(callers.of(function), [](Operation *user) {
      auto caller = user->getParentOfType<func::FuncOp>();
      return caller && !caller.isPrivate() &&
             !user->getParentOfType<scf::ForallOp>();
    });
  }

  void outline(ArrayRef<SharedCode> group, SymbolTable &symbols) {
    auto first = cast<scf::ForallOp>(group.front().getOps().front());
    Location loc = first.getLoc();
    OpBuilder b(&getContext());
    SmallVector<Type> range(3, b.getIndexType());
    SharedFunction shared("cell_items", group, range);
    func::FuncOp kernel = shared.function;
    kernel->setAttr(kKernel, b.getI64IntegerAttr(shared.argumentCount()));
    symbols.insert(kernel);
    b.setInsertionPoint(kernel.front().getTerminator());
    ValueRange last = kernel.getArguments().take_back(3);
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    auto steps = scf::ForOp::create(b, loc, last[0], last[1], one);
    b.setInsertionPointToStart(steps.getBody());
    shared.map.map(first.getInductionVar(0), steps.getInductionVar());
    for (Operation &op : first.getBody()->without_terminator())
      b.clone(op, shared.map);

    for (const SharedCode &code : group) {
      auto loop = cast<scf::ForallOp>(code.getOps().front());
      b.setInsertionPoint(loop);
      SmallVector<Value> operands = shared.operandsFor(code, b);
      Value zero = arith::ConstantIndexOp::create(b, loop.getLoc(), 0);
      Value items = getValueOrCreateConstantIndexOp(
          b, loop.getLoc(), loop.getMixedUpperBound()[0]);
      operands.append({zero, items, zero});
      func::CallOp::create(b, loop.getLoc(), kernel, operands);
      loop.erase();
    }
  }
};

} // namespace
