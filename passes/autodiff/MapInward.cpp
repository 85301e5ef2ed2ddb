//===- MapInward.cpp - a batch of derivatives of loops --------------------===//
//
// Innermost first, vmap of a vjp would map over the adjoint of a loop. Where
// that loop ends at another trip for each element, so do the walk back and what
// was kept for it. The other order is the same function: the vjp of a loop that
// makes trips until no element needs one.
//
//===----------------------------------------------------------------------===//

#include "passes/autodiff/Expand.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace cellgrad {

namespace {

class MapInward {
public:
  explicit MapInward(SymbolTable &symbols) : symbols(symbols) {}

  /// Treats `func`, after the functions it refers to.
  LogicalResult visit(func::FuncOp func) {
    if (!visited.insert(func).second)
      return success();
    for (bool changed = true; changed;) {
      changed = false;
      SmallVector<VMapOp> maps;
      auto result = func.walk([&](Operation *op) {
        for (func::FuncOp callee : calleesOf(op))
          if (failed(visit(callee)))
            return WalkResult::interrupt();
        if (auto map = dyn_cast<VMapOp>(op))
          maps.push_back(map);
        return WalkResult::advance();
      });
      if (result.wasInterrupted())
        return failure();
      for (VMapOp map : maps) {
        func::FuncOp callee = lookUp(map.getCalleeAttr());
        if (!callee || !walksLoopsBack(callee))
          continue;
        if (failed(expandVMap(map, callee, symbols)))
          return failure();
        changed = true;
      }
    }
    return success();
  }

private:
  using Functions = llvm::SmallPtrSet<Operation *, 8>;

  /// The function called `name` if it is one block that returns; others are
  /// refused where they are differentiated.
  func::FuncOp lookUp(FlatSymbolRefAttr name) {
    auto func = symbols.lookup<func::FuncOp>(name.getValue());
    bool plain = func && func.getBody().hasOneBlock() &&
                 isa<func::ReturnOp>(func.getBody().front().getTerminator());
    return plain ? func : func::FuncOp();
  }

  /// Those that `op` refers to.
  SmallVector<func::FuncOp> calleesOf(Operation *op) {
    SmallVector<func::FuncOp> callees;
    for (NamedAttribute attribute : op->getAttrs())
      if (auto name = dyn_cast<FlatSymbolRefAttr>(attribute.getValue()))
        if (func::FuncOp callee = lookUp(name))
          callees.push_back(callee);
    return callees;
  }

  /// Whether `func` has a reverse derivative of a loop of unknown length.
  bool walksLoopsBack(func::FuncOp func) {
    Functions seen;
    return reaches(func, seen, [&](Operation *op) {
      Functions below;
      return isa<VJPOp>(op) &&
             llvm::any_of(calleesOf(op), [&](func::FuncOp callee) {
               return reaches(callee, below, [](Operation *inner) {
                 return isa<scf::WhileOp>(inner);
               });
             });
    });
  }

  /// Whether an op of `func`, or of a function it refers to, is `wanted`.
  bool reaches(func::FuncOp func, Functions &seen,
               llvm::function_ref<bool(Operation *)> wanted) {
    if (!seen.insert(func).second)
      return false;
    auto found = func.walk([&](Operation *op) {
      bool reached =
          wanted(op) || llvm::any_of(calleesOf(op), [&](func::FuncOp callee) {
            return reaches(callee, seen, wanted);
          });
      return reached ? WalkResult::interrupt() : WalkResult::advance();
    });
    return found.wasInterrupted();
  }

  SymbolTable &symbols;
  Functions visited;
};

} // namespace

LogicalResult mapInward(ModuleOp module, SymbolTable &symbols) {
  MapInward inward(symbols);
  // Mapping adds functions; they come last.
  for (Block::iterator at = module.getBody()->begin();
       at != module.getBody()->end(); ++at)
    if (auto func = dyn_cast<func::FuncOp>(*at);
        func && failed(inward.visit(func)))
      return failure();
  return success();
}

} // namespace cellgrad
