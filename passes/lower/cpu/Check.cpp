//===- Check.cpp - cell.check as a way out of an entry --------------------===//

#include "passes/lower/cpu/Check.h"

#include "dialect/CellDialect.h"
#include "runtime/cellgrad_abi.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace cellgrad;

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

/// The slot where the runtime puts the status of a function that has to give
/// memory back before it returns; or null.
static LLVM::AllocaOp statusSlot(CheckOp check) {
  auto function = check->getParentOfType<LLVM::LLVMFuncOp>();
  for (auto slot : function.getBody().front().getOps<LLVM::AllocaOp>())
    if (slot->hasAttr("cell.status"))
      return slot;
  return {};
}

/// Leaves the function with `code` where `check` does not hold, or goes on to
/// its end with that status.
static void lowerCheck(CheckOp check, int32_t code) {
  OpBuilder b(check);
  Location loc = check.getLoc();
  Value status = LLVM::ConstantOp::create(b, loc, b.getI32Type(), code);
  if (LLVM::AllocaOp slot = statusSlot(check)) {
    Value old = LLVM::LoadOp::create(b, loc, b.getI32Type(), slot);
    Value none = LLVM::ConstantOp::create(b, loc, b.getI32Type(),
                                          static_cast<int32_t>(CG_OK));
    Value first =
        LLVM::ICmpOp::create(b, loc, LLVM::ICmpPredicate::eq, old, none);
    status = LLVM::SelectOp::create(b, loc, first, status, old);
    status = LLVM::SelectOp::create(b, loc, check.getOk(), old, status);
    LLVM::StoreOp::create(b, loc, status, slot);
    check.erase();
    return;
  }
  Block *block = check->getBlock();
  Block *rest = block->splitBlock(std::next(check->getIterator()));
  Block *leave = b.createBlock(block->getParent(), block->getParent()->end());
  LLVM::ReturnOp::create(b, loc, status);
  b.setInsertionPoint(check);
  LLVM::CondBrOp::create(b, loc, check.getOk(), rest, ValueRange(), leave,
                         ValueRange(),
                         std::pair<uint32_t, uint32_t>{1u << 20, 1u});
  check.erase();
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
    lowerCheck(check, CG_ERROR_CHECK + static_cast<int32_t>(place));
  }
  module->setAttr("cell.checks", b.getArrayAttr(messages.getArrayRef()));
}
