//===- cell-reduce.cpp - make a test case small ---------------------------===//
//
//   cell-reduce in.mlir --test='./still-fails.sh' -o small.mlir
//
// removes and simplifies ops, results, arguments, constants and dimensions as
// long as the command, which gets the name of a file, exits with status 0.
//
//===----------------------------------------------------------------------===//

#include "passes/Input.h"
#include "passes/Registry.h"
#include "passes/batch/DynamicBatch.h"
#include "tools/reduce/Reducer.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace cellgrad;

static llvm::cl::OptionCategory category("cell-reduce options");
static llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                        llvm::cl::desc("<input file>"),
                                        llvm::cl::Required,
                                        llvm::cl::cat(category));
static llvm::cl::opt<std::string>
    command("test", llvm::cl::Required,
            llvm::cl::desc("Shell command, given the name of a file; status 0 "
                           "means that the file is still interesting"),
            llvm::cl::cat(category));
static llvm::cl::opt<std::string> output("o", llvm::cl::desc("Output file"),
                                         llvm::cl::init("-"),
                                         llvm::cl::cat(category));
static llvm::cl::opt<unsigned>
    seconds("timeout", llvm::cl::init(60),
            llvm::cl::desc("Seconds until the command is ended, with all "
                           "that it has started; its file then counts "
                           "as not interesting (default: 60)"),
            llvm::cl::cat(category));

static int fail(const llvm::Twine &message) {
  llvm::errs() << "cell-reduce: " << message << "\n";
  return 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::HideUnrelatedOptions(category);
  llvm::cl::ParseCommandLineOptions(
      argc, argv,
      "makes an MLIR file smaller as long as a command finds it interesting\n");
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);

  auto contents = readInput(input);
  if (!contents)
    return fail(llvm::toString(contents.takeError()));
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*contents), llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseProgram(sources, &context);
  if (!module)
    return 1;
  // Candidates may be ill-formed; they are dropped without a word.
  ScopedDiagnosticHandler silent(&context, [](Diagnostic &) {});
  unsigned before = reduce::countOps(*module);
  reduce::Reducer reducer(std::move(module), command, seconds);
  if (!reducer.isInteresting())
    return fail("'" + command + " " + input +
                "' does not exit with status 0: nothing to reduce; the command "
                "runs in " +
                "the current directory");
  reducer.run();
  llvm::errs() << before << " ops reduced to "
               << reduce::countOps(reducer.module()) << " in "
               << reducer.tests() << " tests\n";
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file = openOutputFile(output, &error);
  if (!file)
    return fail(error);
  reducer.module().print(file->os());
  file->keep();
  return 0;
}
