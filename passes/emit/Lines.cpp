//===- Lines.cpp - the program's lines for debuggers and profilers --------===//

#include "passes/emit/Lines.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/Path.h"

using namespace mlir;

namespace {
/// The first line that `location` names, or null.
FileLineColLoc lineOf(Location location) {
  FileLineColLoc found;
  location->walk([&](Location part) {
    auto line = dyn_cast<FileLineColLoc>(part);
    if (line && line.getLine() != 0)
      found = line;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

/// Where a function begins: at its own line, or the first that is in it.
FileLineColLoc beginOf(LLVM::LLVMFuncOp function) {
  FileLineColLoc begin = lineOf(function.getLoc());
  function.walk([&](Operation *op) {
    begin = begin ? begin : lineOf(op->getLoc());
    return begin ? WalkResult::interrupt() : WalkResult::advance();
  });
  // Line 0 is that of code which is of no line.
  return begin ? begin
               : FileLineColLoc::get(function.getContext(), "generated", 0, 0);
}

void giveLines(LLVM::LLVMFuncOp function) {
  FileLineColLoc last = beginOf(function);
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (FileLineColLoc line = lineOf(op->getLoc()))
      last = line;
    op->setLoc(last);
  });
}

/// Ops of other files than their function's say so.
void giveScopes(LLVM::LLVMFuncOp function) {
  auto scoped =
      function.getLoc()->findInstanceOf<FusedLocWith<LLVM::DISubprogramAttr>>();
  FileLineColLoc begin = lineOf(function.getLoc());
  if (!scoped || !begin)
    return;
  function.getBody().walk([&](Operation *op) {
    auto line = dyn_cast<FileLineColLoc>(op->getLoc());
    if (!line || line.getFilename() == begin.getFilename())
      return;
    MLIRContext *context = op->getContext();
    StringRef path = line.getFilename().getValue();
    auto file = LLVM::DIFileAttr::get(context, llvm::sys::path::filename(path),
                                      llvm::sys::path::parent_path(path));
    auto scope = LLVM::DILexicalBlockFileAttr::get(
        context, scoped.getMetadata(), file, /*discriminator=*/0);
    op->setLoc(FusedLoc::get({Location(line)}, scope, context));
  });
}
} // namespace

LogicalResult cellgrad::addLines(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      giveLines(function);
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(LLVM::createDIScopeForLLVMFuncOpPass());
  if (failed(pm.run(module)))
    return failure();
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal())
      giveScopes(function);
  return success();
}
