//===- Text.cpp - pieces of the source files that go with a model ---------===//

#include "passes/emit/Text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Unicode.h"

using namespace cellgrad;

std::string cellgrad::commentSafe(llvm::StringRef text) {
  std::string safe;
  while (!text.empty()) {
    auto *at = reinterpret_cast<const llvm::UTF8 *>(text.begin());
    llvm::UTF32 c = 0;
    bool shown = llvm::convertUTF8Sequence(
                     &at, reinterpret_cast<const llvm::UTF8 *>(text.end()), &c,
                     llvm::strictConversion) == llvm::conversionOK &&
                 llvm::sys::unicode::isPrintable(c) &&
                 !llvm::sys::unicode::isFormatting(c);
    size_t size = shown ? reinterpret_cast<const char *>(at) - text.begin() : 1;
    bool closes = c == '/' && !safe.empty() && safe.back() == '*';
    bool opens = c == '*' && !safe.empty() && safe.back() == '/';
    if (closes || opens)
      safe += ' ';
    safe += shown ? text.take_front(size) : "?";
    text = text.drop_front(size);
  }
  return safe;
}

std::string cellgrad::typeText(const TensorSpec &spec) {
  std::string text = spec.dtype->name;
  text += '[';
  text += llvm::join(llvm::map_range(spec.shape,
                                     [](int64_t n) {
                                       return n == kBatchExtent
                                                  ? "batch"
                                                  : std::to_string(n);
                                     }),
                     ", ");
  return text + "]";
}

std::string cellgrad::quoted(llvm::StringRef text) {
  std::string literal = "\"";
  for (unsigned char c : text) {
    if (llvm::isPrint(c) && c != '"' && c != '\\' && c != '?') {
      literal += static_cast<char>(c);
      continue;
    }
    literal += '\\'; // three digits at most belong to it
    for (int shift : {6, 3, 0})
      literal += static_cast<char>('0' + (c >> shift & 7));
  }
  return literal + "\"";
}

llvm::StringRef cellgrad::compilerVersion() { return CELLGRAD_VERSION; }
