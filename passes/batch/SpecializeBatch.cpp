//===- SpecializeBatch.cpp - the open batch of a module gets a size -------===//

#include "passes/batch/BatchForms.h"
#include "passes/batch/BatchPositions.h"
#include "passes/batch/BatchPrograms.h"
#include "passes/batch/OwnElements.h"
#include "passes/batch/Passes.h"
#include "passes/batch/SampleFlow.h"

#include "dialect/Refusal.h"

#include "llvm/ADT/SetVector.h"

namespace cellgrad {
#define GEN_PASS_DEF_SPECIALIZEBATCHPASS
#include "passes/batch/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

struct SpecializeBatch
    : cellgrad::impl::SpecializeBatchPassBase<SpecializeBatch> {
  using SpecializeBatchPassBase::SpecializeBatchPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    FailureOr<std::optional<OpenBatch>> batch = readOpenBatch(module);
    if (failed(batch))
      return signalPassFailure();
    if (!*batch) {
      refuse(module.getLoc()) << "has no open batch: there is no cell.batch";
      return signalPassFailure();
    }
    if (size < 1 || size > (*batch)->max) {
      refuse(module.getLoc()) << "a batch of " << int64_t(size)
                              << " was asked for: 1 to " << (*batch)->max;
      return signalPassFailure();
    }
    if (failed(checkEntries(module, **batch)))
      return signalPassFailure();
    llvm::SetVector<func::FuncOp> used;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic())
        used.insert_range(reachableFrom(function));
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (!used.contains(function))
        function.erase();
    for (func::FuncOp function : used) {
      function->removeAttr(kPrograms);
      dropRules(function);
      evaluateForms(function, size);
      setBatchSize(function, **batch, size);
    }
    module->removeAttr("cell.batch");
  }

private:
  static LogicalResult checkEntries(ModuleOp module, const OpenBatch &batch) {
    if (llvm::all_of(module.getOps<func::FuncOp>(), [&](func::FuncOp function) {
          return !function.isPublic() || keepsSamplesApart(function, batch);
        }))
      return success();
    if (failed(expandDerivatives(module)))
      return failure();
    for (auto function : module.getOps<func::FuncOp>()) {
      if (!function.isPublic() || keepsSamplesApart(function, batch))
        continue;
      separateOwnElements(function, batch);
      numberExtrema(function, batch);
      if (failed(SampleFlow(batch).run(function)))
        return failure();
    }
    return success();
  }
};

} // namespace
