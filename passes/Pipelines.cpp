//===- Pipelines.cpp - named pass pipelines -------------------------------===//

#include "passes/Registry.h"

#include "passes/lower/cpu/Pipeline.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

/// Registers `name` for the passes that `text` names: a pipeline is what one
/// could type.
static void registerText(llvm::StringRef name, llvm::StringRef description,
                         std::string text) {
  registerPassPipeline(
      name, description,
      [text](OpPassManager &pm, llvm::StringRef options,
             llvm::function_ref<LogicalResult(const llvm::Twine &)> error) {
        if (!options.empty())
          return error("the pipeline takes no options");
        std::string message;
        llvm::raw_string_ostream os(message);
        if (failed(parsePassPipeline(text, pm, os)))
          return error(message);
        return success();
      },
      [](llvm::function_ref<void(const detail::PassOptions &)>) {});
}

void cellgrad::registerPipelines() {
  PassPipelineRegistration<CPUPipelineOptions>(
      "cell-cpu-pipeline",
      "linalg on tensors to the LLVM dialect: one function per entry point",
      buildCPUPipeline);
  std::string toLinalg = "cell-differentiate,canonicalize,cse,cell-to-linalg";
  std::string toLLVM = "cell-cpu-pipeline";
  registerText("cell-to-linalg-pipeline",
               "Derivatives expanded, cell ops as linalg on tensors", toLinalg);
  registerText(
      "cell-linalg-to-llvm-pipeline",
      "linalg on tensors to the LLVM dialect: what cellc runs on linalg",
      toLLVM);
  registerText(
      "cell-to-llvm-pipeline",
      "cell ops to the LLVM dialect: what cellc runs on the cell dialect",
      toLinalg + "," + toLLVM);
}
