//===- Emit.cpp - LLVM dialect to files a C program can use ---------------===//

#include "passes/emit/Emit.h"
#include "passes/emit/AbiWriter.h"
#include "passes/emit/Bindings.h"
#include "passes/emit/Files.h"
#include "passes/emit/Levels.h"
#include "passes/emit/Lines.h"
#include "passes/emit/Link.h"
#include "passes/emit/Object.h"
#include "passes/emit/Parts.h"
#include "passes/emit/Passes.h"
#include "passes/emit/Processor.h"
#include "passes/emit/Ptx.h"
#include "passes/emit/RuntimeImage.h"
#include "passes/emit/Signature.h"

#include "dialect/Refusal.h"

#include "mlir/IR/Builders.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;
using namespace cellgrad;

namespace {
/// The steps of emitArtifact, with what they share.
class Emitter {
public:
  Emitter(ArrayRef<ModuleOp> modules, const EmitOptions &options,
          const EmitOutputs &outputs, Timings *timings)
      : modules(modules), module(modules.front()), options(options),
        outputs(outputs), steps(timings), files(outputs.durable) {}

  LogicalResult run();

private:
  LogicalResult check(llvm::Error error) {
    if (!error)
      return success();
    return module.emitError(llvm::toString(std::move(error)));
  }
  /// Files that cannot be written are nobody's mistake here.
  LogicalResult checkFile(llvm::Error error) {
    if (!error)
      return success();
    if (error.isA<LinkFailure>())
      return check(std::move(error));
    return refuse(module.getLoc(), std::move(error));
  }
  LogicalResult dump(const llvm::Module &ir, llvm::StringRef name);
  LogicalResult addAbi(ModuleOp module, llvm::StringRef target);
  LogicalResult addWeights(llvm::Module &ir, const ModelSpec &spec);
  LogicalResult writeTexts(const ModelSpec &spec);
  /// The optimised code of `module` for `processor`; null after a diagnostic.
  std::unique_ptr<llvm::Module> makeCode(ModuleOp module,
                                         const Processor &processor,
                                         llvm::TargetMachine &machine,
                                         llvm::LLVMContext &context);
  LogicalResult generateCode(llvm::Module &ir, llvm::TargetMachine &machine,
                             llvm::CodeGenFileType type,
                             llvm::SmallVectorImpl<char> &output);
  LogicalResult checkKinds();
  LogicalResult writeCode(llvm::Module &ir, const Processor &processor,
                          llvm::TargetMachine &machine);

  ArrayRef<ModuleOp> modules; ///< one for each target
  ModuleOp module;            ///< the first
  const EmitOptions &options;
  const EmitOutputs &outputs;
  Steps steps;
  FileSet files;
  std::optional<LLVMErrors> errors;
  bool cuda = false; ///< the model has kernels of GPUs
  const Platform *platform = nullptr;
};

LogicalResult Emitter::dump(const llvm::Module &ir, llvm::StringRef name) {
  if (options.dumpDirectory.empty())
    return success();
  llvm::SmallString<128> path(options.dumpDirectory);
  llvm::sys::path::append(path, name);
  std::string text;
  llvm::raw_string_ostream(text) << ir;
  return checkFile(writeFile(path, text));
}

LogicalResult Emitter::addAbi(ModuleOp module, llvm::StringRef target) {
  if (module->hasAttr("cell.model"))
    return success();
  CellEmitAbiOptions abi;
  abi.model = options.model;
  abi.target = target.str();
  abi.allocates = options.sanitizeAddress;
  abi.weightsBytes = static_cast<int64_t>(options.weights.size());
  PassManager pm(module.getContext(), ModuleOp::getOperationName());
  pm.enableVerifier(options.verify);
  EmitPtxOptions ptx;
  ptx.chips.assign(options.chips.begin(), options.chips.end());
  for (auto device : module.getOps<gpu::GPUModuleOp>())
    if (!device->hasAttr("cell.ptx"))
      pm.addNestedPass<gpu::GPUModuleOp>(createEmitPtx(ptx));
  if (!options.ptxas.empty())
    pm.addNestedPass<gpu::GPUModuleOp>(createAssemblePtx({options.ptxas}));
  pm.addPass(createCellEmitAbi(abi));
  return pm.run(module);
}

/// Gives the global for weights its contents.
LogicalResult Emitter::addWeights(llvm::Module &ir, const ModelSpec &spec) {
  llvm::StringRef weights = options.weights;
  if (weights.empty())
    return success();
  constexpr size_t kMost = size_t(1) << 30;
  if (weights.size() > kMost)
    return refuse(module.getLoc())
           << "the file of weights has " << weights.size() << " bytes: at most "
           << kMost << " can be a part of the model; leave it beside it";
  if (auto error = checkWeights(spec, weights))
    return refuse(module.getLoc()) << "the weights cannot be a part of the "
                                      "model: "
                                   << llvm::toString(std::move(error));
  llvm::GlobalVariable *global =
      ir.getGlobalVariable(kWeightsSymbol, /*AllowInternal=*/true);
  if (!global)
    return module.emitError("the module has no place for weights: it went "
                            "through cell-emit-abi without them");
  global->setInitializer(llvm::ConstantDataArray::getString(
      ir.getContext(), weights, /*AddNull=*/false));
  global->setVisibility(llvm::GlobalValue::DefaultVisibility);
  global->setLinkage(llvm::GlobalValue::InternalLinkage);
  return success();
}

/// The header and what is for other languages and for build systems.
LogicalResult Emitter::writeTexts(const ModelSpec &spec) {
  std::string library =
      outputs.sharedObject.empty()
          ? options.model + ".so"
          : llvm::sys::path::filename(outputs.sharedObject).str();
  ArtifactNames names(library);
  auto add = [&](llvm::StringRef path,
                 llvm::function_ref<llvm::Expected<std::string>()> make) {
    if (path.empty())
      return success();
    llvm::Expected<std::string> text = make();
    if (!text)
      return LogicalResult(refuse(module.getLoc())
                           << llvm::toString(text.takeError()));
    return checkFile(files.add(path, llvm::StringRef(*text)));
  };
  using Maker =
      llvm::Expected<std::string> (*)(const ModelSpec &, const ArtifactNames &);
  const std::pair<llvm::StringRef, Maker> kMakers[] = {
      {outputs.cpp, makeCpp},
      {outputs.python, makePython},
      {outputs.rust, makeRust},
      {outputs.weightsLoader, makeWeightsLoader},
      {outputs.pkgConfig,
       [](const ModelSpec &s, const ArtifactNames &n) {
         return llvm::Expected<std::string>(makePkgConfig(s, n));
       }},
      {outputs.cmakeConfig, [](const ModelSpec &s, const ArtifactNames &n) {
         return llvm::Expected<std::string>(makeCMakeConfig(s, n));
       }}};
  for (auto [path, make] : kMakers)
    if (failed(add(path, [&, maker = make] { return maker(spec, names); })))
      return failure();
  return add(outputs.header,
             [&] { return llvm::Expected<std::string>(makeHeader(spec)); });
}

LogicalResult Emitter::generateCode(llvm::Module &ir,
                                    llvm::TargetMachine &machine,
                                    llvm::CodeGenFileType type,
                                    llvm::SmallVectorImpl<char> &output) {
  if (failed(check(generate(ir, machine, type, output))))
    return failure();
  return failure(errors->any());
}

LogicalResult Emitter::writeCode(llvm::Module &ir, const Processor &processor,
                                 llvm::TargetMachine &machine) {
  if (!outputs.assembly.empty()) {
    steps.enter("assembly");
    auto copy = llvm::CloneModule(ir);
    llvm::SmallString<0> text;
    if (failed(generateCode(*copy, machine, llvm::CodeGenFileType::AssemblyFile,
                            text)) ||
        failed(checkFile(files.add(outputs.assembly, llvm::StringRef(text)))))
      return failure();
  }
  if (!outputs.runtime.empty() &&
      failed(checkFile(
          files.add(outputs.runtime, runtimeImages(platform->arch).object))))
    return failure();
  if (outputs.sharedObject.empty() && outputs.object.empty() &&
      outputs.archive.empty())
    return success();
  steps.enter("codegen");
  // What is linked into further files is one object.
  bool whole = !outputs.object.empty() || !outputs.archive.empty() ||
               options.lines || options.sanitizeAddress ||
               options.sanitizeThread || modules.size() > 1 ||
               platform->arch == Arch::Wasm;
  auto objects = generateParts(
      ir, machine,
      [&] { return createTargetMachine(processor, options.optLevel); },
      whole ? 1 : options.threads);
  if (!objects)
    return check(objects.takeError());
  if (errors->any())
    return failure();
  llvm::StringRef object = objects->front();
  steps.enter("link");
  auto add = [&](llvm::StringRef path, llvm::Expected<std::string> linked,
                 bool executable) {
    if (!linked)
      return checkFile(linked.takeError());
    return checkFile(files.add(path, llvm::StringRef(*linked), executable));
  };
  if (!outputs.object.empty() &&
      failed(
          add(outputs.object, linkRelocatable(object, *platform, cuda), false)))
    return failure();
  if (llvm::StringRef path = outputs.archive; !path.empty()) {
    auto linked = linkRelocatable(object, *platform, cuda);
    if (!linked)
      return checkFile(linked.takeError());
    std::string member = llvm::sys::path::stem(path).str() + ".o";
    if (failed(add(path, makeArchive(*linked, member), false)))
      return failure();
  }
  if (llvm::StringRef path = outputs.sharedObject;
      !path.empty() && platform->arch == Arch::Wasm)
    return add(path, linkWasm(object), false);
  if (llvm::StringRef path = outputs.sharedObject;
      !path.empty() &&
      failed(add(path,
                 linkSharedObject(*objects, llvm::sys::path::filename(path),
                                  *platform,
                                  /*bound=*/!options.sanitizeAddress &&
                                      !options.sanitizeThread,
                                  cuda, options.lines),
                 true)))
    return failure();
  return success();
}

std::unique_ptr<llvm::Module> Emitter::makeCode(ModuleOp module,
                                                const Processor &processor,
                                                llvm::TargetMachine &machine,
                                                llvm::LLVMContext &context) {
  steps.enter("translate");
  // Dumps of several targets have their names.
  std::string ending =
      (modules.size() > 1 ? "-" + processor.name : std::string()) + ".ll";
  auto ir = translate(module, context, processor, machine, options.verify);
  if (!ir) {
    module.emitError("the module could not be translated to LLVM IR");
    return nullptr;
  }
  steps.enter("optimize");
  if (failed(dump(*ir, "llvm-0-translated" + ending)) ||
      failed(check(optimize(*ir, machine, options.optLevel))) ||
      failed(dump(*ir, "llvm-1-optimized" + ending)) ||
      (options.sanitizeAddress &&
       failed(check(sanitizeAddress(*ir, machine)))) ||
      (options.sanitizeThread && failed(check(sanitizeThread(*ir, machine)))) ||
      errors->any())
    return nullptr;
  return ir;
}

/// Each platform has files of its own kinds.
LogicalResult Emitter::checkKinds() {
  bool wasm = platform->arch == Arch::Wasm;
  if (wasm && !(outputs.object.empty() && outputs.archive.empty() &&
                outputs.header.empty()))
    return refuse(module.getLoc())
           << "target wasm32 has no objects, archives or C headers: it makes "
              ".wasm and the ES module .mjs that loads it";
  const std::string *forOthers[] = {
      &outputs.cpp,       &outputs.python,      &outputs.rust,
      &outputs.pkgConfig, &outputs.cmakeConfig, &outputs.weightsLoader,
      &outputs.runtime};
  bool texts = llvm::any_of(
      forOthers, [](const std::string *path) { return !path->empty(); });
  if (wasm && (texts || options.lines || !options.weights.empty()))
    return refuse(module.getLoc())
           << "target wasm32 has no files for other languages, no weights "
              "inside and no lines: the ES module .mjs loads it";
  if (modules.size() > 1 && !options.weights.empty())
    return refuse(module.getLoc())
           << "weights cannot be a part of a model for several levels of "
              "processors: leave them beside it, or name one level";
  if (wasm && (options.sanitizeAddress || options.sanitizeThread))
    return refuse(module.getLoc())
           << "target wasm32 has no sanitizers: leave the option out";
  if (!wasm && !outputs.module.empty())
    return refuse(module.getLoc())
           << "an ES module is for target wasm32, not " << options.target;
  return success();
}

LogicalResult Emitter::run() {
  steps.enter("target");
  SmallVector<llvm::StringRef> names = targetNames(options.target);
  struct Level {
    Processor processor;
    std::unique_ptr<llvm::TargetMachine> machine;
  };
  std::vector<Level> levels;
  for (llvm::StringRef name : names) {
    auto processor = resolveTarget(name);
    if (!processor)
      return refuse(module.getLoc()) << llvm::toString(processor.takeError());
    auto machine = createTargetMachine(*processor, options.optLevel);
    if (!machine)
      return check(machine.takeError());
    levels.push_back({*processor, std::move(*machine)});
  }
  platform = levels.front().processor.platform;
  if (failed(checkKinds()))
    return failure();
  steps.enter("abi");
  if (modules.size() > 1 && failed(shareArenas(modules)))
    return failure();
  for (auto [module, name] : llvm::zip(modules, names))
    if (failed(addAbi(module, name)) ||
        (options.lines && failed(addLines(module))))
      return failure();
  FailureOr<ModelSpec> spec = readModel(module);
  if (failed(spec))
    return failure();
  cuda = spec->cuda();

  llvm::LLVMContext context;
  errors.emplace(context, module);
  std::vector<LevelCode> codes;
  for (auto [module, level] : llvm::zip(modules, levels)) {
    auto code = makeCode(module, level.processor, *level.machine, context);
    if (!code)
      return failure();
    codes.push_back(
        {level.processor.name,
         featureMask(*platform, requiredFeatures(*platform, *level.machine)),
         std::move(code)});
  }
  std::unique_ptr<llvm::Module> ir;
  if (codes.size() == 1) {
    ir = std::move(codes.front().code);
  } else {
    steps.enter("join");
    auto joined = joinLevels(std::move(codes));
    if (!joined)
      return check(joined.takeError());
    ir = std::move(*joined);
  }
  if (failed(addWeights(*ir, *spec)))
    return failure();
  // Each function says what it is for.
  auto &[processor, machine] = levels.back();

  steps.enter("write");
  if (!outputs.llvmIR.empty()) {
    std::string text;
    llvm::raw_string_ostream(text) << *ir;
    if (failed(checkFile(files.add(outputs.llvmIR, llvm::StringRef(text)))))
      return failure();
  }
  // The shared object is put in place after those that follow.
  if (failed(writeCode(*ir, processor, *machine)))
    return failure();
  steps.enter("write");
  for (const ExtraFile &file : outputs.extra)
    if (failed(checkFile(files.add(file.path, file.pieces))))
      return failure();
  if (failed(writeTexts(*spec)))
    return failure();
  if (!outputs.module.empty()) {
    std::string wasm = outputs.sharedObject;
    if (wasm.empty())
      wasm = llvm::sys::path::stem(outputs.module).str() + ".wasm";
    if (failed(checkFile(files.add(
            outputs.module, llvm::StringRef(makeModule(
                                *spec, llvm::sys::path::filename(wasm)))))))
      return failure();
  }
  return checkFile(files.commit());
}
} // namespace

InFlightDiagnostic cellgrad::refuse(Location location, llvm::Error error) {
  Builder b(location.getContext());
  SmallVector<NamedAttribute> told;
  std::string words;
  llvm::handleAllErrors(
      std::move(error),
      [&](const FileError &file) {
        std::error_code code = file.convertToErrorCode();
        bool known = code.category() == std::generic_category();
        told = {b.getNamedAttr("path", b.getStringAttr(file.getPath())),
                b.getNamedAttr("reason", b.getStringAttr(file.getReason())),
                b.getNamedAttr("errno",
                               b.getI32IntegerAttr(known ? code.value() : 0))};
        words = file.message();
      },
      [&](const llvm::ErrorInfoBase &other) { words = other.message(); });
  InFlightDiagnostic diagnostic = refuse(location) << words;
  if (!told.empty())
    diagnostic.getUnderlyingDiagnostic()->getMetadata().push_back(
        DiagnosticArgument(b.getDictionaryAttr(told)));
  return diagnostic;
}

std::optional<FileFailure> cellgrad::fileFailure(Diagnostic &diagnostic) {
  for (const DiagnosticArgument &note : diagnostic.getMetadata())
    if (note.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      if (auto told = dyn_cast<DictionaryAttr>(note.getAsAttribute()))
        return FileFailure{
            told.getAs<StringAttr>("path").str(),
            told.getAs<StringAttr>("reason").str(),
            static_cast<int>(told.getAs<IntegerAttr>("errno").getInt())};
  return std::nullopt;
}

void cellgrad::registerEmitDialects(DialectRegistry &registry) {
  registerPtxDialects(registry);
}

LogicalResult cellgrad::emitArtifact(ArrayRef<ModuleOp> modules,
                                     const EmitOptions &options,
                                     const EmitOutputs &outputs,
                                     Timings *timings) {
  return Emitter(modules, options, outputs, timings).run();
}
