//===- Emit.cpp - LLVM dialect to files a C program can use ---------------===//

#include "passes/emit/Emit.h"
#include "passes/emit/Link.h"
#include "passes/emit/Object.h"
#include "passes/emit/Passes.h"
#include "passes/emit/Signature.h"
#include "passes/emit/Target.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <chrono>

using namespace mlir;
using namespace cellgrad;

namespace {
/// Measures from construction, or from the last lap.
class Stopwatch {
public:
  explicit Stopwatch(Timings *timings) : timings(timings) {}
  void lap(const char *stage) {
    auto now = std::chrono::steady_clock::now();
    if (timings)
      timings->emplace_back(
          stage, std::chrono::duration<double, std::milli>(now - last).count());
    last = now;
  }

private:
  Timings *timings;
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// The steps of emitArtifact, with what they share.
class Emitter {
public:
  Emitter(ModuleOp module, const EmitOptions &options,
          const EmitOutputs &outputs, Timings *timings)
      : module(module), options(options), outputs(outputs), watch(timings) {}

  LogicalResult run();

private:
  LogicalResult check(llvm::Error error) {
    if (!error)
      return success();
    return module.emitError(llvm::toString(std::move(error)));
  }
  LogicalResult write(llvm::StringRef path, llvm::StringRef text) {
    return writeAtomically(
        module.getLoc(), path,
        [&](llvm::StringRef temporary) { return writeText(temporary, text); });
  }
  LogicalResult dump(const llvm::Module &ir, llvm::StringRef name);
  LogicalResult addAbi();
  LogicalResult writeCode(llvm::Module &ir, llvm::TargetMachine &machine);

  ModuleOp module;
  const EmitOptions &options;
  const EmitOutputs &outputs;
  Stopwatch watch;
};

LogicalResult Emitter::dump(const llvm::Module &ir, llvm::StringRef name) {
  if (options.dumpDirectory.empty())
    return success();
  llvm::SmallString<128> path(options.dumpDirectory);
  llvm::sys::path::append(path, name);
  std::string text;
  llvm::raw_string_ostream(text) << ir;
  return write(path, text);
}

LogicalResult Emitter::addAbi() {
  if (module->hasAttr("cell.model"))
    return success();
  CellEmitAbiOptions abi;
  abi.model = options.model;
  abi.target = options.target;
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.addPass(createCellEmitAbi(abi));
  return pm.run(module);
}

LogicalResult Emitter::writeCode(llvm::Module &ir,
                                 llvm::TargetMachine &machine) {
  if (!outputs.assembly.empty()) {
    auto copy = llvm::CloneModule(ir);
    llvm::SmallString<0> text;
    if (failed(check(generate(*copy, machine,
                              llvm::CodeGenFileType::AssemblyFile, text))) ||
        failed(write(outputs.assembly, text)))
      return failure();
    watch.lap("assembly");
  }
  if (outputs.sharedObject.empty() && outputs.object.empty())
    return success();
  llvm::SmallString<0> object;
  if (failed(check(
          generate(ir, machine, llvm::CodeGenFileType::ObjectFile, object))))
    return failure();
  watch.lap("codegen");
  if (!outputs.object.empty() &&
      failed(writeAtomically(
          module.getLoc(), outputs.object,
          [&](llvm::StringRef path) { return linkRelocatable(object, path); })))
    return failure();
  if (!outputs.sharedObject.empty() &&
      failed(writeAtomically(
          module.getLoc(), outputs.sharedObject, [&](llvm::StringRef path) {
            return linkSharedObject(
                object, llvm::sys::path::filename(outputs.sharedObject), path);
          })))
    return failure();
  watch.lap("link");
  return success();
}

LogicalResult Emitter::run() {
  auto target = resolveTarget(options.target);
  if (!target)
    return check(target.takeError());
  auto machine = createTargetMachine(*target, options.optLevel);
  if (!machine)
    return check(machine.takeError());
  watch.lap("target");
  if (failed(addAbi()))
    return failure();
  FailureOr<ModelSpec> spec = readModel(module);
  if (failed(spec))
    return failure();
  watch.lap("abi");

  llvm::LLVMContext context;
  auto ir = translate(module, context, *target, **machine);
  if (!ir)
    return module.emitError("the module could not be translated to LLVM IR");
  watch.lap("translate");
  if (failed(dump(*ir, "llvm-0-translated.ll")) ||
      failed(check(optimize(*ir, **machine, options.optLevel))) ||
      failed(dump(*ir, "llvm-1-optimized.ll")))
    return failure();
  watch.lap("optimize");

  if (!outputs.llvmIR.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << *ir;
    if (failed(write(outputs.llvmIR, text)))
      return failure();
  }
  if (failed(writeCode(*ir, **machine)))
    return failure();
  if (!outputs.header.empty())
    return write(outputs.header, makeHeader(*spec));
  return success();
}
} // namespace

void cellgrad::registerEmitDialects(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

LogicalResult cellgrad::emitArtifact(ModuleOp module,
                                     const EmitOptions &options,
                                     const EmitOutputs &outputs,
                                     Timings *timings) {
  return Emitter(module, options, outputs, timings).run();
}

llvm::Error cellgrad::writeText(llvm::StringRef path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return llvm::errorCodeToError(error);
  os << text;
  os.close();
  if ((error = os.error())) {
    os.clear_error();
    return llvm::errorCodeToError(error);
  }
  return llvm::Error::success();
}

LogicalResult cellgrad::writeAtomically(
    Location location, llvm::StringRef path,
    llvm::function_ref<llvm::Error(llvm::StringRef)> write) {
  std::string temporary =
      (path + ".tmp" + llvm::Twine(llvm::sys::Process::getProcessId()) + "-" +
       llvm::Twine(reinterpret_cast<uintptr_t>(&path)))
          .str();
  auto fail = [&](llvm::Error error) {
    llvm::sys::fs::remove(temporary);
    return emitError(location) << "cannot write '" << path
                               << "': " << llvm::toString(std::move(error));
  };
  // The file takes the place of what is there: not that of a device or a pipe.
  llvm::sys::fs::file_status there;
  if (!llvm::sys::fs::status(path, there) &&
      !llvm::sys::fs::is_regular_file(there))
    return fail(llvm::createStringError(
        llvm::sys::fs::is_directory(there)
            ? "it is a directory; give the name of a file"
            : "it is a device or a pipe; give the name of a file"));
  if (auto error = write(temporary))
    return fail(std::move(error));
  if (auto error = llvm::sys::fs::rename(temporary, path))
    return fail(llvm::errorCodeToError(error));
  return success();
}
