//===- SeparateTemporaries.cpp - every temporary in memory of its own -----===//

#include "passes/lower/buffers/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace cellgrad {
#define GEN_PASS_DEF_SEPARATETEMPORARIES
#include "passes/lower/buffers/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

/// Allocates the temporaries of a function where it begins and frees them where
/// it returns: exactly their bytes, with no alignment that would round them up.
void separate(func::FuncOp func) {
  SmallVector<Operation *> temporaries, frees;
  func.walk([&](Operation *op) {
    if (isa<memref::AllocOp, memref::AllocaOp>(op))
      temporaries.push_back(op);
    else if (isa<memref::DeallocOp>(op))
      frees.push_back(op);
  });
  for (Operation *op : frees)
    op->erase();

  Block &body = func.getBody().front();
  OpBuilder atEnd(body.getTerminator());
  for (Operation *op : temporaries) {
    auto type = cast<MemRefType>(op->getResult(0).getType());
    // The first op may be one of those that go.
    OpBuilder atStart = OpBuilder::atBlockBegin(&body);
    Value own = memref::AllocOp::create(atStart, op->getLoc(), type);
    memref::DeallocOp::create(atEnd, op->getLoc(), own);
    op->getResult(0).replaceAllUsesWith(own);
    op->erase();
  }
}

/// The arena that every entry takes, without a byte.
void addArena(func::FuncOp func) {
  Builder b(func.getContext());
  func.getBody().front().addArgument(MemRefType::get({0}, b.getI8Type()),
                                     func.getLoc());
  SmallVector<DictionaryAttr> attrs;
  func.getAllArgAttrs(attrs);
  attrs.push_back(b.getDictionaryAttr({}));
  func.setType(
      b.getFunctionType(func.getBody().front().getArgumentTypes(), {}));
  func.setAllArgAttrs(attrs);
  func->setAttr("cell.arena_bytes", b.getI64IntegerAttr(0));
}

struct SeparateTemporaries
    : cellgrad::impl::SeparateTemporariesBase<SeparateTemporaries> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      if (func.isDeclaration())
        continue;
      separate(func);
      if (!func.isPrivate())
        addArena(func);
    }
  }
};

} // namespace
