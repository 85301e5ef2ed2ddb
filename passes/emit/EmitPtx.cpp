//===- EmitPtx.cpp - cell-emit-ptx ----------------------------------------===//

#include "passes/emit/Passes.h"
#include "passes/emit/Ptx.h"

#include "dialect/Refusal.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace cellgrad {
#define GEN_PASS_DEF_EMITPTX
#include "passes/emit/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;

namespace {

struct EmitPtx : cellgrad::impl::EmitPtxBase<EmitPtx> {
  using EmitPtxBase::EmitPtxBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    EmitPtxBase::getDependentDialects(registry);
    cellgrad::registerPtxDialects(registry);
  }

  void runOnOperation() override {
    gpu::GPUModuleOp module = getOperation();
    Builder b(&getContext());
    NamedAttrList texts;
    for (const std::string &name : chips) {
      auto chip = cellgrad::findChip(name);
      if (!chip) {
        cellgrad::refuse(module.getLoc()) << llvm::toString(chip.takeError());
        return signalPassFailure();
      }
      FailureOr<std::string> text = cellgrad::generatePtx(module, **chip);
      if (failed(text))
        return signalPassFailure();
      texts.set(name, b.getStringAttr(*text));
    }
    module->setAttr("cell.ptx", texts.getDictionary(&getContext()));
  }
};

} // namespace
