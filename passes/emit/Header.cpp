//===- Header.cpp - the C header of a model -------------------------------===//
//
// The header is self-contained: it carries the common part of the ABI
// (runtime/cellgrad_abi.h, guarded) in front of the model's own declarations.
//
//===----------------------------------------------------------------------===//

#include "passes/emit/RuntimeImage.h"
#include "passes/emit/Signature.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cellgrad;

namespace {
std::string upper(llvm::StringRef text) { return text.upper(); }

/// Text that may stand inside a C comment and a printf-free string.
std::string commentSafe(llvm::StringRef text) {
  std::string safe;
  for (char c : text) {
    bool closes = c == '/' && !safe.empty() && safe.back() == '*';
    bool opens = c == '*' && !safe.empty() && safe.back() == '/';
    if (closes || opens)
      safe += ' ';
    safe += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  return safe;
}

std::string typeText(const TensorSpec &spec) {
  std::string text = spec.dtype->name;
  text += '[';
  text += llvm::join(
      llvm::map_range(spec.shape, [](int64_t n) { return std::to_string(n); }),
      ", ");
  return text + "]";
}

void writeField(llvm::raw_ostream &os, const TensorSpec &spec,
                const EntrySpec &entry) {
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

void writeEntry(llvm::raw_ostream &os, const EntrySpec &entry) {
  std::string macro = upper(entry.symbol);
  os << "\n/* Entry \"" << commentSafe(entry.name)
     << "\": " << entry.args.size() << " arguments, " << entry.results.size()
     << " results. */\n"
     << "#define " << macro << "_ARENA_BYTES " << entry.arenaBytes << "u\n";
  auto buffers = entry.buffers();
  for (const TensorSpec *spec : buffers)
    os << "#define " << macro << "_" << upper(spec->field) << "_ELEMENTS "
       << spec->elements() << "u\n";
  os << "typedef struct " << entry.symbol << "_args {\n";
  for (const TensorSpec *spec : buffers)
    writeField(os, *spec, entry);
  if (buffers.empty())
    os << "  void *none; /* the entry has no buffers */\n";
  os << "} " << entry.symbol << "_args;\n"
     << "int32_t " << entry.symbol << "(const " << entry.symbol
     << "_args *args, const cg_context *context);\n";
}
} // namespace

std::string cellgrad::makeHeader(const ModelSpec &model) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string prefix = "cg_" + model.name;
  std::string guard = upper(prefix) + "_MODEL_H";
  os << "/*===- " << model.name << " - compiled by cellgrad " CELLGRAD_VERSION
     << ", do not edit ---===\n"
     << " *\n"
     << " * Fill an entry's argument struct with your buffers and call the "
        "entry; it returns\n"
     << " * CG_OK, CG_SKIPPED or a CG_ERROR_ code, which " << prefix
     << "_status_message() explains.\n"
     << " * \"const\" buffers are read; \"in/out\" buffers are updated in "
        "place; results are\n"
     << " * written. All are yours, before and after.\n"
     << " */\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n"
     << abiHeaderText() << "\n#if CELLGRAD_ABI_VERSION != 1u\n"
     << "#error \"headers of models with different ABI versions are included "
        "together\"\n"
     << "#endif\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << "/* CELLGRAD_ABI_VERSION of the compiler that wrote the model. */\n"
     << "uint32_t " << prefix << "_abi_version(void);\n"
     << "/* Entries, arguments, shapes and target as JSON text. */\n"
     << "const char *" << prefix << "_signature(void);\n"
     << "/* The words for a status code; never NULL. */\n"
     << "const char *" << prefix << "_status_message(int32_t status);\n";
  for (const EntrySpec &entry : model.entries)
    writeEntry(os, entry);
  os << "\n#ifdef __cplusplus\n}\n#endif\n#endif /* " << guard << " */\n";
  return text;
}
