//===- cellc.cpp - compile MLIR to a shared object and a C header ---------===//

#include "passes/Compile.h"
#include "passes/Input.h"
#include "passes/emit/Names.h"

#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"

#include <optional>

using namespace llvm;

namespace {
cl::OptionCategory category("cellc options");

cl::opt<std::string> input(cl::Positional, cl::desc("<input.mlir>"),
                           cl::init("-"), cl::cat(category));
cl::opt<std::string>
    output("o", cl::desc("File of the first kind; the others go beside it"),
           cl::value_desc("file"), cl::cat(category));

enum class Kind {
  SharedObject,
  Object,
  LLVMIR,
  Assembly,
  Header,
  MLIR,
  Plan,
  Page,
  PTX
};
cl::list<Kind> kinds(
    "emit", cl::CommaSeparated, cl::desc("What to write (default: so,h)"),
    cl::values(clEnumValN(Kind::SharedObject, "so", "shared object"),
               clEnumValN(Kind::Header, "h", "C header"),
               clEnumValN(Kind::Object, "o",
                          "relocatable object, runtime included"),
               clEnumValN(Kind::Assembly, "s", "assembly"),
               clEnumValN(Kind::LLVMIR, "ll", "optimised LLVM IR"),
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
    cl::desc("native (default), x86-64-v2, x86-64-v3, x86-64-v4 or a CPU name"),
    cl::init("native"), cl::cat(category));
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
cl::opt<unsigned> optLevel("O", cl::Prefix,
                           cl::desc("Optimisation level, 0 to 3 (default: 2)"),
                           cl::init(2), cl::cat(category));
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
  if (extension == "h" && file.consume_front("lib")) {
    sys::path::remove_filename(result);
    sys::path::append(result, file);
  }
  sys::path::replace_extension(result, extension);
  return result.str().str();
}

/// Fills in where each wanted kind goes: the first to the -o path, the rest
/// beside it.
void chooseOutputs(cellgrad::CompileOptions &options,
                   cellgrad::EmitOutputs &outputs) {
  SmallVector<Kind> wanted(kinds.begin(), kinds.end());
  if (wanted.empty())
    wanted = {Kind::SharedObject, Kind::Header};
  for (Kind kind : wanted) {
    auto [slot, extension] = [&]() -> std::pair<std::string *, const char *> {
      switch (kind) {
      case Kind::SharedObject:
        return {&outputs.sharedObject, "so"};
      case Kind::Object:
        return {&outputs.object, "o"};
      case Kind::LLVMIR:
        return {&outputs.llvmIR, "ll"};
      case Kind::Assembly:
        return {&outputs.assembly, "s"};
      case Kind::Header:
        return {&outputs.header, "h"};
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
    *slot = first && !output.empty()
                ? output.getValue()
                : withExtension(output.empty() ? input : output, extension);
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

/// The files of --fails-in, where nothing stays.
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
  bool ptx = is_contained(kinds, Kind::PTX);
  if (ptx && kinds.size() > 1)
    return fail("--emit=ptx goes without other kinds");
  if (!ptx && device != Device::CUDA && !chips.empty())
    return fail("--chip goes with --device=cuda or --emit=ptx");
  if (device == Device::CUDA && sanitize != Sanitizer::None)
    return fail("--sanitize is for code of the CPU: leave --device=cuda out");
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
  StringRef stem = sys::path::stem(output.empty() ? input : output);
  stem.consume_front("lib");
  options.emit.model =
      cellgrad::sanitizeIdentifier(name.empty() ? stem : StringRef(name));
  options.emit.target = target;
  options.emit.optLevel = optLevel;
  options.cuda = device == Device::CUDA;
  if (!chips.empty())
    options.emit.chips.assign(chips.begin(), chips.end());
  options.emit.dumpDirectory = dumpIR;
  options.pipeline = pipeline;
  options.verifyEach = verifyEach;
  options.checkNans = checkNans;
  options.profile = profile;
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
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, context.get());
  // Not the options from here on: LLD resets them all when it links.
  std::string expected = failsIn;
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
    timings.print(outs());
  return 0;
}
} // namespace

int main(int argc, char **argv) {
  InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv,
      "compiles MLIR (cell ops, linalg or the LLVM dialect) to a shared object "
      "and a C header\n\n"
      "Exit status: 1 if the input or an option is wrong, 2 if the compiler "
      "itself failed.\n");
  return run();
}
