//===- EmitLoops.cpp - linalg on memrefs to vector loops ------------------===//

#include "passes/lower/cpu/NestEmitter.h"

#include "passes/lower/buffers/AsGeneric.h"
#include "passes/lower/cpu/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace cellgrad {
#define GEN_PASS_DEF_EMITLOOPS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

struct EmitLoops : cellgrad::impl::EmitLoopsBase<EmitLoops> {
  using EmitLoopsBase::EmitLoopsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> work;
    getOperation().walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::CopyOp>(op))
        work.push_back(op);
    });
    for (Operation *op : work) {
      FailureOr<linalg::GenericOp> generic =
          cellgrad::replaceByGeneric(rewriter, op);
      if (failed(generic))
        return signalPassFailure();
      if (!*generic)
        continue;
      if (failed(cellgrad::emitNest(rewriter, *generic, *target,
                                    fewestNanoseconds, printPlan)))
        return signalPassFailure();
    }
  }
};

} // namespace
