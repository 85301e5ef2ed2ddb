//===- Verify.cpp - the check at the end of a stage -----------------------===//

#include "passes/lower/tensors/Verify.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace {

struct VerifyStage : PassWrapper<VerifyStage, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyStage)

  StringRef getArgument() const override { return "cell-verify"; }
  StringRef getDescription() const override {
    return "Verify the module: the end of a stage";
  }

  void runOnOperation() override {
    if (failed(verify(getOperation())))
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> cellgrad::createVerifyStage() {
  return std::make_unique<VerifyStage>();
}
