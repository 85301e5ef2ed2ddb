//===- Signatures.cpp - fewer functions, results, arguments and ops -------===//

#include "tools/reduce/Reducer.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace cellgrad::reduce {
namespace {

/// The names of the functions of `module` that no op refers to.
SmallVector<std::string> freeFunctions(ModuleOp module) {
  SmallVector<std::string> names;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() &&
        SymbolTable::symbolKnownUseEmpty(function, module))
      names.push_back(function.getName().str());
  return names;
}

func::FuncOp find(ModuleOp module, StringRef name) {
  return module.lookupSymbol<func::FuncOp>(name);
}

SmallVector<Operation *> deadOps(ModuleOp module) {
  SmallVector<Operation *> ops;
  module.walk([&](Operation *op) {
    if (isOpTriviallyDead(op))
      ops.push_back(op);
  });
  return ops;
}

/// Erases what nobody uses: all of it, or where that is not interesting, as
/// when a crash is looked for, one op after the other.
bool removeDeadOps(Reducer &reducer) {
  auto eraseAll = [](ModuleOp module) {
    SmallVector<Operation *> dead = deadOps(module);
    if (dead.empty())
      return failure();
    for (; !dead.empty(); dead = deadOps(module))
      llvm::for_each(dead, [](Operation *op) { op->erase(); });
    return success();
  };
  bool changed = reducer.attempt(eraseAll);
  for (size_t i = deadOps(reducer.module()).size(); i-- > 0;)
    changed |= reducer.attempt([&](ModuleOp module) {
      deadOps(module)[i]->erase();
      return success();
    });
  return changed;
}

LogicalResult dropResult(func::FuncOp function, unsigned index) {
  if (!llvm::hasSingleElement(function.getBody()))
    return failure();
  Operation *end = function.getBody().front().getTerminator();
  end->eraseOperand(index);
  return function.eraseResult(index);
}

} // namespace

bool reduceSignatures(Reducer &reducer) {
  bool changed = removeDeadOps(reducer);
  for (const std::string &name : freeFunctions(reducer.module())) {
    // Not the last function: a module without one says nothing.
    bool erased = reducer.attempt([&](ModuleOp module) {
      if (llvm::hasSingleElement(module.getOps<func::FuncOp>()))
        return failure();
      find(module, name).erase();
      return success();
    });
    if (erased) {
      changed = true;
      continue;
    }
    for (unsigned i = find(reducer.module(), name).getNumResults(); i-- > 0;)
      changed |= reducer.attempt([&](ModuleOp module) {
        func::FuncOp function = find(module, name);
        // A function without a result computes nothing.
        return function.getNumResults() > 1 ? dropResult(function, i)
                                            : failure();
      });
    changed |= removeDeadOps(reducer);
    for (unsigned i = find(reducer.module(), name).getNumArguments(); i-- > 0;)
      changed |= reducer.attempt([&](ModuleOp module) {
        func::FuncOp function = find(module, name);
        return function.getArgument(i).use_empty() ? function.eraseArgument(i)
                                                   : failure();
      });
  }
  return changed;
}

} // namespace cellgrad::reduce
