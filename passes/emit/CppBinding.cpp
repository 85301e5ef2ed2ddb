//===- CppBinding.cpp - the C++17 header of a model -----------------------===//

#include "passes/emit/Bindings.h"
#include "passes/emit/Names.h"
#include "passes/emit/RuntimeImage.h"
#include "passes/emit/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cellgrad;
using llvm::StringRef;

namespace {
/// Names that the namespace `cg` and classes of the header have.
constexpr StringRef kTaken[] = {"Array",   "Error",      "Memory",
                                "Model",   "Tensor",     "batch",
                                "context", "set_memory", "Weights"};

std::string cppName(StringRef identifier) {
  return llvm::is_contained(kTaken, identifier) ? identifier.str() + "_"
                                                : fieldName(identifier);
}

/// "::cg::Tensor<const float, 10, 64>".
std::string viewType(const TensorSpec &spec, bool isConst) {
  std::string text = "::cg::Tensor<";
  text += isConst ? "const " : "";
  text += spec.dtype->cType;
  for (int64_t extent : spec.shape)
    text += ", " +
            (extent == kBatchExtent ? "::cg::batch" : std::to_string(extent));
  return text + ">";
}

struct Writer {
  llvm::raw_ostream &os;
  const ModelSpec &model;
  const ArtifactNames &names;

  void writeArgs(const EntrySpec &entry);
  void writeMethods(const EntrySpec &entry);
  void writeModel();
  void writeWeights(llvm::ArrayRef<WeightSpec> weights);

  std::string nameOf(const EntrySpec &entry) {
    return cppName(shortName(model, entry));
  }
};

void Writer::writeArgs(const EntrySpec &entry) {
  os << "/// What the entry \"" << commentSafe(entry.name)
     << "\" takes and gives.\nstruct " << shortName(model, entry)
     << "_args {\n";
  for (const TensorSpec *spec : entry.buffers()) {
    if (spec->isBatch())
      continue;
    bool written = spec->donate || spec->role == "result";
    os << "  " << viewType(*spec, !written) << " " << spec->field << "; ///< "
       << (spec->donate ? "in/out " : "") << spec->role << " \""
       << commentSafe(spec->name) << "\"\n";
  }
  os << "};\n\n";
}

void Writer::writeMethods(const EntrySpec &entry) {
  std::string name = nameOf(entry), args = shortName(model, entry).str();
  args += "_args";
  os << "  /// Calls the entry \"" << commentSafe(entry.name)
     << "\"; returns CG_OK or CG_SKIPPED, and throws cg::Error.\n"
     << "  ::std::int32_t " << name << "(const " << args << " &args) {\n"
     << "    return check_(\"" << shortName(model, entry) << "\", " << name
     << "(args, ::std::nothrow));\n  }\n"
     << "  /// The same; returns errors, too.\n"
     << "  ::std::int32_t " << name << "(const " << args
     << " &args, const ::std::nothrow_t &) noexcept {\n";
  const TensorSpec *first = nullptr;
  for (const TensorSpec *spec : entry.buffers())
    if (spec->hasRows()) {
      if (first)
        os << "    if (args." << spec->field << ".rows() != args."
           << first->field << ".rows())\n      return CG_ERROR_BATCH;\n";
      else
        first = spec;
    }
  os << "    const ::" << entry.argsType() << " raw = {";
  llvm::interleaveComma(entry.buffers(), os, [&](const TensorSpec *spec) {
    if (spec->isBatch())
      os << "args." << first->field << ".rows()";
    else
      os << "args." << spec->field << ".data()";
  });
  if (entry.buffers().empty())
    os << "nullptr";
  os << "};\n    " << (entry.buffers().empty() ? "(void)args;\n    " : "")
     << "return ::" << entry.symbol << "(&raw, &state_);\n  }\n";
}

void Writer::writeModel() {
  std::string prefix = "::" + model.prefix();
  os << "/// The model, with the memory and the threads for its calls. Use one "
        "in each\n/// thread that calls.\nclass Model {\npublic:\n"
     << "  /// Computes on `threads` threads, or as many as there are "
        "processors if it is 0.\n"
     << "  /// Throws cg::Error if the library is not that of this header.\n"
     << "  explicit Model(::std::int32_t threads = 1) {\n"
     << "    check_(\"the model '" << model.name << "'\", " << prefix
     << "check_header());\n"
     << "    state_.struct_size = sizeof state_;\n"
     << "    ::std::int32_t lent = 1;\n    (void)threads;\n";
  if (model.parallel())
    os << "    if (threads != 1) {\n      pool_.reset(" << prefix
       << "pool_new(threads));\n      if (!pool_)\n"
       << "        throw ::std::bad_alloc();\n"
       << "      state_.parallel = pool_.get();\n"
       << "      lent = pool_->threads;\n    }\n";
  os << "    ::std::uint64_t bytes = 0;\n    (void)lent;\n";
  for (const EntrySpec &entry : model.entries) {
    os << "    bytes = (::std::max<::std::uint64_t>)(bytes, ";
    if (entry.hasArenaFunction())
      os << "::" << entry.arenaFunction() << "(1, lent));\n";
    else
      os << entry.arenaMacro() << ");\n";
  }
  os << "    if (bytes == 0)\n      return;\n"
     << "    arena_ = ::std::make_unique<::cg::Memory<unsigned "
        "char>>(static_cast<::std::size_t>(bytes));\n"
     << "    state_.arena = arena_->get();\n    state_.arena_bytes = bytes;\n"
     << "  }\n"
     << "  /// What calls are lent besides: set its print hook, cancel and "
        "others.\n"
     << "  ::cg_context &context() noexcept { return state_; }\n"
     << "  /// Calls take and give back all memory by these functions, both or "
        "neither, on\n  /// the thread of the call; the model's own is given "
        "back at once.\n"
     << "  void set_memory(::cg_allocate_fn allocate, ::cg_release_fn release, "
        "void *user = nullptr) noexcept {\n"
     << "    arena_.reset();\n    state_.arena = nullptr;\n"
     << "    state_.arena_bytes = 0;\n    state_.allocate = allocate;\n"
     << "    state_.release = release;\n    state_.memory_user = user;\n  "
        "}\n\n";
  for (const EntrySpec &entry : model.entries)
    writeMethods(entry);
  os << "\nprivate:\n"
     << "  static ::std::int32_t check_(const char *what, ::std::int32_t "
        "status) {\n"
     << "    if (status > 0)\n      throw ::cg::Error(status, "
        "::std::string(what) + \": \" + "
     << prefix << "status_message(status));\n    return status;\n  }\n";
  if (model.parallel())
    os << "  struct Release_ {\n    void operator()(::cg_parallel *pool) const "
          "noexcept { "
       << prefix << "pool_free(pool); }\n  };\n"
       << "  ::std::unique_ptr<::cg_parallel, Release_> pool_;\n";
  os << "  ::std::unique_ptr<::cg::Memory<unsigned char>> arena_;\n"
     << "  ::cg_context state_{};\n};\n";
}

void Writer::writeWeights(llvm::ArrayRef<WeightSpec> weights) {
  std::string name = model.name;
  os << "\n#if __has_include(\"" << names.loader() << "\")\n"
     << "/// The weights of the model, by the loader " << names.loader()
     << ". Calls may write to them.\nclass Weights {\npublic:\n"
     << "  /// Those of a .safetensors file, mapped. Throws cg::Error.\n"
     << "  explicit Weights(const char *path) {\n"
     << "    char words[512];\n    check_(cgw_open_" << name
     << "(&raw_, path, words, sizeof words), words);\n  }\n"
     << "  explicit Weights(const ::std::string &path) : "
        "Weights(path.c_str()) {}\n"
     << "  /// Those of such a file that lies in memory, copied.\n"
     << "  Weights(const void *bytes, ::std::uint64_t size) {\n"
     << "    char words[512];\n    check_(cgw_read_" << name
     << "(&raw_, bytes, size, words, sizeof words), words);\n  }\n";
  if (model.embedsWeights())
    os << "  /// Those inside the model, copied.\n  Weights() {\n"
       << "    char words[512];\n    check_(cgw_embedded_" << name
       << "(&raw_, words, sizeof words), words);\n  }\n";
  os << "  ~Weights() { cgw_close_" << name << "(&raw_); }\n"
     << "  Weights(const Weights &) = delete;\n"
     << "  Weights &operator=(const Weights &) = delete;\n"
     << "  Weights(Weights &&other) noexcept : "
        "raw_(::std::exchange(other.raw_, {})) {}\n"
     << "  Weights &operator=(Weights &&other) noexcept {\n"
     << "    ::std::swap(raw_, other.raw_);\n    return *this;\n  }\n\n";
  for (const WeightSpec &weight : weights) {
    std::string type = viewType(*weight.tensor, false);
    os << "  /// " << weight.tensor->role << " \""
       << commentSafe(weight.tensor->name) << "\"\n  " << type << " "
       << cppName(weight.field) << "() const noexcept { return " << type
       << "(raw_." << weight.field << "); }\n";
  }
  os << "\nprivate:\n"
     << "  static void check_(::std::int32_t status, const char *words) {\n"
     << "    if (status != CG_OK)\n"
     << "      throw ::cg::Error(status, words);\n  }\n"
     << "  ::cgw_weights_" << name << " raw_{};\n};\n#endif\n";
}
} // namespace

llvm::Expected<std::string> cellgrad::makeCpp(const ModelSpec &model,
                                              const ArtifactNames &names) {
  if (model.cuda())
    return llvm::createStringError(
        "the C++ header is for models that compute on the CPU: use the C "
        "header of this one");
  auto weights = weightsOf(model);
  if (!weights)
    return weights.takeError();
  std::string text, guard = model.macroPrefix() + "MODEL_HPP";
  llvm::raw_string_ostream os(text);
  Writer writer{os, model, names};
  os << "//===- " << model.name << " - compiled by cellgrad "
     << compilerVersion() << ", do not edit ---===\n//\n"
     << "// Make a cg::" << cppName(model.name)
     << "::Model and call its entries with their arguments. A call throws\n"
     << "// cg::Error, or returns the status if it is given std::nothrow.\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n#include \""
     << names.header() << "\"\n#if __has_include(\"" << names.loader()
     << "\")\n#include \"" << names.loader() << "\"\n#endif\n\n"
     << cppText() << "\nnamespace cg::" << cppName(model.name) << " {\n";
  for (const EntrySpec &entry : model.entries)
    writer.writeArgs(entry);
  writer.writeModel();
  writer.writeWeights(*weights);
  os << "} // namespace cg::" << cppName(model.name) << "\n#endif // " << guard
     << "\n";
  return text;
}
