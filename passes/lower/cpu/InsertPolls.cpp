//===- InsertPolls.cpp - places where a call can be cancelled -------------===//

#include "passes/lower/cpu/Passes.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace cellgrad {
#define GEN_PASS_DEF_INSERTPOLLS
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

struct InsertPolls : cellgrad::impl::InsertPollsBase<InsertPolls> {
  void runOnOperation() override {
    OpBuilder b(&getContext());
    getOperation().walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::WhileOp>(op)) {
        b.setInsertionPointToStart(loop.getAfterBody());
        PollOp::create(b, loop.getLoc(), /*trip=*/true);
      } else if (isa<PrintOp>(op)) {
        b.setInsertionPointAfter(op);
        PollOp::create(b, op->getLoc(), /*trip=*/false);
      }
    });
  }
};

} // namespace
