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

/// The calls of `function`; nothing where other ops refer to it, or there are
/// none.
SmallVector<func::CallOp> callsOf(func::FuncOp function, ModuleOp module) {
  SmallVector<func::CallOp> calls;
  auto uses = SymbolTable::getSymbolUses(function, module);
  if (!uses || function.isExternal())
    return calls;
  for (const SymbolTable::SymbolUse &use : *uses) {
    auto call = dyn_cast<func::CallOp>(use.getUser());
    if (!call)
      return {};
    calls.push_back(call);
  }
  return calls;
}

/// Removes a result that no call uses.
LogicalResult dropUnusedResult(func::FuncOp function,
                               ArrayRef<func::CallOp> calls, unsigned index) {
  auto isUsed = [&](func::CallOp call) {
    return !call.getResult(index).use_empty();
  };
  if (llvm::any_of(calls, isUsed) || failed(dropResult(function, index)))
    return failure();
  for (func::CallOp call : calls) {
    OpBuilder b(call);
    auto fewer =
        func::CallOp::create(b, call.getLoc(), function, call.getOperands());
    unsigned next = 0;
    for (unsigned i = 0; i < call.getNumResults(); ++i)
      if (i != index)
        call.getResult(i).replaceAllUsesWith(fewer.getResult(next++));
    call.erase();
  }
  return success();
}

LogicalResult dropUnusedArgument(func::FuncOp function,
                                 ArrayRef<func::CallOp> calls, unsigned index) {
  if (!function.getArgument(index).use_empty() ||
      failed(function.eraseArgument(index)))
    return failure();
  for (func::CallOp call : calls)
    call->eraseOperand(index);
  return success();
}

/// Removes calls whose results nobody uses, then results and arguments that
/// are not used of functions that are only called.
bool reduceCalls(Reducer &reducer) {
  bool changed = false;
  SmallVector<std::string> names;
  for (auto function : reducer.module().getOps<func::FuncOp>())
    if (function.isPrivate() && !callsOf(function, reducer.module()).empty())
      names.push_back(function.getName().str());
  for (const std::string &name : names) {
    auto attempt = [&](llvm::function_ref<LogicalResult(func::FuncOp,
                                                        ArrayRef<func::CallOp>)>
                           change) {
      return reducer.attempt([&](ModuleOp module) {
        func::FuncOp function = find(module, name);
        SmallVector<func::CallOp> calls = callsOf(function, module);
        return calls.empty() ? failure() : change(function, calls);
      });
    };
    changed |= attempt([](func::FuncOp, ArrayRef<func::CallOp> calls) {
      bool any = false;
      for (func::CallOp call : calls)
        if (call->use_empty()) {
          call->erase();
          any = true;
        }
      return success(any);
    });
    func::FuncOp now = find(reducer.module(), name);
    for (unsigned i = now.getNumResults(); i-- > 0;)
      changed |= attempt([&](func::FuncOp f, ArrayRef<func::CallOp> calls) {
        return dropUnusedResult(f, calls, i);
      });
    changed |= removeDeadOps(reducer);
    now = find(reducer.module(), name);
    for (unsigned i = now.getNumArguments(); i-- > 0;)
      changed |= attempt([&](func::FuncOp f, ArrayRef<func::CallOp> calls) {
        return dropUnusedArgument(f, calls, i);
      });
  }
  return changed;
}

} // namespace

bool reduceSignatures(Reducer &reducer) {
  bool changed = removeDeadOps(reducer);
  changed |= reduceCalls(reducer);
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
