//===- InsertProbes.cpp - calls around kernels, for profiles --------------===//
//
// Each kernel of an entry gets a number. Around it stand two calls,
//
//   llvm.call @cell_probe(%number, %begins) : (i32, i32) -> ()
//
// which cell-emit-abi gives the caller's context. They touch no memory that the
// passes after this one know of: kernels are the same with them and without.
//
// The two halves of a collective have numbers, too. They move and are joined
// later, so that their calls are written with them (Collectives.cpp).
//
//===----------------------------------------------------------------------===//

#include "passes/lower/cpu/Passes.h"

#include "passes/lower/buffers/KernelWork.h"
#include "passes/lower/buffers/Places.h"
#include "passes/lower/cpu/Collectives.h"

#include "dialect/CollectiveOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/FunctionCallUtils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace cellgrad {
#define GEN_PASS_DEF_INSERTPROBES
#include "passes/lower/cpu/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// The places of a kernel, first the one that plans name.
SmallVector<Place> placesOfKernel(const Kernel &kernel) {
  SmallVector<Location> locations{kernel.op->getLoc()};
  kernel.op->walk(
      [&](linalg::LinalgOp op) { locations.push_back(op.getLoc()); });
  if (linalg::GenericOp epilogue = kernel.epilogue)
    locations.push_back(epilogue.getLoc());
  return placesOf(FusedLoc::get(kernel.op->getContext(), locations));
}

/// Whether it computes in double precision somewhere.
bool usesDoubles(const Kernel &kernel) {
  return kernel.op
      ->walk([](Operation *op) {
        return llvm::any_of(op->getResultTypes(),
                            [](Type type) {
                              return getElementTypeOrSelf(type).isF64();
                            }) ||
                       llvm::any_of(op->getOperandTypes(),
                                    [](Type type) {
                                      return getElementTypeOrSelf(type).isF64();
                                    })
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

struct InsertProbes : cellgrad::impl::InsertProbesBase<InsertProbes> {
  void runOnOperation() override {
    OpBuilder b(&getContext());
    auto none = LLVM::LLVMVoidType::get(&getContext());
    SmallVector<Type> types(2, b.getI32Type());
    auto probe =
        LLVM::lookupOrCreateFn(b, getOperation(), "cell_probe", types, none);
    if (failed(probe))
      return signalPassFailure();
    int32_t number = 0;
    for (auto entry : getOperation().getOps<func::FuncOp>()) {
      if (entry.isPrivate() || entry.isDeclaration())
        continue;
      SmallVector<Attribute> described;
      for (const Kernel &kernel : kernelsOf(entry)) {
        described.push_back(describe(kernel));
        auto call = [&](bool begins) {
          Location loc = kernel.op->getLoc();
          SmallVector<Value> operands;
          for (int32_t value : {number, int32_t(begins)})
            operands.push_back(
                LLVM::ConstantOp::create(b, loc, b.getI32Type(), value));
          LLVM::CallOp::create(b, loc, *probe, operands);
        };
        b.setInsertionPoint(kernel.op);
        call(true);
        Operation *last = kernel.op;
        if (kernel.epilogue)
          last = kernel.epilogue;
        b.setInsertionPointAfter(last);
        call(false);
        ++number;
      }
      entry.walk([&](Operation *op) {
        if (!isa<CollectiveStartOp, CollectiveWaitOp>(op))
          return;
        described.push_back(
            describe({op,
                      {},
                      1,
                      {},
                      isa<CollectiveStartOp>(op) ? "start of a collective"
                                                 : "wait for a collective",
                      "-"}));
        op->setAttr(kProbe, b.getI32IntegerAttr(number++));
      });
      entry->setAttr("cell.kernels", b.getArrayAttr(described));
    }
  }

private:
  Attribute describe(const Kernel &kernel) {
    Builder b(&getContext());
    NamedAttrList attrs;
    attrs.append("kernel", b.getStringAttr(kernel.what));
    attrs.append("bytes", b.getI64IntegerAttr(int64_t(kernel.work.bytes)));
    attrs.append("operations",
                 b.getI64IntegerAttr(int64_t(kernel.work.operations)));
    attrs.append("estimate",
                 b.getI64IntegerAttr(int64_t(kernel.work.nanoseconds)));
    attrs.append("double", b.getBoolAttr(usesDoubles(kernel)));
    SmallVector<Attribute> places;
    for (const Place &place : placesOfKernel(kernel))
      places.push_back(toAttribute(place, &getContext()));
    attrs.append("places", b.getArrayAttr(places));
    return attrs.getDictionary(&getContext());
  }
};

} // namespace
