//===- Object.cpp - LLVM dialect to machine code --------------------------===//

#include "passes/emit/Object.h"
#include "passes/emit/Addresses.h"
#include "passes/emit/Shuffles.h"

#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace cellgrad;

std::unique_ptr<llvm::Module>
cellgrad::translate(mlir::ModuleOp module, llvm::LLVMContext &context,
                    const Processor &processor,
                    const llvm::TargetMachine &machine, bool verify) {
  auto result =
      mlir::translateModuleToLLVMIR(module, context, "model", !verify);
  if (!result)
    return nullptr;
  // Without a triple and a layout LLVM assumes a machine without vectors.
  result->setTargetTriple(machine.getTargetTriple());
  result->setDataLayout(machine.createDataLayout());
  for (llvm::Function &function : *result) {
    function.addFnAttr(llvm::Attribute::NoUnwind);
    if (function.isDeclaration())
      continue;
    const Platform &platform = *processor.platform;
    // Debuggers and profilers find their way through its frames.
    if (platform.arch != Arch::Wasm)
      function.setUWTableKind(llvm::UWTableKind::Async);
    // What the caller sees runs on any machine of the platform, to say when the
    // rest does not.
    bool inner = function.hasLocalLinkage();
    std::string features = inner ? processor.features : platform.features.str();
    function.addFnAttr("target-cpu",
                       inner ? processor.cpu : platform.cpu.str());
    if (!features.empty())
      function.addFnAttr("target-features", features);
    if (!inner)
      continue;
    function.addFnAttr("prefer-vector-width",
                       std::to_string(processor.target->vectorBits));
    // Spilled vectors cross cache lines where the stack is as the caller left
    // it, and then take twice the time.
    function.addFnAttr("stackrealign");
  }
  return result;
}

LLVMErrors::LLVMErrors(llvm::LLVMContext &context, mlir::Operation *op)
    : op(op) {
  context.setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *self) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        auto *errors = static_cast<LLVMErrors *>(self);
        std::string text;
        llvm::raw_string_ostream os(text);
        llvm::DiagnosticPrinterRawOStream printer(os);
        info->print(printer);
        errors->found = true;
        errors->op->emitError(text);
      },
      this);
}

/// Runs the passes that `build` adds.
static llvm::Error
runPasses(llvm::Module &module, llvm::TargetMachine &machine,
          llvm::function_ref<llvm::Error(llvm::PassBuilder &,
                                         llvm::ModulePassManager &)>
              build) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager sccs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerPipelineParsingCallback(
      [](llvm::StringRef name, llvm::FunctionPassManager &passes,
         llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
        if (name == SplitAddresses::kName)
          passes.addPass(SplitAddresses());
        else if (name == CutShuffles::kName)
          passes.addPass(CutShuffles());
        else
          return false;
        return true;
      });
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);

  llvm::ModulePassManager passes;
  if (auto error = build(builder, passes))
    return error;
  passes.run(module, modules);
  return llvm::Error::success();
}

llvm::Error cellgrad::optimize(llvm::Module &module,
                               llvm::TargetMachine &machine, unsigned level) {
  if (level == 0)
    return llvm::Error::success();
  return ::runPasses(
      module, machine,
      [&](llvm::PassBuilder &builder,
          llvm::ModulePassManager &passes) -> llvm::Error {
        if (level >= 3) {
          passes = builder.buildPerModuleDefaultPipeline(
              llvm::OptimizationLevel::O3);
          return llvm::Error::success();
        }
        if (level == 1)
          return builder.parsePassPipeline(
              passes, "globaldce,function(sroa,early-cse,simplifycfg)");
        // Other machines have no operand of two registers and a number, and
        // LLVM does not search their shuffles.
        std::string split, cut;
        if (machine.getTargetTriple().isX86()) {
          split = SplitAddresses::kName.str() + ",";
          cut = "," + CutShuffles::kName.str();
          module.getOrInsertNamedMetadata(SplitAddresses::kName);
        }
        std::string text = "globaldce,cgscc(inline),function(sroa,early-cse<"
                           "memssa>,simplifycfg,instsimplify,loop-mssa(licm)," +
                           split + "simplifycfg" + cut;
        return builder.parsePassPipeline(passes, text + "),globaldce");
      });
}

llvm::Error cellgrad::runPasses(llvm::Module &module,
                                llvm::TargetMachine &machine,
                                llvm::StringRef pipeline) {
  return ::runPasses(
      module, machine,
      [&](llvm::PassBuilder &builder, llvm::ModulePassManager &passes) {
        return builder.parsePassPipeline(passes, pipeline);
      });
}

std::mutex &cellgrad::optionsOfLLVM() {
  static std::mutex mutex;
  return mutex;
}

/// Sets an option of LLVM's, where there is one. Callers hold the mutex.
static void setOption(llvm::StringRef name, bool value) {
  if (auto *option = static_cast<llvm::cl::opt<bool> *>(
          llvm::cl::getRegisteredOptions().lookup(name)))
    option->setValue(value);
}

/// Runs the passes of a sanitizer on all functions.
static llvm::Error instrument(llvm::Module &module,
                              llvm::TargetMachine &machine,
                              llvm::Attribute::AttrKind mark,
                              llvm::StringRef pipeline) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.addFnAttr(mark);
  return cellgrad::runPasses(module, machine, pipeline);
}

llvm::Error cellgrad::sanitizeAddress(llvm::Module &module,
                                      llvm::TargetMachine &machine) {
  {
    // It takes one access of an address for enough, also where a wider one
    // follows: stores of a vector's parts, and a load of all of it.
    std::lock_guard<std::mutex> lock(optionsOfLLVM());
    setOption("asan-opt-same-temp", false);
  }
  return instrument(module, machine, llvm::Attribute::SanitizeAddress, "asan");
}

llvm::Error cellgrad::sanitizeThread(llvm::Module &module,
                                     llvm::TargetMachine &machine) {
  return instrument(module, machine, llvm::Attribute::SanitizeThread,
                    "tsan-module,function(tsan)");
}

/// Adds the passes that generate code.
static bool addPasses(llvm::legacy::PassManager &passes,
                      const llvm::Module &module, llvm::TargetMachine &machine,
                      llvm::CodeGenFileType type, llvm::raw_pwrite_stream &os) {
  // Loop strength reduction is a quarter of all code generation, and finds
  // nothing that matters where addresses are split.
  bool split = module.getNamedMetadata(SplitAddresses::kName);
  std::lock_guard<std::mutex> lock(optionsOfLLVM());
  setOption("disable-lsr", split);
  return !machine.addPassesToEmitFile(passes, os, nullptr, type);
}

llvm::Error cellgrad::generate(llvm::Module &module,
                               llvm::TargetMachine &machine,
                               llvm::CodeGenFileType type,
                               llvm::SmallVectorImpl<char> &output) {
  llvm::raw_svector_ostream os(output);
  llvm::legacy::PassManager passes;
  if (!addPasses(passes, module, machine, type, os))
    return llvm::createStringError("the target cannot write this kind of file");
  passes.run(module);
  return llvm::Error::success();
}
