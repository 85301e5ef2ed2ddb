//===- Header.cpp - the C header of a model -------------------------------===//
//
// The header is self-contained: it carries the common part of the ABI
// (runtime/cellgrad_abi.h, guarded) in front of the model's own declarations.
//
//===----------------------------------------------------------------------===//

#include "passes/emit/Names.h"
#include "passes/emit/RuntimeImage.h"
#include "passes/emit/Signature.h"
#include "passes/emit/Text.h"

#include "runtime/cellgrad_abi.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cellgrad;

namespace {
/// In "CG_M_E_X_ELEMENTS" and "CG_M_E_ARENA_BYTES", whatever the case.
constexpr size_t kUnderscores = 4;

void writeField(llvm::raw_ostream &os, const TensorSpec &spec,
                const EntrySpec &entry) {
  if (spec.isBatch()) {
    os << "  int64_t " << spec.field << "; /* samples: 1 to "
       << entry.maxBatchMacro() << " */\n";
    return;
  }
  bool written = spec.donate || spec.role == "result";
  os << "  " << (written ? "" : "const ") << spec.dtype->cType << " *"
     << spec.field << "; /* " << (spec.donate ? "in/out " : "") << spec.role
     << " \"" << commentSafe(spec.name) << "\": " << typeText(spec);
  if (spec.donate)
    os << ", overwritten with result \""
       << commentSafe(entry.results[*spec.donate].name) << "\"";
  if (spec.skipped)
    os << ", where it is 1 the entry returns CG_SKIPPED";
  os << " */\n";
}

/// Declares `symbol`, a function of `model`: "int32_t " and "(void)" are what
/// stands around its name.
void declare(llvm::raw_ostream &os, const ModelSpec &model,
             llvm::StringRef result, llvm::StringRef symbol,
             llvm::StringRef parameters) {
  os << result << symbol << parameters;
  if (std::string link = linkName(model, symbol); !link.empty())
    os << " __asm__(\"" << link << "\")";
  os << ";\n";
}

/// An #error where a function or macro is also that of another model whose
/// header was included before: the entry "b_c" of "a" and the entry "c" of
/// "a_b". Names without further underscores are of one model only.
void writeCollisions(llvm::raw_ostream &os, const ModelSpec &model) {
  std::vector<std::string> marks, shared;
  auto share = [&](const std::string &macro) {
    if (llvm::StringRef(macro).count('_') > kUnderscores)
      shared.push_back(macro);
  };
  auto mark = [&](const std::string &symbol) {
    if (!linkName(model, symbol).empty())
      marks.push_back("CG_ENTRY_" + symbol);
  };
  if (model.cuda())
    mark(model.prefix() + "cuda_message");
  for (const EntrySpec &entry : model.entries) {
    mark(entry.symbol);
    if (entry.hasArenaFunction())
      mark(entry.arenaFunction());
    share(entry.arenaMacro());
    if (entry.maxBatch != 0)
      share(entry.maxBatchMacro());
    if (model.cuda()) {
      mark(entry.deviceFunction());
      share(entry.deviceArenaMacro());
    }
    for (const TensorSpec *spec : entry.buffers())
      share(spec->macro);
  }
  shared.insert(shared.begin(), marks.begin(), marks.end());
  if (shared.empty())
    return;
  os << "/* Names that could be those of another model, too. */\n#if "
     << llvm::join(llvm::map_range(shared,
                                   [](const std::string &name) {
                                     return "defined(" + name + ")";
                                   }),
                   " || \\\n    ")
     << "\n#error \"a function or macro of the model '" << model.name
     << "' has the name of one of another model in this file: include them in "
        "different files, or name one of the models otherwise (cellc --name, "
        "file_name of ms.export)\"\n"
     << "#endif\n";
  for (const std::string &mark : marks)
    os << "#define " << mark << "\n";
  os << "\n";
}

void writeEntry(llvm::raw_ostream &os, const ModelSpec &model,
                const EntrySpec &entry) {
  os << "\n/* Entry \"" << commentSafe(entry.name)
     << "\": " << entry.args.size() << " arguments, " << entry.results.size()
     << " results. */\n"
     << "#define " << entry.arenaMacro() << " "
     << (model.cuda() ? entry.hostArenaBytes() : entry.arenaBytes) << "u\n";
  if (model.cuda())
    os << "#define " << entry.deviceArenaMacro() << " " << entry.arenaBytes
       << "u\n";
  auto buffers = entry.buffers();
  if (entry.maxBatch != 0)
    os << "#define " << entry.maxBatchMacro() << " " << entry.maxBatch << "\n";
  for (const TensorSpec *spec : buffers)
    if (spec->hasRows())
      os << "#define " << spec->macro << "(batch) ((uint64_t)(batch) * "
         << spec->elements() << "u)\n";
    else if (!spec->isBatch())
      os << "#define " << spec->macro << " " << spec->elements() << "u\n";
  os << "typedef struct " << entry.argsType() << " {\n";
  for (const TensorSpec *spec : buffers)
    writeField(os, *spec, entry);
  if (buffers.empty())
    os << "  void *none; /* the entry has no buffers */\n";
  os << "} " << entry.argsType() << ";\n";
  declare(os, model, "int32_t ", entry.symbol,
          "(const " + entry.argsType() + " *args, const cg_context *context)");
  if (model.cuda()) {
    os << "/* The same with pointers of the device. It enqueues its work on "
          "cg_context.stream"
       << (entry.waits
               ? ",\n   and waits for values that the host needs on the "
                 "way"
               : "")
       << ". */\n";
    declare(os, model, "int32_t ", entry.deviceFunction(),
            "(const " + entry.argsType() +
                " *args, const cg_context *context)");
  }
  if (!entry.hasArenaFunction())
    return;
  os << "/* Bytes of an arena with which the entry computes on so many "
        "threads, "
        "whatever the\n   batch; with fewer it computes on one. */\n";
  declare(os, model, "uint64_t ", entry.arenaFunction(),
          "(int64_t batch, int32_t threads)");
}

/// What opens a device for the kernels of `model`.
void writeDevice(llvm::raw_ostream &os, const ModelSpec &model) {
  std::string prefix = model.prefix();
  os << "/* Opens CUDA device number `device` for cg_context.cuda; on an error "
        "*out is NULL,\n   and the words are in the `size` bytes of `message`, "
        "which may be NULL. */\n";
  declare(os, model, "int32_t ", prefix + "open",
          "(int32_t device, struct cg_cuda **out, char *message, uint64_t "
          "size)");
  os << "/* Waits for what is enqueued, and closes it, when no call uses it. "
        "NULL is fine. */\n";
  declare(os, model, "void ", prefix + "close", "(struct cg_cuda *cuda)");
  os << "/* The words for the last error of a call with it, valid until its "
        "next call. */\n";
  declare(os, model, "const char *", prefix + "cuda_message",
          "(const struct cg_cuda *cuda)");
  os << "/* Waits for what is enqueued on cg_context.stream; returns what went "
        "wrong in it. */\n";
  declare(os, model, "int32_t ", prefix + "wait",
          "(const cg_context *context)");
}

/// What makes the pool that the regions of `model` run on.
void writePool(llvm::raw_ostream &os, const ModelSpec &model) {
  os << "/* A pool of threads for cg_context.parallel, of this model and "
        "others: "
        "at most\n   `threads`, the caller's included; 0: as many as the "
        "processors it may run on.\n   They start when they are needed, and "
        "sleep when they are not. NULL: out of memory. */\n";
  declare(os, model, "cg_parallel *", model.prefix() + "pool_new",
          "(int32_t threads)");
  os << "/* Ends it, before the model is unloaded and when no call uses it. "
        "NULL "
        "is fine. */\n";
  declare(os, model, "void ", model.prefix() + "pool_free",
          "(cg_parallel *pool)");
}
} // namespace

std::string cellgrad::makeHeader(const ModelSpec &model) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string prefix = model.prefix(), macros = model.macroPrefix();
  std::string guard = macros + "MODEL_H", mark = macros + "FINGERPRINT";
  std::string value = "0x" + llvm::utohexstr(fingerprint(model), true) + "u";
  os << "/*===- " << model.name << " - compiled by cellgrad "
     << compilerVersion() << ", do not edit ---===\n"
     << " *\n"
     << " * Call " << prefix << "check_header() once. Then fill an entry's "
     << "argument struct with\n"
     << " * your buffers and call the entry; it returns CG_OK, CG_SKIPPED or a "
        "CG_ERROR_ code,\n"
     << " * which " << prefix << "status_message() explains.\n"
     << " * \"const\" buffers are read; \"in/out\" buffers are updated in "
        "place; results are\n"
     << " * written. All are yours, before and after.\n"
     << " */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << abiHeaderText()
     << "\n#if CELLGRAD_ABI_VERSION != " << CELLGRAD_ABI_VERSION << "u\n"
     << "#error \"headers of models with different ABI versions are included "
        "together\"\n"
     << "#endif\n\n";
  writeCollisions(os, model);
  os << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << "/* What this header and its model agree on: entries, and each "
        "buffer's "
        "place, dtype\n   and shape. */\n"
     << "#define " << mark << " " << value << "\n";
  declare(os, model, "uint64_t ", prefix + "fingerprint", "(void)");
  os << "/* CELLGRAD_ABI_VERSION of the compiler that wrote the model. */\n";
  declare(os, model, "uint32_t ", prefix + "abi_version", "(void)");
  os << "/* CG_OK, or CG_ERROR_HEADER where this header is not that of the "
        "model the program\n   runs with. */\n"
     << "static inline int32_t " << prefix << "check_header(void) {\n"
     << "  return " << prefix << "abi_version() == CELLGRAD_ABI_VERSION &&\n"
     << "                 " << prefix << "fingerprint() == " << mark << "\n"
     << "             ? CG_OK\n             : CG_ERROR_HEADER;\n}\n"
     << "/* Entries, arguments, shapes and target as JSON text. */\n";
  declare(os, model, "const char *", prefix + "signature", "(void)");
  os << "/* The words for a status code; never NULL. */\n";
  declare(os, model, "const char *", prefix + "status_message",
          "(int32_t status)");
  if (model.embedsWeights()) {
    os << "/* The .safetensors file inside the model, and its size. */\n";
    declare(os, model, "const void *", prefix + "weights", "(uint64_t *bytes)");
  }
  if (model.parallel())
    writePool(os, model);
  if (model.cuda())
    writeDevice(os, model);
  for (const EntrySpec &entry : model.entries)
    writeEntry(os, model, entry);
  os << "\n#ifdef __cplusplus\n}\n#endif\n"
     << "#elif " << mark << " != " << value << "\n"
     << "#error \"two versions of the model '" << model.name
     << "' are included together\"\n"
     << "#endif /* " << guard << " */\n";
  return text;
}
