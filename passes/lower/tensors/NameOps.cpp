//===- NameOps.cpp - the names of ops as a part of their locations --------===//
//
// Lowered code is linalg, loops and numbers: a report on it (a profile, what is
// in memory) names the op of the program that it comes from.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/tensors/Passes.h"

#include "dialect/CellDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace cellgrad {
#define GEN_PASS_DEF_NAMEOPS
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {
struct NameOps : cellgrad::impl::NameOpsBase<NameOps> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (isa<cellgrad::CellDialect>(op->getDialect()))
        op->setLoc(FusedLoc::get(
            &getContext(), {op->getLoc()},
            StringAttr::get(&getContext(), op->getName().getStringRef())));
    });
  }
};
} // namespace
