//===- EmitNests.cpp - kernels of one loop nest ---------------------------===//
//
// One op, whose results are shared by all threads of a grid. Nothing waits for
// anything: no result depends on another one's.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/gpu/Passes.h"

#include "passes/lower/buffers/AsGeneric.h"
#include "passes/lower/buffers/FillFolding.h"
#include "passes/lower/gpu/DeviceKernel.h"
#include "passes/lower/gpu/GridNest.h"
#include "passes/lower/gpu/HostProgram.h"
#include "passes/lower/gpu/ProgramMemory.h"
#include "passes/lower/gpu/SpreadNest.h"

#include "dialect/Refusal.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace cellgrad {
#define GEN_PASS_DEF_EMITNESTS
#include "passes/lower/gpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

struct EmitNests : cellgrad::impl::EmitNestsBase<EmitNests> {
  using EmitNestsBase::EmitNestsBase;

  void runOnOperation() override {
    auto funcs = llvm::to_vector(llvm::make_filter_range(
        getOperation().getOps<func::FuncOp>(), [](func::FuncOp func) {
          return func->hasAttr(kGridNest) && !func.isDeclaration();
        }));
    if (funcs.empty())
      return;
    DeviceModule module(getOperation());
    for (func::FuncOp func : funcs)
      if (failed(emit(func, module)))
        return signalPassFailure();
  }

private:
  LogicalResult emit(func::FuncOp func, DeviceModule &module);
};

/// Whether `op` reads a scalar of another kernel: nothing here writes it.
bool readsScalar(Operation &op) {
  auto load = dyn_cast<memref::LoadOp>(op);
  return load && isa<BlockArgument>(load.getMemRef()) &&
         llvm::all_of(load.getMemRef().getUsers(),
                      llvm::IsaPred<memref::LoadOp>);
}

/// What the function computes; the last op is the nest, others are fills.
FailureOr<linalg::GenericOp> findNest(func::FuncOp func) {
  Operation *last = nullptr;
  bool fits = func.getNumResults() == 0 && func.getBody().hasOneBlock();
  if (fits)
    for (Operation &op : func.getBody().front().without_terminator())
      if (!isMemoryEffectFree(&op) && !readsScalar(op)) {
        fits &= !last || isa<linalg::FillOp>(last);
        last = &op;
      }
  if (!fits || !isa_and_nonnull<linalg::LinalgOp, memref::CopyOp>(last)) {
    refuse(func, Blame::Form)
        << "cannot be a nest of a grid: expected one op of linalg or copy, and "
           "fills of what it adds to";
    return failure();
  }
  IRRewriter rewriter(func.getContext());
  return replaceByGeneric(rewriter, last);
}

} // namespace

int64_t cellgrad::blocksOfNest(func::FuncOp func) {
  OwningOpRef<func::FuncOp> copy = func.clone();
  FailureOr<linalg::GenericOp> generic = findNest(*copy);
  if (failed(generic) || !*generic)
    return 1;
  FailureOr<LoopNest> nest = nestForThreads(*generic);
  return failed(nest) || nest->isEmpty() ? 1 : planGrid(*nest).blocks;
}

LogicalResult EmitNests::emit(func::FuncOp func, DeviceModule &module) {
  FailureOr<linalg::GenericOp> found = findNest(func);
  if (failed(found))
    return failure();
  linalg::GenericOp generic = *found;
  if (!generic) { // copied a buffer to itself
    module.makeKernel(func, {kWarp, 1});
    return success();
  }
  SmallVector<Value> starts;
  SmallVector<Operation *> fills = fillsOfGrid(generic);
  for (Value out : generic.getOutputs()) {
    linalg::FillOp fill = findFill(generic, out);
    if (!llvm::is_contained(fills, fill))
      fill = {};
    starts.push_back(fill ? fill.getInputs()[0] : Value());
    if (fill)
      fill.erase();
  }
  for (Operation &op : func.getBody().front())
    if (auto fill = dyn_cast<linalg::FillOp>(op);
        fill && fill.getOperation() != generic.getOperation())
      return refuse(fill, Blame::Form)
             << "fills what the nest of its grid does not add to";

  FailureOr<LoopNest> nest = nestForThreads(generic);
  if (failed(nest))
    return failure();
  if (nest->isEmpty()) {
    generic.erase();
    module.makeKernel(func, {kWarp, 1});
    return success();
  }
  GridPlan plan = planGrid(*nest);
  gpu::GPUFuncOp kernel = module.makeKernel(func, {plan.threads, plan.blocks});
  placeProgramMemory(kernel, {}, Value(), Value());
  // Its buffers are the kernel's now.
  nest = nestForThreads(generic);
  ThreadBlock block(kernel, plan.threads, plan.blocks);
  OpBuilder b(generic);
  spreadOverGrid(b, *nest, starts, plan, block);
  generic.erase();
  return success();
}
