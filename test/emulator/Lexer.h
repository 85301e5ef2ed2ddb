//===- Lexer.h - tokens of PTX text ---------------------------------------===//
//
// Words keep their dots: "ld.global.v4.b32" and "%tid.x" are one token each.
// After the first error every token is empty, so a parser need not look for
// errors at each step.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_TEST_EMULATOR_LEXER_H
#define CELLGRAD_TEST_EMULATOR_LEXER_H

#include <cstdint>
#include <string>
#include <string_view>

namespace ptx {

class Lexer {
public:
  explicit Lexer(std::string_view text) : text(text) {}

  /// The next token without taking it; empty at the end.
  std::string_view peek();
  std::string_view next();
  /// Takes the next token if it is `token`.
  bool eat(std::string_view token);
  void expect(std::string_view token);
  void skipLine();
  /// Takes everything up to and with the next `stop`.
  void skipPast(std::string_view stop);

  /// Remembers the first error, with the line and its text.
  void fail(const std::string &why);
  bool failed() const { return !message.empty(); }
  const std::string &error() const { return message; }

  uint32_t line() const { return lineNumber; }
  /// Where the next token starts, and going back there.
  struct Place {
    size_t at;
    uint32_t line;
  };
  Place place() const { return {at, lineNumber}; }
  void goTo(Place place) { at = place.at, lineNumber = place.line; }

private:
  void skipSpace();

  std::string_view text;
  size_t at = 0;
  uint32_t lineNumber = 1;
  std::string message;
};

/// An integer as PTX writes it: decimal, 0x, 0b, octal, with or without U.
bool parseInteger(std::string_view token, uint64_t &value);

/// The text of a line, without what is before and after its words.
std::string lineOf(std::string_view text, uint32_t line);

} // namespace ptx

#endif // CELLGRAD_TEST_EMULATOR_LEXER_H
