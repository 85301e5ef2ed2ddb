//===- Callers.h - who calls which function -------------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_CALLERS_H
#define CELLGRAD_LOWER_BUFFERS_CALLERS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/CallInterfaces.h"

#include "llvm/ADT/DenseMap.h"

namespace cellgrad {

/// The calls of each function of a module, in their order. MLIR's SymbolUserMap
/// looks for symbols in all attributes of all ops, in ten times the time.
class Callers {
public:
  explicit Callers(mlir::ModuleOp module) {
    module.walk([&](mlir::CallOpInterface call) {
      auto callee = call.getCallableForCallee().dyn_cast<mlir::SymbolRefAttr>();
      if (callee)
        calls[callee.getRootReference()].push_back(call);
    });
  }

  llvm::ArrayRef<mlir::Operation *> of(mlir::Operation *function) const {
    auto found = calls.find(mlir::SymbolTable::getSymbolName(function));
    if (found == calls.end())
      return {};
    return found->second;
  }

private:
  llvm::DenseMap<mlir::Attribute, llvm::SmallVector<mlir::Operation *, 2>>
      calls;
};

} // namespace cellgrad

#endif
