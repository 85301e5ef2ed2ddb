//===- Expr.cpp - the expression language of op records -------------------===//

#include "dialect/tblgen/Expr.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;

namespace cellgrad::tblgen {
namespace {

class Parser {
public:
  Parser(StringRef text, const Record &def, StringRef field)
      : all(text), rest(text), def(def), field(field) {}

  Expr parse() {
    Expr e = parseOne();
    skipSpace();
    if (!rest.empty())
      fail("unexpected '" + rest + "'");
    return e;
  }

private:
  [[noreturn]] void fail(const Twine &what) {
    PrintFatalError(def.getLoc(), "in " + field + " \"" + all + "\": " + what);
  }

  void skipSpace() { rest = rest.ltrim(); }

  bool eat(char c) {
    skipSpace();
    return rest.consume_front(StringRef(&c, 1));
  }

  Expr parseOne() {
    skipSpace();
    if (rest.empty())
      fail("expected an expression");
    if (eat('{')) {
      size_t end = rest.find('}');
      if (end == StringRef::npos)
        fail("expected '}'");
      Expr e{Expr::Cpp, rest.take_front(end).str(), "", {}};
      rest = rest.drop_front(end + 1);
      return e;
    }
    if (isDigit(rest[0]) || rest[0] == '-') {
      StringRef n = rest.take_while(
          [](char c) { return isDigit(c) || c == '.' || c == '-'; });
      rest = rest.drop_front(n.size());
      return {Expr::Number, n.str(), "", {}};
    }
    StringRef name = rest.take_while(
        [](char c) { return isAlnum(c) || c == '_' || c == ':'; });
    if (name.empty())
      fail("expected a name or a number at '" + rest + "'");
    rest = rest.drop_front(name.size());
    if (!eat('('))
      return {Expr::Name, name.str(), "", {}};
    Expr call{Expr::Call, name.str(), "", {}};
    if (eat(')'))
      return call;
    do {
      Expr arg = parseOne();
      if (arg.kind == Expr::Name && eat('=')) {
        std::string key = arg.text;
        arg = parseOne();
        arg.key = std::move(key);
      }
      call.args.push_back(std::move(arg));
    } while (eat(','));
    if (!eat(')'))
      fail("expected ')'");
    return call;
  }

  StringRef all, rest;
  const Record &def;
  StringRef field;
};

} // namespace

void Expr::collectNames(StringSet<> &names) const {
  if (kind == Name)
    names.insert(text);
  for (const Expr &arg : args)
    if (arg.key.empty()) // an attribute, or `like`, which reads a type only
      arg.collectNames(names);
}

Expr parseExpr(StringRef text, const Record &def, StringRef field) {
  return Parser(text, def, field).parse();
}

} // namespace cellgrad::tblgen
