//===- Parser.cpp - modules of PTX text -----------------------------------===//
//
// What stands outside of functions. Bodies of functions that kernels call are
// skipped here and decoded into each kernel that needs them: a function has no
// registers of its own at run time, only rows of its caller.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include <cstring>

using namespace ptx;

std::string Kernel::lineText(uint32_t line) const {
  return lineOf(*text, line);
}

Symbol ptx::parseVariable(Lexer &lex, std::string_view &name, Type &element) {
  Symbol symbol;
  element = Type::B8;
  uint64_t elements = 1, ofPointee = 0;
  bool isPointer = false;
  for (;;) {
    std::string_view token = lex.next();
    if (token == ".align") {
      // After .ptr it is the alignment of what the pointer points to.
      parseInteger(lex.next(), isPointer ? ofPointee : symbol.align);
    } else if (token == ".v2" || token == ".v4") {
      elements = token == ".v2" ? 2 : 4;
    } else if (token == ".ptr") {
      isPointer = true;
    } else if (token == ".global" || token == ".shared" || token == ".const" ||
               token == ".local" || token == ".param" || token == ".managed") {
      continue; // what a pointer points to changes nothing
    } else if (token.size() > 1 && token[0] == '.') {
      element = typeOf(token.substr(1));
      if (element == Type::None)
        lex.fail("expected a type, found '" + std::string(token) + "'");
    } else {
      name = token;
      break;
    }
  }
  uint64_t size = sizeOf(element);
  symbol.align = std::max(symbol.align, size * elements);
  while (lex.eat("[")) {
    uint64_t count = 0;
    if (!lex.eat("]")) {
      if (!parseInteger(lex.next(), count))
        lex.fail("expected the number of elements");
      lex.expect("]");
    }
    elements *= count;
  }
  symbol.bytes = elements * size;
  return symbol;
}

namespace {

class ModuleParser {
public:
  ModuleParser(std::shared_ptr<const std::string> text, Module &module)
      : text(std::move(text)), lex(*this->text), module(module) {}

  bool parse(std::string &error);

private:
  void parseVariableOf(Space space, bool isExtern);
  void parseInitializer(GlobalVariable &global, Type element);
  uint64_t parseInitialValue(Type element);
  void parseFunction();
  void parseKernel();

  std::shared_ptr<const std::string> text;
  Lexer lex;
  Module &module;
  Decoder::Globals globals;
  Decoder::Prototypes functions;
};

bool ModuleParser::parse(std::string &error) {
  std::vector<Lexer::Place> kernels;
  bool isExtern = false;
  while (!lex.peek().empty()) {
    std::string_view token = lex.next();
    if (token == ".version" || token == ".address_size") {
      lex.next();
    } else if (token == ".target") {
      module.target = lex.next();
      while (lex.eat(","))
        lex.next();
    } else if (token == ".file" || token == ".loc") {
      lex.skipLine();
    } else if (token == ".pragma") {
      lex.skipPast(";");
    } else if (token == ".section") {
      lex.skipPast("}");
    } else if (token == ".visible" || token == ".weak" || token == ".common") {
      continue;
    } else if (token == ".extern") {
      isExtern = true;
      continue;
    } else if (token == ".shared") {
      parseVariableOf(Space::Shared, isExtern);
    } else if (token == ".global") {
      parseVariableOf(Space::Global, isExtern);
    } else if (token == ".const") {
      parseVariableOf(Space::Const, isExtern);
    } else if (token == ".func") {
      parseFunction();
    } else if (token == ".entry") {
      // Kernels come last: they use what is declared anywhere.
      kernels.push_back(lex.place());
      lex.skipPast("{");
      for (int depth = 1; depth > 0 && !lex.peek().empty();) {
        token = lex.next();
        depth += token == "{" ? 1 : token == "}" ? -1 : 0;
      }
    } else {
      lex.fail("unknown directive '" + std::string(token) + "'");
    }
    isExtern = false;
  }
  for (Lexer::Place place : kernels) {
    if (lex.failed())
      break;
    lex.goTo(place);
    parseKernel();
  }
  error = lex.error();
  return !lex.failed();
}

void ModuleParser::parseVariableOf(Space space, bool isExtern) {
  std::string_view name;
  Type element;
  Symbol symbol = parseVariable(lex, name, element);
  symbol.space = space;
  if (space == Space::Shared) {
    symbol.dynamic = isExtern;
    symbol.perKernel = true;
    globals[name] = symbol;
    return lex.expect(";");
  }
  if (isExtern)
    return lex.fail("'" + std::string(name) + "' is defined in no module");
  GlobalVariable &global = module.globals[std::string(name)];
  global.name = name;
  global.constant = space == Space::Const;
  uint64_t align = symbol.align;
  uint64_t room = symbol.bytes;
  if (lex.eat("=")) {
    if (room == 0) { // "x[] = {...}": count first
      Lexer::Place values = lex.place();
      lex.expect("{");
      for (room = sizeOf(element); !lex.eat("}") && !lex.peek().empty();)
        room += lex.next() == "," ? sizeOf(element) : 0;
      lex.goTo(values);
    }
    global.storage.reset(new char[room + 2 * align]());
    global.bytes = room;
    parseInitializer(global, element);
  } else {
    global.storage.reset(new char[room + 2 * align]());
    global.bytes = room;
  }
  // Where the storage begins is known only now; values are moved there. It has
  // the alignment that it asks for and no more, as it may on a device.
  uint64_t begin = reinterpret_cast<uint64_t>(global.storage.get());
  uint64_t padding = (3 * align - begin % (2 * align)) % (2 * align);
  memmove(global.storage.get() + padding, global.storage.get(), room);
  global.data = global.storage.get() + padding;
  symbol.bytes = room;
  symbol.offset = begin + padding;
  globals[name] = symbol;
  lex.expect(";");
}

uint64_t ModuleParser::parseInitialValue(Type element) {
  bool minus = lex.eat("-");
  std::string_view token = lex.next();
  if (token == "generic") {
    lex.expect("(");
    token = lex.next();
    lex.expect(")");
  }
  auto global = globals.find(token);
  uint64_t value = 0;
  if (global != globals.end()) {
    value = global->second.offset;
    uint64_t more = 0;
    if (lex.eat("+") && parseInteger(lex.next(), more))
      value += more;
    return value;
  }
  bool isBits = token.size() > 2 && token[0] == '0' &&
                strchr("fFdD", token[1]) != nullptr;
  if (isBits)
    value = strtoull(std::string(token.substr(2)).c_str(), nullptr, 16);
  else if (!parseInteger(token, value))
    lex.fail("expected a value, found '" + std::string(token) + "'");
  if (isBits && sizeOf(element) == 4 && (token[1] == 'd' || token[1] == 'D')) {
    double wide;
    memcpy(&wide, &value, sizeof(wide));
    float narrow = static_cast<float>(wide);
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof(bits));
    value = bits;
  }
  if (!minus)
    return value;
  return isBits ? value ^ (1ull << (8 * sizeOf(element) - 1)) : 0 - value;
}

void ModuleParser::parseInitializer(GlobalVariable &global, Type element) {
  uint64_t size = sizeOf(element), at = 0;
  int depth = 0;
  do {
    if (lex.eat("{")) {
      ++depth;
      continue;
    }
    if (lex.eat("}")) {
      --depth;
      lex.eat(",");
      continue;
    }
    uint64_t value = parseInitialValue(element);
    if (at + size > global.bytes)
      return lex.fail("more values than '" + global.name + "' has elements");
    memcpy(global.storage.get() + at, &value, size);
    at += size;
    lex.eat(",");
  } while (depth > 0 && !lex.failed());
}

void ModuleParser::parseFunction() {
  Lexer::Place place = lex.place();
  if (lex.peek() == "(")
    lex.skipPast(")");
  std::string_view name = lex.next();
  if (lex.peek() == "(")
    lex.skipPast(")");
  while (lex.peek().substr(0, 1) == ".") // .noreturn
    lex.next();
  if (lex.eat(";")) {
    // Several declarations may precede the definition.
    functions.try_emplace(name, Lexer::Place{0, 0});
    return;
  }
  functions[name] = place;
  lex.expect("{");
  for (int depth = 1; depth > 0 && !lex.peek().empty();) {
    std::string_view token = lex.next();
    depth += token == "{" ? 1 : token == "}" ? -1 : 0;
  }
}

void ModuleParser::parseKernel() {
  auto kernel = std::make_unique<Kernel>();
  kernel->text = text;
  Decoder(lex, *kernel, globals, functions).decodeKernel();
  if (!lex.failed())
    module.kernels[kernel->name] = std::move(kernel);
}

} // namespace

std::unique_ptr<Module> ptx::parse(std::string_view text, std::string &error) {
  auto module = std::make_unique<Module>();
  ModuleParser parser(std::make_shared<const std::string>(text), *module);
  if (!parser.parse(error))
    return nullptr;
  return module;
}
