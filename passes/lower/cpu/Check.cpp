//===- Check.cpp - ways out of an entry -----------------------------------===//

#include "passes/lower/cpu/Check.h"

#include "dialect/CellDialect.h"
#include "passes/lower/buffers/Checks.h"
#include "passes/lower/cpu/CallFrame.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace cellgrad;

/// The block that leaves the function of `op` with the status it is given.
static Block *leavingBlock(Operation *op) {
  auto function = op->getParentOfType<LLVM::LLVMFuncOp>();
  OpBuilder b(op->getContext());
  Location loc = function.getLoc();
  Region &body = function.getBody();
  Block *leave = b.createBlock(&body, body.end(), {b.getI32Type()}, {loc});
  if (Value frame = callFrame(op))
    closeCallFrame(b, loc, frame);
  LLVM::ReturnOp::create(b, loc, leave->getArgument(0));
  return leave;
}

void cellgrad::lowerEnds(ModuleOp module) {
  llvm::DenseMap<Operation *, Block *> leaving;
  llvm::DenseMap<Operation *, Value> frames;
  SmallVector<EndOp> ends;
  module.walk([&](EndOp end) { ends.push_back(end); });
  // The last one first: what is behind it moves once, not with every other.
  for (EndOp end : llvm::reverse(ends)) {
    auto function = end->getParentOfType<LLVM::LLVMFuncOp>();
    Block *&leave = leaving[function];
    if (!leave)
      leave = leavingBlock(end);
    Location loc = end.getLoc();
    Block *block = end->getBlock();
    Block *rest = block->splitBlock(std::next(end->getIterator()));
    OpBuilder b(end);
    std::pair<uint32_t, uint32_t> rarely{1u << 20, 1u};
    if (end->hasAttr(kAsks)) {
      Block *ask = b.createBlock(rest);
      Value &frame = frames[function];
      if (!frame)
        frame = callFrame(end);
      Value ends =
          callRuntime(b, loc, "cell_rt_cancelled", frame, b.getI32Type());
      Value zero = LLVM::ConstantOp::create(b, loc, b.getI32Type(), 0);
      Value goesOn =
          LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, ends, zero);
      LLVM::CondBrOp::create(b, loc, goesOn, rest, ValueRange(), leave,
                             end.getStatus(), rarely);
      b.setInsertionPoint(end);
      LLVM::CondBrOp::create(b, loc, end.getOk(), rest, ValueRange(), ask,
                             ValueRange(), rarely);
    } else {
      LLVM::CondBrOp::create(b, loc, end.getOk(), rest, ValueRange(), leave,
                             end.getStatus(), rarely);
    }
    end.erase();
  }
}

void cellgrad::lowerChecks(ModuleOp module) {
  for (auto [check, status] : collectChecks(module)) {
    OpBuilder b(check);
    Value code =
        LLVM::ConstantOp::create(b, check.getLoc(), b.getI32Type(), status);
    EndOp::create(b, check.getLoc(), check.getOk(), code);
    check.erase();
  }
}
