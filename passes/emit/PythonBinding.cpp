//===- PythonBinding.cpp - the Python module of a model -------------------===//

#include "passes/emit/Bindings.h"
#include "passes/emit/RuntimeImage.h"
#include "passes/emit/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace cellgrad;
using llvm::StringRef;

namespace {
constexpr StringRef kKeywords[] = {
    "False",    "None",   "True",   "and",   "as",     "assert", "async",
    "await",    "def",    "del",    "elif",  "except", "exec",   "finally",
    "from",     "global", "import", "in",    "is",     "lambda", "pass",
    "nonlocal", "raise",  "with",   "yield", "not",    "or",     "if",
    "else",     "for",    "while",  "try",   "break",  "class",  "continue",
    "return",   "self"};
/// What the class has already.
constexpr StringRef kMembers[] = {"parameters", "set_memory", "signature"};

std::string pythonName(StringRef identifier, llvm::StringSet<> &taken) {
  std::string name = identifier.str();
  while (llvm::is_contained(kKeywords, name) || !taken.insert(name).second)
    name += "_";
  return name;
}

/// A literal in double quotes: text that Python reads as it is.
std::string docText(StringRef text) {
  std::string safe;
  for (char c : commentSafe(text))
    safe += c == '"' ? '\'' : c == '\\' ? '/' : c;
  return safe;
}

/// A literal of Python that is `text`.
std::string literal(StringRef text) {
  std::string out = "\"";
  for (char c : text)
    if (static_cast<unsigned char>(c) < 32 || c == '"' || c == '\\')
      out += "\\x" + llvm::utohexstr(static_cast<unsigned char>(c), true, 2);
    else
      out += c;
  return out + "\"";
}

std::string described(const TensorSpec &spec) {
  return docText(spec.name) + ": " + typeText(spec);
}
} // namespace

llvm::Expected<std::string> cellgrad::makePython(const ModelSpec &model,
                                                 const ArtifactNames &names) {
  if (model.cuda())
    return llvm::createStringError(
        "the Python module is for models that compute on the CPU: load this "
        "one with cellgrad.load");
  if (auto weights = weightsOf(model); !weights)
    return weights.takeError();
  std::string text, name = model.name;
  llvm::raw_string_ostream os(text);
  name[0] = llvm::toUpper(name[0]);
  if (name == "Model" || name == "ModelError")
    name += "_";
  os << "\"\"\"The model '" << model.name << "', compiled by cellgrad "
     << compilerVersion() << ": do not edit.\n\nNeeds numpy and the file '"
     << docText(names.library) << "' beside this one.\n\n    model = " << name
     << "()\n";
  const EntrySpec &first = model.entries.front();
  os << "    model." << shortName(model, first) << "(";
  auto inputs = [](const EntrySpec &entry) {
    std::vector<const TensorSpec *> found;
    for (const TensorSpec &arg : entry.args)
      if (arg.role == "input")
        found.push_back(&arg);
    return found;
  };
  llvm::interleaveComma(inputs(first), os,
                        [&](const TensorSpec *spec) { os << spec->field; });
  os << ")\n\"\"\"\n\n" << pythonText();
  os << "class " << name << "(Model):\n    _name = \"" << model.name
     << "\"\n    _library = " << literal(names.library)
     << "\n    _weights = " << literal(names.weights())
     << "\n    _fingerprint = 0x" << llvm::utohexstr(fingerprint(model), true)
     << "\n";
  llvm::StringSet<> methods;
  methods.insert_range(kMembers);
  for (auto [i, entry] : llvm::enumerate(model.entries)) {
    llvm::StringSet<> fields;
    std::vector<std::string> parameters;
    for (const TensorSpec *spec : inputs(entry))
      parameters.push_back(pythonName(spec->field, fields));
    std::string method = pythonName(shortName(model, entry), methods);
    os << "\n    def " << method << "(self";
    for (const std::string &parameter : parameters)
      os << ", " << parameter << ": Any";
    os << ") -> Any:\n        \"\"\"The entry '" << docText(entry.name)
       << "'.\n\n        Args:\n";
    for (const TensorSpec *spec : inputs(entry))
      os << "            " << described(*spec) << "\n";
    os << "\n        Returns:\n";
    for (const TensorSpec &result : entry.results)
      if (!result.donatedArg || entry.args[*result.donatedArg].role == "input")
        os << "            " << described(result) << "\n";
    os << "        \"\"\"\n        return self._call(" << i << ", ("
       << llvm::join(parameters, ", ")
       << (parameters.size() == 1 ? ",))\n" : "))\n");
  }
  return text;
}
