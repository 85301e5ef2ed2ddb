//===- CompileBindings.cpp - the compiler in Python -----------------------===//

#include "pyfront/native/Bindings.h"
#include "pyfront/native/Graph.h"

#include "passes/Compile.h"
#include "passes/Registry.h"
#include "passes/batch/DynamicBatch.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

#include "llvm/Support/SourceMgr.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace mlir;
using namespace nb::literals;

namespace cellgrad::python {
namespace {

/// Bytes of a Python object, which stays as it is meanwhile.
class Bytes {
public:
  explicit Bytes(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_SIMPLE) != 0)
      throw nb::python_error();
  }
  Bytes(Bytes &&other) noexcept : view(std::exchange(other.view, {})) {}
  Bytes &operator=(Bytes &&) = delete;
  ~Bytes() { PyBuffer_Release(&view); }

  llvm::StringRef get() const {
    return {static_cast<const char *>(view.buf), static_cast<size_t>(view.len)};
  }

private:
  Py_buffer view{};
};

struct Job {
  CompileOptions options;
  EmitOutputs outputs;
  std::vector<Bytes> kept; ///< what outputs.extra and options.emit refer to
};

/// Files of Python's that are to appear with the compiler's.
void readFiles(nb::handle files, Job &job) {
  for (auto [path, pieces] : nb::cast<nb::dict>(files)) {
    ExtraFile file{nb::cast<std::string>(path), {}};
    for (nb::handle piece : nb::cast<nb::list>(pieces)) {
      job.kept.emplace_back(piece);
      file.pieces.push_back(job.kept.back().get());
    }
    job.outputs.extra.push_back(std::move(file));
  }
}

Job readOptions(const std::string &path, const std::string &name,
                const nb::dict &options) {
  Job job;
  job.outputs.sharedObject = path;
  job.options.emit.model = name;
  const std::pair<const char *, std::string *> texts[] = {
      {"target", &job.options.emit.target},
      {"ptxas", &job.options.emit.ptxas},
      {"dump_ir", &job.options.emit.dumpDirectory},
      {"pipeline", &job.options.pipeline},
      {"header", &job.outputs.header},
      {"hpp", &job.outputs.cpp},
      {"py", &job.outputs.python},
      {"rs", &job.outputs.rust},
      {"weights_loader", &job.outputs.weightsLoader},
      {"pc", &job.outputs.pkgConfig},
      {"cmake", &job.outputs.cmakeConfig},
      {"object", &job.outputs.object},
      {"archive", &job.outputs.archive},
      {"module", &job.outputs.module},
      {"assembly", &job.outputs.assembly},
      {"llvm_ir", &job.outputs.llvmIR},
      {"llvm_dialect", &job.options.loweredMLIR},
      {"plan", &job.options.plan},
      {"memory_report", &job.options.memoryReport},
      {"page", &job.options.page},
      {"reproducers", &job.options.reproducers},
  };
  for (auto [key, value] : options) {
    std::string option = nb::cast<std::string>(key);
    auto text =
        llvm::find_if(texts, [&](const auto &t) { return option == t.first; });
    if (text != std::end(texts)) {
      *text->second = nb::cast<std::string>(value);
    } else if (option == "opt_level") {
      int level = nb::cast<int>(value);
      if (level < 0 || level > 3)
        throw nb::value_error("opt_level: expected 0 to 3");
      job.options.emit.optLevel = level;
    } else if (option == "threads") {
      int threads = nb::cast<int>(value);
      if (threads < 1)
        throw nb::value_error("threads: expected 1 or more");
      job.options.emit.threads = threads;
    } else if (option == "verify_each") {
      job.options.verifyEach = nb::cast<bool>(value);
    } else if (option == "check_nans") {
      job.options.checkNans = nb::cast<bool>(value);
    } else if (option == "profile") {
      job.options.profile = nb::cast<bool>(value);
    } else if (option == "lines") {
      job.options.emit.lines = nb::cast<bool>(value);
    } else if (option == "durable") {
      job.outputs.durable = nb::cast<bool>(value);
    } else if (option == "weights") {
      job.kept.emplace_back(value);
      job.options.emit.weights = job.kept.back().get();
    } else if (option == "files") {
      readFiles(value, job);
    } else if (option == "sanitize_address") {
      job.options.emit.sanitizeAddress = nb::cast<bool>(value);
    } else if (option == "poison") {
      job.options.poison = nb::cast<bool>(value);
    } else if (option == "chips") { // of GPUs; without, code for the CPU
      job.options.cuda = true;
      if (nb::len(value) != 0)
        job.options.emit.chips = nb::cast<std::vector<std::string>>(value);
    } else if (option == "kernel_bytes") {
      job.options.kernelBytes = nb::cast<int64_t>(value);
    } else if (option == "bucket_bytes") {
      job.options.bucketBytes = nb::cast<int64_t>(value);
    } else {
      std::string known =
          "opt_level, verify_each, check_nans, profile, poison, kernel_bytes, "
          "bucket_bytes, chips, "
          "sanitize_address, durable, lines, weights, files";
      for (const auto &t : texts)
        known += std::string(", ") + t.first;
      throw nb::value_error(
          ("unknown compile option '" + option + "': expected one of " + known)
              .c_str());
    }
  }
  return job;
}

/// A diagnostic with the Python position it belongs to.
struct Message {
  std::string severity, text;
  SourceLocation location;
};

/// The first file position in `location`, and the Cell path around it.
void findPosition(Location location, SourceLocation &out) {
  if (auto file = dyn_cast<FileLineColLoc>(location)) {
    if (out.file.empty()) {
      out.file = file.getFilename().str();
      out.line = file.getLine();
      out.column = file.getColumn();
    }
  } else if (auto name = dyn_cast<NameLoc>(location)) {
    if (out.name.empty())
      out.name = name.getName().str();
    findPosition(name.getChildLoc(), out);
  } else if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      findPosition(part, out);
  } else if (auto call = dyn_cast<CallSiteLoc>(location)) {
    findPosition(call.getCallee(), out);
    findPosition(call.getCaller(), out);
  }
}

class Collector {
public:
  explicit Collector(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          add(diagnostic);
          return success();
        }) {}

  [[noreturn]] void raise(nb::handle type,
                          const std::optional<InternalFailure> &failure) const {
    if (file && !failure) {
      // Python makes a FileNotFoundError of it, or what it is.
      nb::object error =
          nb::borrow(PyExc_OSError)(file->number, file->reason, file->path);
      PyErr_SetObject(error.type().ptr(), error.ptr());
      throw nb::python_error();
    }
    std::string text;
    nb::list all;
    for (const Message &m : messages) {
      if (!text.empty())
        text += '\n';
      if (!m.location.file.empty())
        text += m.location.file + ":" + std::to_string(m.location.line) + ":" +
                std::to_string(m.location.column) + ": ";
      text += m.severity + ": " + m.text;
      nb::dict entry;
      entry["severity"] = m.severity;
      entry["message"] = m.text;
      entry["file"] = m.location.file;
      entry["line"] = m.location.line;
      entry["column"] = m.location.column;
      entry["name"] = m.location.name;
      all.append(entry);
    }
    nb::object error =
        type(text.empty() ? "the compiler failed without a message" : text);
    error.attr("diagnostics") = all;
    error.attr("failure") = nb::none();
    if (failure) {
      nb::dict told;
      told["stage"] = failure->stage;
      told["construct"] = failure->construct;
      told["reproducer"] = failure->reproducer;
      told["command"] = failure->command;
      error.attr("failure") = told;
    }
    PyErr_SetObject(type.ptr(), error.ptr());
    throw nb::python_error();
  }

private:
  void add(Diagnostic &diagnostic) {
    Message message;
    switch (diagnostic.getSeverity()) {
    case DiagnosticSeverity::Error:
      message.severity = "error";
      break;
    case DiagnosticSeverity::Warning:
      message.severity = "warning";
      break;
    default:
      message.severity = "note";
    }
    message.text = diagnostic.str();
    findPosition(diagnostic.getLocation(), message.location);
    if (auto found = fileFailure(diagnostic))
      file = std::move(found);
    messages.push_back(std::move(message));
    for (Diagnostic &note : diagnostic.getNotes())
      add(note);
  }

  std::vector<Message> messages;
  std::optional<FileFailure> file; ///< that could not be written
  ScopedDiagnosticHandler handler;
};

nb::handle errorType; // CompileError; never released

Timings compileText(const std::string &text, const std::string &path,
                    const std::string &name, const nb::dict &options) {
  Job job = readOptions(path, name, options);
  auto context = createContext();
  Collector collector(context.get());
  Timings timings;
  std::optional<InternalFailure> failure;
  bool ok;
  {
    nb::gil_scoped_release release;
    auto module = parseProgram(text, context.get());
    ok = module && succeeded(compile(*module, job.options, job.outputs,
                                     &timings, &failure));
  }
  if (!ok)
    collector.raise(errorType, failure);
  return timings;
}

Timings compileGraph(std::shared_ptr<Graph> graph, const std::string &path,
                     const std::string &name, const nb::dict &options) {
  Job job = readOptions(path, name, options);
  Collector collector(graph->context());
  Timings timings;
  std::optional<InternalFailure> failure;
  bool ok;
  {
    nb::gil_scoped_release release;
    DialectRegistry registry;
    registerDialects(registry);
    registerEmitDialects(registry);
    graph->context()->appendDialectRegistry(registry);
    graph->context()->printOpOnDiagnostic(false);
    ok = succeeded(
        compile(graph->module(), job.options, job.outputs, &timings, &failure));
  }
  if (!ok)
    collector.raise(errorType, failure);
  return timings;
}
} // namespace

void bindCompile(nb::module_ &m) {
  errorType =
      PyErr_NewExceptionWithDoc("cellgrad._native.CompileError",
                                "The compiler refused a module. `diagnostics` "
                                "is a list of dictionaries: severity, "
                                "message, file, line, column, name. `failure` "
                                "is None where the module is at fault; where "
                                "the compiler is, a dictionary: stage, "
                                "construct, reproducer, command.",
                                PyExc_RuntimeError, nullptr);
  errorType.attr("failure") = nb::none();
  m.attr("CompileError") = errorType;
  nb::class_<Timings>(m, "Timings",
                      "What the stages of a compilation cost, the longest "
                      "first, as text: processor time and growth of the "
                      "process's peak of memory.")
      .def("__str__",
           [](const Timings &timings) {
             std::string text;
             llvm::raw_string_ostream os(text);
             timings.print(os);
             return text;
           })
      .def_prop_ro(
          "stages",
          [](const Timings &timings) {
            nb::list stages;
            for (const Timings::Stage &stage : timings.stages())
              stages.append(nb::make_tuple(stage.name, stage.milliseconds,
                                           stage.mebibytes, stage.runs));
            return stages;
          },
          "Name, milliseconds, MiB and runs of each, in the order in which "
          "they first ran.");

  const char *doc =
      "Compiles to the shared object `path` with the model name "
      "`name`; returns its Timings. An empty path writes none. Options: target "
      "('native', 'x86-64-v3', 'aarch64', ...), opt_level 0 to "
      "3, threads (that generate code), header, hpp, py, rs, weights_loader, "
      "pc, cmake, object, archive, module (that loads a model in WebAssembly), "
      "assembly, llvm_ir, "
      "llvm_dialect "
      "(further files to write), "
      "plan, memory_report (files for the kernels in numbers, and for "
      "what is in memory when most is), profile (kernels tell the probe "
      "of the context), dump_ir (a directory for the IR after each stage), "
      "reproducers (a directory for programs on which the "
      "compiler fails), pipeline, verify_each, check_nans, "
      "poison (temporaries are NaN where they are not needed), "
      "ptxas (NVIDIA's assembler), chips (kinds of GPU to compute on, a list; "
      "empty: the "
      "default), kernel_bytes (least traffic that a kernel of ops saves), "
      "bucket_bytes (most bytes of reductions between ranks that are one), "
      "sanitize_address, lines (of the program, for debuggers), weights (the "
      "bytes of a .safetensors file that "
      "becomes a part of the model), files (a dict from "
      "paths to lists of bytes: written and put in place with "
      "the compiler's files, all or none), durable (they reach "
      "the disk first). Raises CompileError, and "
      "OSError where a file cannot be written.";
  m.def("compile_text", compileText, "text"_a, "path"_a, "name"_a,
        "options"_a = nb::dict(), doc);
  m.def("compile_graph", compileGraph, "graph"_a, "path"_a, "name"_a,
        "options"_a = nb::dict(), doc);
}

} // namespace cellgrad::python
