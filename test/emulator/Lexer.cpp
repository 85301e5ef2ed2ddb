//===- Lexer.cpp - tokens of PTX text -------------------------------------===//

#include "Lexer.h"

#include <cctype>
#include <cstdlib>

using namespace ptx;

static bool isWord(char c) {
  return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
         c == '%' || c == '.';
}

std::string ptx::lineOf(std::string_view text, uint32_t line) {
  size_t begin = 0;
  for (uint32_t n = 1; n < line && begin != std::string_view::npos; ++n) {
    begin = text.find('\n', begin);
    begin = begin == std::string_view::npos ? begin : begin + 1;
  }
  if (begin == std::string_view::npos)
    return "";
  std::string_view words = text.substr(begin, text.find('\n', begin) - begin);
  std::string result;
  for (char c : words.substr(0, words.find("//"))) {
    bool space = isspace(static_cast<unsigned char>(c));
    if (!space)
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  while (!result.empty() && result.back() == ' ')
    result.pop_back();
  return result;
}

void Lexer::fail(const std::string &why) {
  if (message.empty())
    message = "line " + std::to_string(lineNumber) + ": " + why + ": " +
              lineOf(text, lineNumber);
  at = text.size();
}

void Lexer::skipSpace() {
  while (at < text.size()) {
    if (text[at] == '\n') {
      ++lineNumber;
      ++at;
    } else if (isspace(static_cast<unsigned char>(text[at]))) {
      ++at;
    } else if (text.compare(at, 2, "//") == 0) {
      skipLine();
    } else if (text.compare(at, 2, "/*") == 0) {
      skipPast("*/");
    } else {
      return;
    }
  }
}

std::string_view Lexer::peek() {
  skipSpace();
  size_t end = at;
  if (end < text.size() && text[end] == '"') {
    end = text.find('"', end + 1);
    end = end == std::string_view::npos ? text.size() : end + 1;
  } else if (end < text.size() && isWord(text[end])) {
    // "shared::cta" is one word, "label:" is two.
    while (end < text.size() &&
           (isWord(text[end]) || (text.compare(end, 2, "::") == 0)))
      end += text[end] == ':' ? 2 : 1;
  } else if (end < text.size()) {
    ++end;
  }
  return text.substr(at, end - at);
}

std::string_view Lexer::next() {
  std::string_view token = peek();
  at += token.size();
  return token;
}

bool Lexer::eat(std::string_view token) {
  if (peek() != token)
    return false;
  at += token.size();
  return true;
}

void Lexer::expect(std::string_view token) {
  if (!eat(token))
    fail("expected '" + std::string(token) + "' before '" +
         std::string(peek()) + "'");
}

void Lexer::skipLine() {
  while (at < text.size() && text[at] != '\n')
    ++at;
}

void Lexer::skipPast(std::string_view stop) {
  size_t end = text.find(stop, at);
  end = end == std::string_view::npos ? text.size() : end + stop.size();
  for (; at < end; ++at)
    lineNumber += text[at] == '\n';
}

bool ptx::parseInteger(std::string_view token, uint64_t &value) {
  if (token.empty() || !isdigit(static_cast<unsigned char>(token[0])))
    return false;
  if (token.back() == 'U')
    token.remove_suffix(1);
  int base = 10;
  if (token.size() > 1 && token[0] == '0') {
    base = token[1] == 'x' || token[1] == 'X'   ? 16
           : token[1] == 'b' || token[1] == 'B' ? 2
                                                : 8;
    token.remove_prefix(base == 8 ? 1 : 2);
  }
  std::string digits(token);
  char *end = nullptr;
  value = strtoull(digits.c_str(), &end, base);
  return !digits.empty() && *end == '\0';
}
