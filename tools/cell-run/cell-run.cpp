//===- cell-run.cpp - evaluate a function of a cell module ----------------===//
//
//   cell-run in.mlir --entry=f --arg='dense<[1.0, 2.0]> : tensor<2xf32>'
//
// prints one line a result, `result 0: tensor<2xf32> [0.5, -1.25]`, with the
// shortest digits that read back as the same number of that type, or --digits
// of them.
//
//===----------------------------------------------------------------------===//

#include "passes/Input.h"
#include "passes/Registry.h"
#include "passes/batch/DynamicBatch.h"
#include "tools/interp/Arguments.h"
#include "tools/interp/Interpreter.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace cellgrad;

static llvm::cl::OptionCategory category("cell-run options");
static llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                        llvm::cl::desc("<input file>"),
                                        llvm::cl::init("-"),
                                        llvm::cl::cat(category));
static llvm::cl::opt<std::string>
    entry("entry",
          llvm::cl::desc("Function to evaluate (default: the only public "
                         "function)"),
          llvm::cl::cat(category));
static llvm::cl::list<std::string>
    arguments("arg",
              llvm::cl::desc("Value of the next argument, as an attribute "
                             "(default: its cell.example)"),
              llvm::cl::cat(category));
static llvm::cl::opt<uint64_t>
    seed("seed",
         llvm::cl::desc("Draw the arguments that have no value at random"),
         llvm::cl::cat(category));
static llvm::cl::opt<std::string>
    passes("passes", llvm::cl::desc("Pass pipeline to run first"),
           llvm::cl::cat(category));
static llvm::cl::opt<unsigned>
    digits("digits",
           llvm::cl::desc("Significant digits (default: the shortest text "
                          "that reads back)"),
           llvm::cl::cat(category));
static llvm::cl::opt<unsigned>
    ranks("ranks",
          llvm::cl::desc("Ranks that run the function together; the lines of "
                         "each begin with its number"),
          llvm::cl::init(0), llvm::cl::cat(category));

/// Runs --passes on `module`.
static LogicalResult transform(ModuleOp module) {
  PassManager manager(module->getName());
  if (failed(parsePassPipeline(passes, manager)))
    return failure();
  return manager.run(module);
}

static LogicalResult run(MLIRContext &context, llvm::SourceMgr &sources) {
  OwningOpRef<ModuleOp> module = parseProgram(sources, &context);
  if (!module || failed(transform(*module)))
    return failure();
  if ((*module)->hasAttr("cell.batch"))
    return module->emitError("is for any batch size: choose one, as with "
                             "--passes='cell-specialize-batch{size=3}'");
  FailureOr<func::FuncOp> func = interp::findEntry(*module, entry);
  if (failed(func))
    return failure();
  std::optional<uint64_t> chosenSeed;
  if (seed.getNumOccurrences())
    chosenSeed = seed;
  FailureOr<SmallVector<interp::Tensor>> args =
      interp::readArguments(*func, llvm::to_vector(arguments), chosenSeed);
  if (failed(args))
    return failure();
  auto runOne = [&](interp::Member member, const std::string &prefix) {
    FailureOr<SmallVector<interp::Tensor>> results =
        interp::interpret(*func, *args, llvm::outs(), {}, member);
    if (failed(results))
      return failure();
    std::optional<unsigned> chosenDigits;
    if (digits.getNumOccurrences())
      chosenDigits = digits;
    for (auto [i, result] : llvm::enumerate(*results)) {
      llvm::outs() << prefix << "result " << i << ": " << result.getType()
                   << " ";
      result.print(llvm::outs(), chosenDigits);
      llvm::outs() << "\n";
    }
    return success();
  };
  if (ranks == 0)
    return runOne({}, "");
  interp::Ranks group(ranks);
  return group.run([&](unsigned rank) {
    return runOne({&group, rank}, "rank " + std::to_string(rank) + " ");
  });
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv, "interprets a function of cell ops and prints its results\n");

  auto file = readInput(input);
  if (!file) {
    llvm::errs() << "cell-run: " << llvm::toString(file.takeError()) << "\n";
    return 1;
  }
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  SourceMgrDiagnosticHandler handler(sources, &context);
  return failed(run(context, sources));
}
