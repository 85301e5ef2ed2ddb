//===- cell-opt.cpp - run passes on cell IR -------------------------------===//

#include "passes/Input.h"
#include "passes/Registry.h"
#include "passes/batch/DynamicBatch.h"
#include "passes/batch/Passes.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

using llvm::StringRef;

namespace {
constexpr StringRef kHelp =
    R"(cell-opt runs passes on MLIR and prints what comes out.

    cell-opt [passes and pipelines, in their order] [options] [file]

Without a file it reads standard input. What there is by stages:

  --cell-differentiate            replace cell.vjp and cell.jvp by code
  --cell-to-linalg-pipeline       cell ops to linalg on tensors
  --cell-fuse-pipeline            merge linalg ops
  --cell-place-pipeline           give what loops and entries carry its memory
  --cell-buffer-pipeline          tensors to memrefs
  --cell-cpu-kernel-pipeline      linalg on memrefs to loops over vectors
  --cell-convert-to-llvm-pipeline loops to the LLVM dialect
  --cell-to-llvm-pipeline         all of it: what cellc runs for the CPU
  --cell-to-cuda-pipeline         all of it: what cellc runs for a GPU
  --inline --symbol-dce --canonicalize --cse   MLIR's own simplifications

  -o FILE                         write there
  --split-input-file              parts between // ----- by themselves
  --verify-diagnostics            compare errors with expected-error comments
  --mlir-print-ir-after-all       print the IR after each pass
  --mlir-print-ir-after=PASS      the same after one
  --mlir-print-op-generic         print ops in MLIR's generic form
  --help-list                     every pass, pipeline and option, by name

Options of a pipeline follow it: --cell-cpu-pipeline=target=x86-64-v3.
docs/architecture.md describes the stages, docs/op-syntax.md the ops.
)";

/// Whether `argument` is the option `name`, with one dash or two, and perhaps
/// a value.
bool isOption(StringRef argument, StringRef name) {
  return argument.consume_front("-") &&
         (argument.consume_front("-"), argument.consume_front(name)) &&
         (argument.empty() || argument.front() == '=');
}

/// MlirOptMain, but that dimensions '?' of a program are its batch. Ops of the
/// dialect are of known shapes: what stands for '?' is put in before they are
/// verified.
mlir::LogicalResult run(int argc, char **argv, StringRef input,
                        StringRef output, mlir::DialectRegistry &registry) {
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::MlirOptMain(argc, argv, input, output, registry);
  llvm::InitLLVM init(argc, argv);
  auto fail = [](const std::string &why) {
    llvm::errs() << "cell-opt: error: " << why << "\n";
    return mlir::failure();
  };
  auto file = cellgrad::readInput(input);
  if (!file)
    return fail(llvm::toString(file.takeError()));
  if (config.shouldVerifyOnParsing() &&
      cellgrad::mayBeDynamic((*file)->getBuffer())) {
    config.verifyOnParsing(false);
    config.setPassPipelineSetupFn([given = config](mlir::PassManager &pm) {
      pm.addPass(cellgrad::createOpenBatchPass());
      return given.setupPassPipeline(pm);
    });
  }
  std::string error;
  auto written = mlir::openOutputFile(output, &error);
  if (!written)
    return fail(error);
  if (failed(
          mlir::MlirOptMain(written->os(), std::move(*file), registry, config)))
    return mlir::failure();
  written->keep();
  return mlir::success();
}
} // namespace

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i) {
    StringRef argument = argv[i];
    if (isOption(argument, "help") || argument == "-h") {
      llvm::outs() << kHelp;
      return 0;
    }
    for (StringRef plugin : {"load-pass-plugin", "load-dialect-plugin"})
      if (isOption(argument, plugin)) {
        llvm::errs()
            << "cell-opt: error: --" << plugin
            << " cannot work: cell-opt has MLIR inside itself and exports none "
               "of it, so a plugin would bring a second MLIR that knows none "
               "of these passes and types. Build a tool with passes of your "
               "own instead: find_package(cellgrad), as in "
               "examples/out_of_tree\n";
        return 1;
      }
  }
  mlir::DialectRegistry registry;
  cellgrad::registerDialects(registry);
  cellgrad::registerPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "cellgrad optimizer driver\n", registry);
  return mlir::asMainReturnCode(run(argc, argv, input, output, registry));
}
