//===- RustBinding.cpp - the Rust module of a model -----------------------===//

#include "passes/emit/Bindings.h"
#include "passes/emit/Names.h"
#include "passes/emit/RuntimeImage.h"
#include "passes/emit/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace cellgrad;
using llvm::StringRef;

namespace {
/// Words that names cannot be, and methods that the model has.
constexpr StringRef kTaken[] = {
    "Self",       "abstract", "as",    "async",    "await",  "become",
    "box",        "break",    "const", "continue", "crate",  "do",
    "drop",       "dyn",      "else",  "enum",     "extern", "false",
    "final",      "fn",       "for",   "gen",      "if",     "impl",
    "in",         "let",      "loop",  "macro",    "match",  "mod",
    "move",       "mut",      "new",   "override", "priv",   "pub",
    "ref",        "return",   "self",  "static",   "struct", "super",
    "set_memory", "trait",    "true",  "try",      "type",   "typeof",
    "unsafe",     "unsized",  "use",   "virtual",  "where",  "while",
    "yield"};

std::string rustName(StringRef identifier) {
  return identifier.str() + (llvm::is_contained(kTaken, identifier) ? "_" : "");
}

StringRef rustType(const DTypeInfo &dtype) {
  constexpr std::pair<StringRef, StringRef> kTypes[] = {
      {"bool", "bool"},   {"int8", "i8"},      {"int16", "i16"},
      {"int32", "i32"},   {"int64", "i64"},    {"uint8", "u8"},
      {"uint16", "u16"},  {"uint32", "u32"},   {"uint64", "u64"},
      {"float16", "u16"}, {"bfloat16", "u16"}, {"float32", "f32"},
      {"float64", "f64"}};
  for (auto [name, type] : kTypes)
    if (name == dtype.name)
      return type;
  llvm_unreachable("every dtype of the ABI has a type");
}

/// "&mut [f32; 640]", and a slice where there is a row for each sample.
std::string reference(const TensorSpec &spec) {
  bool written = spec.donate || spec.role == "result";
  std::string text = written ? "&mut [" : "&[";
  text += rustType(*spec.dtype);
  return text +
         (spec.hasRows() ? "]" : "; " + std::to_string(spec.elements()) + "]");
}

void writeMethod(llvm::raw_ostream &os, const ModelSpec &model,
                 const EntrySpec &entry) {
  os << "\n    /// The entry \"" << commentSafe(entry.name) << "\".\n    ///\n";
  std::vector<const TensorSpec *> rows;
  for (const TensorSpec *spec : entry.buffers()) {
    if (spec->isBatch())
      continue;
    os << "    /// * `" << rustName(spec->field)
       << "`: " << (spec->donate ? "in/out " : "") << spec->role << " \""
       << commentSafe(spec->name) << "\", " << typeText(*spec) << "\n";
    if (spec->hasRows())
      rows.push_back(spec);
  }
  os << "    pub fn " << rustName(shortName(model, entry))
     << "(\n        &mut self,\n";
  for (const TensorSpec *spec : entry.buffers())
    if (!spec->isBatch())
      os << "        " << rustName(spec->field) << ": " << reference(*spec)
         << ",\n";
  os << "    ) -> Result<Outcome, Error> {\n";
  if (!rows.empty()) {
    os << "        let lengths = [\n";
    for (const TensorSpec *spec : rows)
      os << "            (" << rustName(spec->field) << ".len(), "
         << spec->elements() << "),\n";
    os << "        ];\n        let batch = match rows(&lengths) {\n"
       << "            Some(count) => count,\n"
       << "            None => return Err(error(ERROR_BATCH)),\n"
       << "        };\n";
  }
  os << "        let args: [*const c_void; "
     << std::max<size_t>(entry.buffers().size(), 1) << "] = [\n";
  for (const TensorSpec *spec : entry.buffers()) {
    bool written = spec->donate || spec->role == "result";
    if (spec->isBatch())
      os << "            batch as usize as *const c_void,\n";
    else
      os << "            " << rustName(spec->field)
         << (written ? ".as_mut_ptr() as *const c_void,\n"
                     : ".as_ptr() as *const c_void,\n");
  }
  if (entry.buffers().empty())
    os << "            std::ptr::null(),\n";
  os << "        ];\n        outcome(unsafe { " << entry.symbol
     << "(args.as_ptr(), &self.context) })\n    }\n";
}
} // namespace

llvm::Expected<std::string> cellgrad::makeRust(const ModelSpec &model,
                                               const ArtifactNames &names) {
  if (model.cuda())
    return llvm::createStringError(
        "the Rust module is for models that compute on the CPU: use the C "
        "header of this one");
  std::string text, prefix = model.prefix();
  llvm::raw_string_ostream os(text);
  os << "//! The model '" << model.name << "', compiled by cellgrad "
     << compilerVersion() << ": do not edit.\n//!\n"
     << "//! Make a `Model` and call its entries. Link the program with '"
     << commentSafe(names.library) << "'.\n"
     << "#![allow(dead_code, non_snake_case, unused_unsafe, "
        "clippy::too_many_arguments)]\n\n"
     << rustText();
  StringRef library = names.library;
  if (library.consume_front("lib") && library.consume_back(".so"))
    os << "#[link(name = " << quoted(library) << ")]\n";
  os << "extern \"C\" {\n";
  auto declare = [&](StringRef symbol, StringRef signature) {
    if (std::string link = linkName(model, symbol); !link.empty())
      os << "    #[link_name = \"" << link << "\"]\n";
    os << "    fn " << symbol << signature << ";\n";
  };
  declare(prefix + "fingerprint", "() -> u64");
  declare(prefix + "abi_version", "() -> u32");
  declare(prefix + "status_message", "(status: i32) -> *const c_char");
  if (model.embedsWeights())
    declare(prefix + "weights", "(bytes: *mut u64) -> *const u8");
  if (model.parallel()) {
    declare(prefix + "pool_new", "(threads: i32) -> *mut c_void");
    declare(prefix + "pool_free", "(pool: *mut c_void)");
  }
  for (const EntrySpec &entry : model.entries) {
    declare(entry.symbol, "(args: *const *const c_void, context: *const "
                          "Context) -> i32");
    if (entry.hasArenaFunction())
      declare(entry.arenaFunction(), "(batch: i64, threads: i32) -> u64");
  }
  os << "}\n\nfn error(status: i32) -> Error {\n"
     << "    let words = unsafe { CStr::from_ptr(" << prefix
     << "status_message(status)) };\n"
     << "    Error { status, message: words.to_string_lossy().into_owned() }\n"
     << "}\n\nfn outcome(status: i32) -> Result<Outcome, Error> {\n"
     << "    match status {\n        OK => Ok(Outcome::Done),\n"
     << "        SKIPPED => Ok(Outcome::Skipped),\n"
     << "        _ => Err(error(status)),\n    }\n}\n\n";
  if (model.embedsWeights())
    os << "/// The .safetensors file inside the model.\n"
       << "pub fn weights() -> &'static [u8] {\n    let mut size = 0u64;\n"
       << "    unsafe {\n        let bytes = " << prefix
       << "weights(&mut size);\n"
       << "        std::slice::from_raw_parts(bytes, size as usize)\n    }\n"
       << "}\n\n";
  os << "/// The model, with the memory and the threads for its calls.\n"
     << "pub struct Model {\n    context: Context,\n    arena: "
        "Vec<Line>,\n}\n\n"
     << "impl Model {\n"
     << "    /// Computes on `threads` threads, or as many as there are "
        "processors if it is 0.\n"
     << "    pub fn new(threads: i32) -> Result<Model, Error> {\n"
     << "        let same = unsafe { " << prefix << "abi_version() == ABI && "
     << prefix << "fingerprint() == 0x"
     << llvm::utohexstr(fingerprint(model), true) << " };\n"
     << "        if !same {\n            return Err(error(ERROR_HEADER));\n"
     << "        }\n        let mut parallel: *mut c_void = "
        "std::ptr::null_mut();\n        let mut lent = 1i32;\n";
  if (model.parallel())
    os << "        if threads != 1 {\n            parallel = unsafe { "
       << prefix << "pool_new(threads) };\n"
       << "            if parallel.is_null() {\n"
       << "                return Err(error(5));\n            }\n"
       << "            lent = unsafe { (*(parallel as *const "
          "Parallel)).threads };\n        }\n";
  os << "        let _ = (threads, &mut parallel, &mut lent);\n"
     << "        let mut bytes = 0u64;\n";
  for (const EntrySpec &entry : model.entries)
    if (entry.hasArenaFunction())
      os << "        bytes = bytes.max(unsafe { " << entry.arenaFunction()
         << "(1, lent) });\n";
    else
      os << "        bytes = bytes.max(" << entry.arenaBytes << ");\n";
  os << "        let mut arena = vec![Line([0; 64]); ((bytes + 63) / 64) as "
        "usize];\n"
     << "        let place = if bytes == 0 {\n            "
        "std::ptr::null_mut()\n        } else {\n            "
        "arena.as_mut_ptr() as *mut c_void\n        };\n"
     << "        let context = Context {\n"
     << "            struct_size: std::mem::size_of::<Context>() as u32,\n"
     << "            flags: 0,\n            arena: place,\n"
     << "            arena_bytes: bytes,\n            until_parallel: [0; 8],\n"
     << "            parallel,\n            until_memory: [0; 5],\n"
     << "            allocate: None,\n            release: None,\n"
     << "            memory_user: std::ptr::null_mut(),\n"
     << "            after_memory: [0; 3],\n"
     << "        };\n        Ok(Model { context, arena })\n    }\n\n"
     << "    /// Calls take and give back all memory by these functions; the "
        "model's own is\n    /// given back at once.\n    ///\n"
     << "    /// # Safety\n    ///\n    /// `allocate` returns memory of as "
        "many bytes, aligned as it is asked for, or null.\n"
     << "    pub unsafe fn set_memory(&mut self, allocate: Allocate, release: "
        "Release, user: *mut c_void) {\n"
     << "        self.arena = Vec::new();\n"
     << "        self.context.arena = std::ptr::null_mut();\n"
     << "        self.context.arena_bytes = 0;\n"
     << "        self.context.allocate = Some(allocate);\n"
     << "        self.context.release = Some(release);\n"
     << "        self.context.memory_user = user;\n    }\n";
  for (const EntrySpec &entry : model.entries)
    writeMethod(os, model, entry);
  os << "}\n";
  if (model.parallel())
    os << "\nimpl Drop for Model {\n    fn drop(&mut self) {\n"
       << "        if !self.context.parallel.is_null() {\n"
       << "            unsafe { " << prefix
       << "pool_free(self.context.parallel) };\n        }\n    }\n}\n";
  return text;
}
