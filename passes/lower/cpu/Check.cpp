//===- Check.cpp - ways out of an entry -----------------------------------===//

#include "passes/lower/cpu/Check.h"

#include "passes/lower/cpu/CallFrame.h"

#include "dialect/CellDialect.h"
#include "runtime/cellgrad_abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace cellgrad;

bool cellgrad::canFail(Operation *op) {
  return isa<CheckOp, PollOp, StashEmptyOp, StashWriteOp, StashStoreOp>(op);
}

/// The line of the program that `loc` leads to, as "file:line"; or nothing.
static std::string lineOf(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto line = dyn_cast<FileLineColLoc>(inner);
    if (!line)
      return WalkResult::advance();
    text = (llvm::sys::path::filename(line.getFilename()) + ":" +
            Twine(line.getLine()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

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
  SmallVector<EndOp> ends;
  module.walk([&](EndOp end) { ends.push_back(end); });
  for (EndOp end : ends) {
    Block *&leave = leaving[end->getParentOfType<LLVM::LLVMFuncOp>()];
    if (!leave)
      leave = leavingBlock(end);
    Block *block = end->getBlock();
    Block *rest = block->splitBlock(std::next(end->getIterator()));
    OpBuilder b(end);
    LLVM::CondBrOp::create(b, end.getLoc(), end.getOk(), rest, ValueRange(),
                           leave, end.getStatus(),
                           std::pair<uint32_t, uint32_t>{1u << 20, 1u});
    end.erase();
  }
}

void cellgrad::lowerChecks(ModuleOp module) {
  SmallVector<CheckOp> checks;
  module.walk([&](CheckOp check) { checks.push_back(check); });
  if (checks.empty())
    return;
  llvm::SetVector<Attribute> messages;
  Builder b(module.getContext());
  for (CheckOp check : checks) {
    std::string text = check.getMessage().str(), line = lineOf(check.getLoc());
    if (!line.empty())
      text += " (" + line + ")";
    Attribute message = b.getStringAttr(text);
    messages.insert(message);
    auto place = llvm::find(messages, message) - messages.begin();
    OpBuilder at(check);
    Value status =
        LLVM::ConstantOp::create(at, check.getLoc(), at.getI32Type(),
                                 CG_ERROR_CHECK + static_cast<int32_t>(place));
    EndOp::create(at, check.getLoc(), check.getOk(), status);
    check.erase();
  }
  module->setAttr("cell.checks", b.getArrayAttr(messages.getArrayRef()));
}
