//===- LendScratch.cpp - memory of blocks is memory of the host program ---===//

#include "passes/lower/gpu/HostProgram.h"
#include "passes/lower/gpu/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/SymbolTable.h"

namespace cellgrad {
#define GEN_PASS_DEF_LENDSCRATCH
#include "passes/lower/gpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

struct LendScratch : cellgrad::impl::LendScratchBase<LendScratch> {
  void runOnOperation() override {
    SymbolTableCollection tables;
    SymbolUserMap users(tables, getOperation());
    for (auto func : getOperation().getOps<func::FuncOp>()) {
      auto name = func->getAttrOfType<SymbolRefAttr>(kDeviceKernel);
      if (!name)
        continue;
      auto kernel =
          tables.lookupNearestSymbolFrom<gpu::GPUFuncOp>(getOperation(), name);
      if (!kernel || !kernel->hasAttr(kScratchBytes) ||
          kernel.getNumArguments() == func.getNumArguments())
        continue;
      auto scratch = cast<MemRefType>(kernel.getArgumentTypes().back());
      auto type = MemRefType::get(scratch.getShape(), scratch.getElementType());
      SmallVector<Type> inputs(func.getArgumentTypes());
      inputs.push_back(type);
      func.setType(FunctionType::get(&getContext(), inputs, {}));
      for (Operation *user : users.getUsers(func)) {
        auto call = cast<func::CallOp>(user);
        OpBuilder b(call);
        call.getOperandsMutable().append(
            memref::AllocOp::create(b, call.getLoc(), type).getResult());
      }
    }
  }
};

} // namespace
