//===- Compile.cpp - from any stage to files ------------------------------===//

#include "passes/Compile.h"

#include "passes/Failure.h"
#include "passes/MemoryReport.h"
#include "passes/Page.h"
#include "passes/Plan.h"
#include "passes/Registry.h"
#include "passes/emit/Files.h"
#include "passes/emit/Processor.h"
#include "passes/emit/Ptx.h"

#include "dialect/CollectiveOps.h"
#include "dialect/Refusal.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace cellgrad;

namespace {
/// Writes the module after each pass that ran on it or on one of its functions.
class DumpAfterEachPass : public PassInstrumentation {
public:
  explicit DumpAfterEachPass(std::string directory)
      : directory(std::move(directory)) {}

  void runAfterPass(Pass *pass, Operation *op) override { write(pass, op, ""); }
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    write(pass, op, "-failed");
  }

private:
  void write(Pass *pass, Operation *op, llvm::StringRef suffix) {
    llvm::StringRef name = pass->getArgument();
    if (name.empty()) // adaptors that run a nested pipeline
      return;
    auto module = dyn_cast<ModuleOp>(op);
    if (!module)
      module = op->getParentOfType<ModuleOp>();
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(
        path,
        llvm::formatv("{0,0+3}-{1}{2}.mlir", count++, name, suffix).str());
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    if (!error)
      module->print(os, OpPrintingFlags().useLocalScope());
  }

  std::string directory;
  unsigned count = 0;
};

/// Prints the kernels of a module when they have been formed.
class PlanOfKernels : public PassInstrumentation {
public:
  explicit PlanOfKernels(std::string &text) : text(text) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (pass->getArgument() != "cell-outline-kernels")
      return;
    llvm::raw_string_ostream os(text);
    printPlan(cast<ModuleOp>(op), os);
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() != "cell-outline-device-kernels")
      return;
    llvm::raw_string_ostream os(text);
    printDevicePlan(cast<ModuleOp>(op), os);
  }

private:
  std::string &text;
};

/// Notes what is in memory when most is, when places in the arena are given.
class ReportOfMemory : public PassInstrumentation {
public:
  explicit ReportOfMemory(std::optional<llvm::json::Value> &report)
      : report(report) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (pass->getArgument() == "cell-outline-kernels")
      work = workOfEntries(cast<ModuleOp>(op));
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    if (pass->getArgument() != "cell-plan-memory")
      return;
    auto made = reportMemory(cast<ModuleOp>(op), work);
    if (succeeded(made))
      report = std::move(*made);
  }

private:
  std::optional<llvm::json::Value> &report;
  llvm::StringMap<Work> work;
};

/// Writes the report of memory where the options say.
LogicalResult writeReport(ModuleOp module, const CompileOptions &options,
                          const std::optional<llvm::json::Value> &report) {
  if (options.memoryReport.empty())
    return success();
  if (!report)
    return refuse(module.getLoc())
           << "there is no report of memory: temporaries get their places in "
              "code for the CPU, and the input, or the pipeline, has none";
  llvm::StringRef path = options.memoryReport;
  if (path == "-") {
    llvm::outs() << textOf(*report);
    llvm::outs().flush();
    return success();
  }
  std::string text = path.ends_with(".txt")
                         ? textOf(*report)
                         : llvm::formatv("{0:2}\n", *report).str();
  auto error = writeFile(options.memoryReport, text);
  return error ? refuse(module.getLoc(), std::move(error)) : success();
}

/// The cost of each pass, under its argument name. What verifies between
/// passes counts for the pass before.
class TimeEachPass : public PassInstrumentation {
public:
  explicit TimeEachPass(Timings &timings) : timings(timings) {}

  void runBeforePass(Pass *pass, Operation *) override {
    StringRef name = pass->getArgument();
    timings.enter(name.empty() ? "pass manager" : name);
  }
  void runAfterPass(Pass *, Operation *) override { timings.leave(); }
  void runAfterPassFailed(Pass *, Operation *) override { timings.leave(); }

private:
  Timings &timings;
};

/// An op that ranks do together, or null.
Operation *findCollective(ModuleOp module,
                          function_ref<bool(Operation *)> wanted) {
  Operation *found = nullptr;
  module.walk([&](Operation *op) {
    if (op->hasTrait<Collective>() && wanted(op))
      found = op;
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

LogicalResult lower(ModuleOp module, const CompileOptions &options,
                    Timings *timings, FailureReport &report) {
  registerPasses();
  if ((options.cuda || !options.ptx.empty()) && module->hasAttr("cell.batch"))
    return refuse(module.getLoc())
           << "is a program for any batch size, which only the CPU computes: "
              "give it a size by cell-specialize-batch";
  auto processor = resolveTarget(options.emit.target);
  if (!processor)
    return refuse(module.getLoc()) << llvm::toString(processor.takeError());
  if (processor->platform->arch == Arch::Wasm)
    if (Operation *collective =
            findCollective(module, [](Operation *) { return true; }))
      return refuse(collective)
             << "is done by ranks, which models for wasm32 do not have: "
                "compile for another target";
  if (options.cuda || !options.ptx.empty())
    if (Operation *message = findCollective(module, isOfHost))
      return refuse(message)
             << "is of a call of a function of Python ('host_call'), which a "
                "program on a GPU cannot make: compute on the CPU, or call the "
                "function outside of compiled code";
  std::string pipeline = options.pipeline.empty()
                             ? pipelineFor(module, *processor->target, options)
                             : options.pipeline;
  if (pipeline.empty() && options.profile)
    return refuse(module.getLoc())
           << "there are no kernels to put probes around: they are formed in "
              "linalg on buffers, and the input is in the LLVM dialect";
  if (pipeline.empty() && !options.page.empty())
    return refuse(module.getLoc())
           << "there are no stages to show: the input is in the LLVM dialect";
  if (pipeline.empty() && options.plan.empty())
    return writeReport(module, options, std::nullopt);
  if (options.checkNans)
    pipeline = "cell-differentiate,cell-check-nans," + pipeline;

  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.enableVerifier(options.verifyEach);
  std::string message;
  llvm::raw_string_ostream os(message);
  if (failed(parsePassPipeline(pipeline, pm, os)))
    return refuse(module.getLoc()) << "invalid pass pipeline '" << pipeline
                                   << "': " << llvm::StringRef(message).trim();
  // Those of cellc; in other programs there are none.
  (void)applyPassManagerCLOptions(pm);
  if (!options.emit.dumpDirectory.empty())
    pm.addInstrumentation(
        std::make_unique<DumpAfterEachPass>(options.emit.dumpDirectory));
  std::string plan;
  if (!options.plan.empty())
    pm.addInstrumentation(std::make_unique<PlanOfKernels>(plan));
  std::optional<llvm::json::Value> memory;
  if (!options.memoryReport.empty())
    pm.addInstrumentation(std::make_unique<ReportOfMemory>(memory));
  std::optional<PageNotes> page;
  if (!options.page.empty())
    pm.addInstrumentation(page.emplace(module).watch());
  report.watch(pm);
  if (timings)
    pm.addInstrumentation(std::make_unique<TimeEachPass>(*timings));
  if (failed(pm.run(module)) || failed(writeReport(module, options, memory)))
    return failure();
  if (page)
    if (auto error = writeFile(options.page, page->html()))
      return refuse(module.getLoc(), std::move(error));
  if (options.plan.empty())
    return success();
  if (plan.empty())
    return refuse(module.getLoc())
           << "there is no plan of kernels: they are formed in linalg on "
              "buffers, and the input, or the pipeline, has none";
  auto error = writeFile(options.plan, plan);
  return error ? refuse(module.getLoc(), std::move(error)) : success();
}
} // namespace

std::unique_ptr<MLIRContext> cellgrad::createContext() {
  DialectRegistry registry;
  registerDialects(registry);
  registerEmitDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false); // the location says it better
  return context;
}

bool cellgrad::holdsCellOps(ModuleOp module) {
  // An open batch is of cell programs, also of those that compute nothing.
  return module->hasAttr("cell.batch") ||
         module
             .walk([](Operation *op) {
               return isa_and_present<CellDialect>(op->getDialect())
                          ? WalkResult::interrupt()
                          : WalkResult::advance();
             })
             .wasInterrupted();
}

std::string cellgrad::pipelineFor(ModuleOp module, const Target &target,
                                  const CompileOptions &options) {
  bool hasEntries =
      llvm::any_of(module.getOps<func::FuncOp>(),
                   [](func::FuncOp func) { return !func.isPrivate(); });
  if (!options.ptx.empty() &&
      (!hasEntries || !module.getOps<gpu::GPUModuleOp>().empty()))
    return "cell-gpu-pipeline";
  if (module.getOps<func::FuncOp>().empty())
    return "";
  std::string buckets =
      options.bucketBytes != CompileOptions().bucketBytes
          ? " bucket-bytes=" + std::to_string(options.bucketBytes)
          : "";
  if (options.cuda || !options.ptx.empty())
    return (holdsCellOps(module) ? "cell-to-cuda-pipeline{target="
                                 : "cell-cuda-pipeline{target=") +
           target.name.str() + buckets +
           (options.kernelBytes != CompileOptions().kernelBytes
                ? " kernel-bytes=" + std::to_string(options.kernelBytes) +
                      " fewest-nanoseconds=0}"
                : "}");
  std::string name =
      holdsCellOps(module) ? "cell-to-llvm-pipeline" : "cell-cpu-pipeline";
  return name + "{target=" + target.name.str() +
         (options.poison ? " poison=true" : "") +
         (options.profile ? " probes=true" : "") +
         (options.memoryReport.empty() && options.page.empty()
              ? ""
              : " report-memory=true") +
         (options.kernelBytes != CompileOptions().kernelBytes
              ? " kernel-bytes=" + std::to_string(options.kernelBytes)
              : "") +
         buckets +
         (options.emit.sanitizeAddress ? " separate-temporaries=true}" : "}");
}

/// Writes the PTX of the one module of device code that `module` holds.
static LogicalResult emitPtx(ModuleOp module, ArrayRef<PtxOutput> outputs,
                             bool durable) {
  auto device = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (device.size() != 1)
    return refuse(module.getLoc())
           << "expected one gpu.module, or functions on buffers with "
              "cell.device_kernel, to make PTX of; found "
           << device.size();
  FileSet files(durable);
  for (const PtxOutput &output : outputs) {
    auto chip = findChip(output.chip);
    if (!chip)
      return refuse(module.getLoc()) << llvm::toString(chip.takeError());
    FailureOr<std::string> text = generatePtx(device.front(), **chip);
    if (failed(text))
      return failure();
    if (auto error = files.add(output.path, llvm::StringRef(*text)))
      return refuse(module.getLoc(), std::move(error));
  }
  if (auto error = files.commit())
    return refuse(module.getLoc(), std::move(error));
  return success();
}

/// What several targets do not go with.
static LogicalResult checkLevels(ModuleOp module,
                                 const CompileOptions &options) {
  const char *other =
      options.cuda || !options.ptx.empty() ? "a GPU"
      : !options.plan.empty()              ? "a plan"
      : !options.memoryReport.empty()      ? "a report of memory"
      : !options.page.empty()              ? "a page"
      : !options.loweredMLIR.empty()       ? "MLIR as output"
      : options.emit.sanitizeAddress || options.emit.sanitizeThread
          ? "a sanitizer"
          : nullptr;
  if (!other)
    return success();
  return refuse(module.getLoc())
         << "several targets (" << options.emit.target << ") do not go with "
         << other << ": give one";
}

/// What `compile` does to the copies of the module, one for each target.
static LogicalResult lowerAndEmit(ModuleOp module, ArrayRef<ModuleOp> further,
                                  const CompileOptions &options,
                                  const EmitOutputs &outputs, Timings *timings,
                                  FailureReport &report) {
  auto names = targetNames(options.emit.target);
  CompileOptions one = options;
  one.emit.target = names.front().str();
  if (failed(lower(module, one, timings, report)))
    return failure();
  for (auto [other, name] : llvm::zip(further, llvm::drop_begin(names))) {
    one.emit.target = name.str();
    if (failed(lower(other, one, timings, report)))
      return failure();
  }
  if (!options.loweredMLIR.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << module << "\n";
    if (auto error = writeFile(options.loweredMLIR, text))
      return refuse(module.getLoc(), std::move(error));
  }
  bool onlyReports = outputs.sharedObject.empty() && outputs.object.empty() &&
                     outputs.archive.empty() && outputs.module.empty() &&
                     outputs.assembly.empty() && outputs.llvmIR.empty() &&
                     outputs.header.empty() && outputs.extra.empty();
  if (!(options.memoryReport.empty() && options.page.empty()) && onlyReports)
    return success();
  report.enter("code generation");
  if (!options.ptx.empty())
    return emitPtx(module, options.ptx, outputs.durable);
  SmallVector<ModuleOp> modules = {module};
  llvm::append_range(modules, further);
  return emitArtifact(modules, options.emit, outputs, timings);
}

LogicalResult cellgrad::compile(ModuleOp module, const CompileOptions &given,
                                const EmitOutputs &outputs, Timings *timings,
                                std::optional<InternalFailure> *failure) {
  CompileOptions options = given;
  auto ordered = orderLevels(given.emit.target);
  if (!ordered)
    return refuse(module.getLoc()) << llvm::toString(ordered.takeError());
  options.emit.target = *ordered;
  options.emit.verify = given.verifyEach;
  size_t levels = targetNames(*ordered).size();
  if (levels > 1 && failed(checkLevels(module, options)))
    return mlir::failure();
  if (!options.emit.dumpDirectory.empty())
    if (auto error =
            llvm::sys::fs::create_directories(options.emit.dumpDirectory))
      return module.emitError("cannot create the directory '")
             << options.emit.dumpDirectory << "': " << error.message();
  Steps steps(timings);
  steps.enter("copy");
  if (failed(verify(module)))
    return mlir::failure();
  std::vector<OwningOpRef<ModuleOp>> copies;
  for (size_t i = 0; i < std::max<size_t>(levels, 1); ++i)
    copies.emplace_back(module.clone());
  auto further =
      llvm::map_to_vector(llvm::drop_begin(copies),
                          [](OwningOpRef<ModuleOp> &copy) { return *copy; });
  steps.end();
  FailureReport report(module, options);
  return report.finish(
      lowerAndEmit(*copies.front(), further, options, outputs, timings, report),
      failure);
}
