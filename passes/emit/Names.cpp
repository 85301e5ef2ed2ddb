//===- Names.cpp - C names for entries and buffers ------------------------===//
//
// Every name of a header is looked up in one table before it is taken, so that
// two of them cannot be one. Names are given in the order of the entries: what
// is appended to a model changes no name before it.
//
//===----------------------------------------------------------------------===//

#include "passes/emit/Names.h"
#include "passes/emit/RuntimeImage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace cellgrad;
using llvm::StringRef;

namespace {
/// What the name of a struct's field cannot be: keywords of C and C++, names of
/// types and values that standard headers may define as macros without
/// parameters (those with parameters are no macros unless "(" follows), and
/// what compilers predefine. Macros in capitals: see looksLikeMacro.
constexpr StringRef kReserved[] = {
    // C and C++.
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor",
    "bool", "break", "case", "catch", "char", "char16_t", "char32_t", "char8_t",
    "class", "co_await", "co_return", "co_yield", "compl", "concept", "const",
    "const_cast", "consteval", "constexpr", "constinit", "continue",
    "contract_assert", "decltype", "default", "delete", "do", "double",
    "dynamic_cast", "else", "enum", "explicit", "export", "extern", "false",
    "float", "for", "friend", "goto", "if", "inline", "int", "long", "mutable",
    "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator",
    "or", "or_eq", "private", "protected", "public", "register",
    "reinterpret_cast", "requires", "restrict", "return", "short", "signed",
    "sizeof", "static", "static_assert", "static_cast", "struct", "switch",
    "template", "this", "thread_local", "throw", "true", "try", "typedef",
    "typeid", "typename", "typeof", "typeof_unqual", "union", "unsigned",
    "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    // Types of the header: a field of that name would hide them.
    "int16_t", "int32_t", "int64_t", "int8_t", "uint16_t", "uint32_t",
    "uint64_t", "uint8_t",
    // Macros of C's headers, of POSIX's, and of compilers.
    "AF_DECnet", "B134", "B75", "I", "L_ctermid", "L_cuserid", "L_tmpnam",
    "PF_DECnet", "P_tmpdir", "assert", "basename", "complex", "d_fileno",
    "errno", "h_addr", "h_errno", "imaginary", "linux", "math_errhandling",
    "msg_cbytes", "noreturn", "offsetof", "s6_addr", "s6_addr16", "s6_addr32",
    "s_addr", "sa_handler", "sa_sigaction", "sched_priority", "setjmp",
    "st_atime", "st_ctime", "st_mtime", "stderr", "stdin", "stdout", "unix",
    "va_arg", "va_copy", "va_end", "va_start"};

/// Beginnings of families of such macros.
constexpr StringRef kReservedPrefixes[] = {
    "M_1_PI", "M_2_",    "M_E",  "M_LN", "M_LOG", "M_PI", "M_SQRT", "PRI",
    "SCN",    "atomic_", "ifa_", "ifc_", "ifr_",  "si_",  "sigev_", "cg_"};

/// Capitals throughout are what macros look like, in every library. One letter
/// with a number behind is a common name for a tensor, and a macro only where
/// terminals' speeds are ("B0", "B9600").
bool looksLikeMacro(StringRef name) {
  if (llvm::any_of(name, llvm::isLower))
    return false;
  bool numbered = llvm::all_of(name.drop_front(), llvm::isDigit);
  if (numbered)
    return name.front() == 'B' && name.ends_with("0");
  return name.size() > 2;
}

bool isReserved(StringRef name) {
  return looksLikeMacro(name) || llvm::is_contained(kReserved, name) ||
         llvm::any_of(kReservedPrefixes, [&](StringRef prefix) {
           return name.starts_with(prefix);
         });
}

/// The functions that models have. No entry of another model has the name
/// of one of them: see assignNames.
constexpr StringRef kModelFunctions[] = {
    "abi_version", "check_header", "fingerprint",   "pool_free",
    "pool_new",    "signature",    "status_message"};

/// Those of models with CUDA kernels besides.
constexpr StringRef kCudaFunctions[] = {"close", "cuda_message", "open",
                                        "wait"};

/// The names of one header.
class NameTable {
public:
  /// Takes the names of the header's common part: all its words will do.
  NameTable() {
    StringRef text = abiHeaderText();
    auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    while (!text.empty()) {
      text = text.drop_until(isWord);
      used.insert(text.take_while(isWord));
      text = text.drop_while(isWord);
    }
  }

  /// Takes all of `names`, or none and returns false if one is taken.
  bool take(llvm::ArrayRef<std::string> names) {
    if (llvm::any_of(names,
                     [&](StringRef name) { return used.contains(name); }))
      return false;
    used.insert_range(names);
    return true;
  }

  /// The first of "base", "base_2", "base_3", ... for which `attempt` holds.
  static void choose(const std::string &base,
                     llvm::function_ref<bool(const std::string &)> attempt) {
    std::string candidate = base;
    for (unsigned i = 2; !attempt(candidate); ++i)
      candidate = base + "_" + std::to_string(i);
  }

private:
  llvm::StringSet<> used;
};

void nameEntry(EntrySpec &entry, const ModelSpec &model, NameTable &table) {
  NameTable::choose(
      sanitizeIdentifier(entry.name), [&](const std::string &ident) {
        entry.symbol = model.prefix() + ident;
        entry.macro = model.macroPrefix() + StringRef(ident).upper() + "_";
        std::vector<std::string> names{entry.symbol, entry.argsType(),
                                       entry.arenaMacro(),
                                       entry.arenaFunction()};
        if (entry.maxBatch != 0)
          names.push_back(entry.maxBatchMacro());
        if (model.cuda())
          names.insert(names.end(),
                       {entry.deviceFunction(), entry.deviceArenaMacro()});
        return table.take(names);
      });
  auto nameBuffer = [&](TensorSpec &spec) {
    NameTable::choose(
        sanitizeIdentifier(spec.name), [&](const std::string &name) {
          spec.field = fieldName(name);
          spec.macro = entry.macro + StringRef(name).upper() + "_ELEMENTS";
          return table.take({spec.macro});
        });
  };
  for (TensorSpec &arg : entry.args)
    nameBuffer(arg);
  for (TensorSpec &result : entry.results) {
    if (result.donatedArg)
      result.field = entry.args[*result.donatedArg].field;
    else
      nameBuffer(result);
  }
}
} // namespace

std::string cellgrad::sanitizeIdentifier(StringRef name) {
  // Two underscores in a row belong to C++ itself, and so do an underscore and
  // a capital at the beginning. These names become parts of others.
  std::string ident;
  for (char c : name) {
    bool fits = llvm::isAlnum(c);
    if (fits || (!ident.empty() && ident.back() != '_'))
      ident += fits ? c : '_';
  }
  if (!ident.empty() && ident.back() == '_')
    ident.pop_back();
  if (ident.empty() || llvm::isDigit(ident[0]))
    ident.insert(0, "x");
  return ident;
}

std::string cellgrad::fieldName(StringRef identifier) {
  return identifier.str() + (isReserved(identifier) ? "_" : "");
}

void cellgrad::assignNames(ModelSpec &model) {
  NameTable table;
  for (StringRef function : kModelFunctions)
    table.take({model.prefix() + function.str()});
  if (model.cuda())
    for (StringRef function : kCudaFunctions)
      table.take({model.prefix() + function.str()});
  if (model.embedsWeights())
    table.take({model.prefix() + "weights"});
  // The entry "version" of "m_abi" must not be what "m" has.
  StringRef name = model.name;
  for (size_t end = name.find('_'); end != StringRef::npos;
       end = name.find('_', end + 1))
    for (StringRef function : kModelFunctions)
      table.take({("cg_" + name.take_front(end + 1) + function).str()});
  for (const char *macro : {"FINGERPRINT", "MODEL_H"})
    table.take({model.macroPrefix() + macro});
  for (EntrySpec &entry : model.entries)
    nameEntry(entry, model, table);
}

std::string cellgrad::linkName(const ModelSpec &model, StringRef symbol) {
  StringRef function = symbol.drop_front(model.prefix().size());
  bool splitsOnce = !StringRef(model.name).contains('_') &&
                    (!function.contains('_') ||
                     llvm::is_contained(kModelFunctions, function));
  return splitsOnce ? "" : "cg_" + model.name + "." + function.str();
}
