//===- cellc.cpp - compile MLIR to a shared object and a C header ---------===//

#include "passes/Compile.h"
#include "passes/Input.h"
#include "passes/Registry.h"
#include "passes/batch/DynamicBatch.h"
#include "passes/batch/OpenBatch.h"
#include "passes/emit/Names.h"

#include "mlir/IR/AsmState.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>

using namespace llvm;

namespace {
cl::OptionCategory category("cellc options");

cl::opt<std::string> input(cl::Positional, cl::desc("<input.mlir>"),
                           cl::init("-"), cl::cat(category));
cl::opt<std::string>
    output("o",
           cl::desc("File of the first kind; the others go beside it; - is "
                    "standard output, for one kind of text"),
           cl::value_desc("file"), cl::cat(category));

enum class Kind {
  SharedObject,
  Object,
  Archive,
  Wasm,
  Module,
  LLVMIR,
  Assembly,
  Header,
  Cpp,
  Python,
  Rust,
  Runtime,
  WeightsLoader,
  PkgConfig,
  CMakeConfig,
  MLIR,
  Plan,
  Page,
  PTX
};
cl::list<Kind> kinds(
    "emit", cl::CommaSeparated,
    cl::desc("What to write (default: so,h; with -o x.o or x.a: that and h; "
             "for wasm32: wasm,mjs)"),
    cl::values(
        clEnumValN(Kind::SharedObject, "so", "shared object"),
        clEnumValN(Kind::Header, "h", "C header"),
        clEnumValN(Kind::Cpp, "hpp", "C++17 header, beside h"),
        clEnumValN(Kind::Python, "py", "Python module for numpy and ctypes"),
        clEnumValN(Kind::Rust, "rs", "Rust module"),
        clEnumValN(Kind::WeightsLoader, "weights",
                   "loader of weights in C, beside h: NAME_weights.h"),
        clEnumValN(Kind::PkgConfig, "pc", "file for pkg-config"),
        clEnumValN(Kind::CMakeConfig, "cmake",
                   "file for CMake's find_package: NAME-config.cmake"),
        clEnumValN(Kind::Object, "o", "relocatable object, runtime included"),
        clEnumValN(Kind::Archive, "a", "static library of that object"),
        clEnumValN(Kind::Wasm, "wasm", "WebAssembly module"),
        clEnumValN(Kind::Module, "mjs", "ES module that loads it"),
        clEnumValN(Kind::Assembly, "s", "assembly"),
        clEnumValN(Kind::LLVMIR, "ll", "optimised LLVM IR"),
        clEnumValN(Kind::Runtime, "rt",
                   "runtime that s and ll refer to: NAME_rt.o"),
        clEnumValN(Kind::MLIR, "mlir", "the module in the LLVM dialect"),
        clEnumValN(Kind::Plan, "plan",
                   "kernels with items, bytes, operations and "
                   "estimated time"),
        clEnumValN(Kind::Page, "html",
                   "a page that shows the program at every stage"),
        clEnumValN(Kind::PTX, "ptx", "code of a gpu.module, alone")),
    cl::cat(category));

cl::opt<std::string>
    name("name", cl::desc("Model name in symbols (default: the output's)"),
         cl::cat(category));
cl::opt<std::string> target(
    "target",
    cl::desc("native (default); x86-64-v2, x86-64-v3, x86-64-v4, several of "
             "them for one artifact that looks what the machine has, or "
             "another name of a CPU; aarch64, aarch64+sve, riscv64, riscv64+v, "
             "wasm32"),
    cl::init("native"), cl::cat(category));
cl::opt<int64_t> maxBatch(
    "max-batch",
    cl::desc("Largest batch of a program whose batch is open, by dimensions "
             "'?' or by its cell.batch (default: what that says, else "
             "2147483647)"),
    cl::value_desc("samples"), cl::cat(category));
cl::list<int64_t> batchSizes(
    "batch-sizes",
    cl::desc("Sizes of an open batch that get programs of their own, with the "
             "time and the bits of a model for the size"),
    cl::value_desc("samples,..."), cl::CommaSeparated, cl::cat(category));
enum class Device { CPU, CUDA };
cl::opt<Device>
    device("device", cl::desc("What entries compute on"),
           cl::values(clEnumValN(Device::CPU, "cpu", "the CPU (default)"),
                      clEnumValN(Device::CUDA, "cuda",
                                 "an NVIDIA GPU: kernels, and a host program "
                                 "that launches them")),
           cl::init(Device::CPU), cl::cat(category));
cl::list<std::string>
    chips("chip", cl::CommaSeparated,
          cl::desc("Kinds of GPU of --device=cuda and --emit=ptx (default: "
                   "sm_80); with several, their names are part of the names "
                   "of files of PTX"),
          cl::cat(category));
cl::opt<std::string>
    ptxas("ptxas", cl::ValueOptional,
          cl::desc("Machine code beside the PTX of --device=cuda, by NVIDIA's "
                   "assembler: a path, or the one on PATH"),
          cl::value_desc("path"), cl::cat(category));
cl::opt<std::string>
    weights("weights",
            cl::desc("Make this .safetensors file a part of the model"),
            cl::value_desc("file"), cl::cat(category));
cl::opt<unsigned> optLevel("O", cl::Prefix,
                           cl::desc("Optimisation level, 0 to 3 (default: 2)"),
                           cl::init(2), cl::cat(category));
cl::opt<unsigned> threads(
    "threads",
    cl::desc("Threads that generate the code of a shared object, whose bytes "
             "then depend on their number (default: 1)"),
    cl::init(1), cl::cat(category));
cl::opt<std::string>
    pipeline("pipeline",
             cl::desc("Passes to run instead of those the input needs"),
             cl::cat(category));
cl::opt<std::string>
    dumpIR("dump-ir",
           cl::desc("Write the IR after each stage into this directory"),
           cl::value_desc("directory"), cl::cat(category));
cl::opt<bool> profile(
    "profile",
    cl::desc("Call cg_context.probe around each kernel; the signature says "
             "what each does"),
    cl::cat(category));
cl::opt<bool> lines("lines",
                    cl::desc("Write the program's lines into the code, for "
                             "debuggers and profilers"),
                    cl::cat(category));
cl::opt<std::string> memoryReport(
    "memory-report",
    cl::desc("Write the bytes of arguments, results and the arena, and what "
             "is in it when most is: as JSON, or as text to a file whose name "
             "ends in .txt or, without a name, to standard output"),
    cl::value_desc("file"), cl::ValueOptional, cl::cat(category));
cl::opt<bool> checkNans(
    "check-nans",
    cl::desc("End a call with an error at the first op that gives NaN"),
    cl::cat(category));
enum class Sanitizer { None, Address, Thread };
cl::opt<Sanitizer> sanitize(
    "sanitize",
    cl::desc("Add checks to the code, for a process that has the sanitizer's "
             "runtime"),
    cl::values(clEnumValN(Sanitizer::Address, "address",
                          "every access to memory, with AddressSanitizer"),
               clEnumValN(Sanitizer::Thread, "thread",
                          "accesses of parallel tasks to the same memory, with "
                          "ThreadSanitizer")),
    cl::init(Sanitizer::None), cl::cat(category));
cl::opt<std::string>
    reproducers("reproducers",
                cl::desc("Where to write a program that the compiler fails on "
                         "(default: cellgrad/failures in the user's cache)"),
                cl::value_desc("directory"), cl::cat(category));
cl::opt<std::string> failsIn(
    "fails-in",
    cl::desc("Write nothing; exit with 0 if the compiler itself fails in "
             "this pass, else with 1: a test for cell-reduce"),
    cl::value_desc("pass"), cl::cat(category));
cl::opt<bool> showTime(
    "time",
    cl::desc("Print what each stage costs: processor time and growth of "
             "the peak of memory"),
    cl::cat(category));
cl::opt<bool> verifyEach("verify-each", cl::desc("Verify after every pass"),
                         cl::init(true), cl::cat(category));

int fail(const Twine &message) {
  errs() << "cellc: error: " << message << "\n";
  return 1;
}

/// `path` with another extension; the header of libm.so is m.h.
std::string withExtension(StringRef path, StringRef extension) {
  SmallString<128> result(path);
  StringRef file = sys::path::filename(path);
  constexpr StringRef kSources[] = {"h", "hpp", "py", "rs", "pc"};
  if (is_contained(kSources, extension) && file.consume_front("lib")) {
    sys::path::remove_filename(result);
    sys::path::append(result, file);
  }
  sys::path::replace_extension(result, extension);
  return result.str().str();
}

/// A file beside `path` whose name is that of the header with other words
/// behind.
std::string besideHeader(StringRef path, StringRef words) {
  SmallString<128> result(withExtension(path, "h"));
  sys::path::replace_extension(result, "");
  return (result + words).str();
}

/// Whether Python would take the library for the module that is written beside
/// it: of net.so and net.py, `import net` takes the first.
bool hidesModule(const cellgrad::EmitOutputs &outputs) {
  return !outputs.sharedObject.empty() && !outputs.python.empty() &&
         sys::path::stem(outputs.sharedObject) ==
             sys::path::stem(outputs.python) &&
         sys::path::extension(outputs.sharedObject) == ".so";
}

/// Fills in where each wanted kind goes: the first to the -o path, the rest
/// beside it.
void chooseOutputs(cellgrad::CompileOptions &options,
                   cellgrad::EmitOutputs &outputs) {
  SmallVector<Kind> wanted(kinds.begin(), kinds.end());
  if (wanted.empty()) {
    StringRef extension = sys::path::extension(output);
    if (target == "wasm32" || extension == ".wasm")
      wanted = {Kind::Wasm, Kind::Module};
    else
      wanted = {extension == ".o"   ? Kind::Object
                : extension == ".a" ? Kind::Archive
                                    : Kind::SharedObject,
                Kind::Header};
  }
  for (Kind kind : wanted) {
    auto [slot, extension] = [&]() -> std::pair<std::string *, const char *> {
      switch (kind) {
      case Kind::SharedObject:
        return {&outputs.sharedObject, "so"};
      case Kind::Object:
        return {&outputs.object, "o"};
      case Kind::Archive:
        return {&outputs.archive, "a"};
      case Kind::Wasm:
        return {&outputs.sharedObject, "wasm"};
      case Kind::Module:
        return {&outputs.module, "mjs"};
      case Kind::LLVMIR:
        return {&outputs.llvmIR, "ll"};
      case Kind::Assembly:
        return {&outputs.assembly, "s"};
      case Kind::Header:
        return {&outputs.header, "h"};
      case Kind::Cpp:
        return {&outputs.cpp, "hpp"};
      case Kind::Python:
        return {&outputs.python, "py"};
      case Kind::Rust:
        return {&outputs.rust, "rs"};
      case Kind::Runtime:
        return {&outputs.runtime, "_rt.o"};
      case Kind::WeightsLoader:
        return {&outputs.weightsLoader, "_weights.h"};
      case Kind::PkgConfig:
        return {&outputs.pkgConfig, "pc"};
      case Kind::CMakeConfig:
        return {&outputs.cmakeConfig, "-config.cmake"};
      case Kind::MLIR:
        return {&options.loweredMLIR, "mlir"};
      case Kind::Plan:
        return {&options.plan, "plan"};
      case Kind::Page:
        return {&options.page, "html"};
      case Kind::PTX:
        break;
      }
      llvm_unreachable("every kind has a case");
    }();
    bool first = kind == wanted.front();
    StringRef base = output.empty() ? input : output;
    *slot = first && !output.empty() ? output.getValue()
            : is_contained(
                  {Kind::Runtime, Kind::WeightsLoader, Kind::CMakeConfig}, kind)
                ? besideHeader(base, extension)
                : withExtension(base, extension);
  }
}

/// A file of PTX for each chip.
void choosePtxOutputs(cellgrad::CompileOptions &options) {
  SmallVector<std::string> names(chips.begin(), chips.end());
  if (names.empty())
    names.push_back("sm_80");
  for (const std::string &chip : names) {
    std::string path = output.empty() ? withExtension(input, "ptx") : output;
    if (names.size() > 1)
      path = withExtension(path, chip + sys::path::extension(path).str());
    options.ptx.push_back({chip, path});
  }
}

/// Whether what --emit asks for is one text, which standard output can take.
bool isOneText() {
  constexpr Kind kCode[] = {Kind::SharedObject, Kind::Object, Kind::Archive,
                            Kind::Wasm, Kind::Runtime};
  bool printsReport = memoryReport.getNumOccurrences() != 0 &&
                      (memoryReport.empty() || memoryReport == "-");
  return kinds.size() == 1 && !is_contained(kCode, kinds.front()) &&
         chips.size() <= 1 && !printsReport;
}

/// Writes what is in a file to standard output.
int print(StringRef path) {
  auto text = MemoryBuffer::getFile(path);
  if (!text)
    return fail("cannot read '" + path + "': " + text.getError().message());
  outs() << (*text)->getBuffer();
  return 0;
}

/// The files of --fails-in and of -o -, where nothing stays.
class Scratch {
public:
  Scratch() { (void)sys::fs::createUniqueDirectory("cellc", folder); }
  ~Scratch() { (void)sys::fs::remove_directories(folder); }
  std::string path(StringRef name) const {
    SmallString<128> file(folder);
    sys::path::append(file, name);
    return file.str().str();
  }

private:
  SmallString<128> folder;
};

int run() {
  if (optLevel > 3)
    return fail("-O" + Twine(optLevel) + ": expected -O0 to -O3");
  if (threads < 1)
    return fail("--threads=0: expected 1 or more");
  bool ptx = is_contained(kinds, Kind::PTX);
  if (ptx && kinds.size() > 1)
    return fail("--emit=ptx goes without other kinds");
  if (!ptx && device != Device::CUDA && !chips.empty())
    return fail("--chip goes with --device=cuda or --emit=ptx");
  if (device != Device::CUDA && ptxas.getNumOccurrences() > 0)
    return fail("--ptxas goes with --device=cuda");
  if (device == Device::CUDA && sanitize != Sanitizer::None)
    return fail("--sanitize is for code of the CPU: leave --device=cuda out");
  bool so = is_contained(kinds, Kind::SharedObject);
  bool wasm = is_contained(kinds, Kind::Wasm) ||
              (kinds.empty() && sys::path::extension(output) == ".wasm");
  if ((so && target == "wasm32") || (wasm && target != "wasm32"))
    return fail("--emit=" + Twine(so ? "so" : "wasm") +
                (so ? " is not for" : " is for") +
                " --target=wasm32, which makes wasm and mjs");
  bool reportsMemory = memoryReport.getNumOccurrences() != 0;
  if ((profile || reportsMemory) &&
      (ptx || device == Device::CUDA || !pipeline.empty()))
    return fail(Twine(profile ? "--profile" : "--memory-report") +
                " is for code of the CPU, by the passes that the input needs: "
                "leave --device, --emit=ptx and --pipeline out");
  if (is_contained(kinds, Kind::Page) &&
      (device == Device::CUDA || !pipeline.empty()))
    return fail("--emit=html is for code of the CPU, by the passes that the "
                "input needs: leave --device and --pipeline out");
  std::optional<Scratch> scratch;
  if (!failsIn.empty())
    scratch.emplace();
  else if (input == "-" && output.empty())
    return fail("reading standard input needs an output: -o <file>");
  std::optional<Scratch> printed;
  if (output == "-") {
    if (!isOneText())
      return fail("-o - writes one text to standard output: say which, as in "
                  "--emit=mlir; code needs a file");
    printed.emplace();
    output = printed->path(input == "-" ? "model" : sys::path::stem(input));
  }

  auto buffer = cellgrad::readInput(input);
  if (!buffer)
    return fail(toString(buffer.takeError()));
  cellgrad::CompileOptions options;
  cellgrad::EmitOutputs outputs;
  outputs.durable = !scratch;
  if (scratch)
    outputs.sharedObject = scratch->path("fails.so");
  else if (is_contained(kinds, Kind::PTX))
    choosePtxOutputs(options);
  else
    chooseOutputs(options, outputs);
  if (hidesModule(outputs)) {
    StringRef file = sys::path::filename(outputs.sharedObject);
    return fail("Python would take '" + file + "' for the module '" +
                sys::path::filename(outputs.python) +
                "' beside it: name the library with -o lib" + file);
  }
  std::unique_ptr<MemoryBuffer> embedded;
  if (!weights.empty()) {
    auto file = MemoryBuffer::getFile(weights, /*IsText=*/false,
                                      /*RequiresNullTerminator=*/false);
    if (!file)
      return fail("cannot read the weights '" + weights +
                  "': " + file.getError().message());
    if ((*file)->getBufferSize() == 0)
      return fail("the weights '" + weights + "' are an empty file");
    embedded = std::move(*file);
    options.emit.weights = embedded->getBuffer();
  }
  StringRef stem = sys::path::stem(output.empty() ? input : output);
  stem.consume_front("lib");
  options.emit.model =
      cellgrad::sanitizeIdentifier(name.empty() ? stem : StringRef(name));
  options.emit.target = target;
  options.emit.optLevel = optLevel;
  options.emit.threads = threads;
  options.cuda = device == Device::CUDA;
  if (!chips.empty())
    options.emit.chips.assign(chips.begin(), chips.end());
  if (ptxas.getNumOccurrences() > 0)
    options.emit.ptxas = ptxas.empty() ? "ptxas" : ptxas.getValue();
  options.emit.dumpDirectory = dumpIR;
  options.pipeline = pipeline;
  options.verifyEach = verifyEach;
  options.checkNans = checkNans;
  options.profile = profile;
  options.emit.lines = lines;
  if (reportsMemory)
    options.memoryReport = memoryReport.empty() ? "-" : memoryReport.getValue();
  options.emit.sanitizeAddress = sanitize == Sanitizer::Address;
  options.emit.sanitizeThread = sanitize == Sanitizer::Thread;
  options.reproducers = scratch ? scratch->path("reproducers") : reproducers;
  if (!options.loweredMLIR.empty() &&
      sys::fs::equivalent(options.loweredMLIR, input))
    return fail("--emit=mlir would overwrite the input '" + input +
                "': give another -o");

  auto context = cellgrad::createContext();
  SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(*buffer), SMLoc());
  mlir::SourceMgrDiagnosticHandler diagnostics(sources, context.get());
  cellgrad::Timings timings;
  auto module = cellgrad::parseProgram(sources, context.get());
  if (module && maxBatch.getNumOccurrences() != 0 &&
      failed(cellgrad::setLargestBatch(*module, maxBatch)))
    return 1;
  if (module && !batchSizes.empty() &&
      failed(cellgrad::setOftenBatches(
          *module, SmallVector<int64_t>(batchSizes.begin(), batchSizes.end()))))
    return 1;
  // Not the options from here on: LLD resets them all when it links.
  std::string expected = failsIn, path = output;
  bool timed = showTime;
  std::optional<cellgrad::InternalFailure> failure;
  bool compiled =
      module &&
      succeeded(cellgrad::compile(*module, options, outputs,
                                  timed ? &timings : nullptr, &failure));
  if (scratch)
    return !failure || failure->stage != expected;
  if (!compiled)
    return failure ? 2 : 1;
  if (timed)
    timings.print(printed ? errs() : outs());
  return printed ? print(path) : 0;
}
} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  // --mlir-print-ir-after-all and the like: hidden, and shown by --help-hidden.
  cellgrad::registerPasses();
  mlir::registerAsmPrinterCLOptions();
  mlir::registerPassManagerCLOptions();
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "compiles MLIR (cell ops, linalg or the LLVM dialect) to a shared object "
      "and a C header\n\n"
      "Exit status: 1 if the input or an option is wrong, 2 if the compiler "
      "itself failed.\nMLIR's options work, too: --help-hidden lists "
      "--mlir-print-ir-after-all and others.\n");
  return run();
}
