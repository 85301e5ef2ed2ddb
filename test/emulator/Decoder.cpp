//===- Decoder.cpp - bodies of kernels ------------------------------------===//

#include "Decoder.h"

#include <algorithm>
#include <functional>

using namespace ptx;

static uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

Decoder::Decoder(Lexer &lex, Kernel &kernel, const Globals &globals,
                 const Prototypes &functions)
    : lex(lex), kernel(kernel), globals(globals), prototypes(functions) {
  pushScope(0);
}

size_t Decoder::pushScope(size_t parent) {
  scopes.emplace_back();
  scopes.back().parent = parent;
  return scopes.size() - 1;
}

uint64_t Decoder::reserve(uint32_t &total, uint64_t bytes, uint64_t align) {
  uint64_t at = alignTo(total, align);
  total = static_cast<uint32_t>(at + bytes);
  return at;
}

Row Decoder::newRow(unsigned bytes) {
  // A row starts on a cache line; a predicate is one word.
  Row row = kernel.registerBytes;
  kernel.registerBytes +=
      static_cast<uint32_t>(alignTo(kLanes * std::max(bytes, 1u), 64));
  return row;
}

Row Decoder::constant(uint64_t value, unsigned bytes) {
  auto [entry, isNew] = constants.try_emplace({value, bytes}, kNoRow);
  if (isNew) {
    entry->second = newRow(bytes);
    kernel.constants.push_back({entry->second, value, bytes});
  }
  return entry->second;
}

Row Decoder::special(Special what) {
  auto [entry, isNew] = specials.try_emplace(what, kNoRow);
  if (isNew) {
    entry->second = newRow(4);
    kernel.specials.push_back({what, entry->second});
  }
  return entry->second;
}

Row Decoder::carry() {
  if (carryRow == kNoRow)
    carryRow = newRow(1);
  return carryRow;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Symbol *Decoder::find(std::string_view name) {
  for (size_t at = scope;; at = scopes[at].parent) {
    Scope &level = scopes[at];
    auto found = level.names.find(name);
    if (found != level.names.end())
      return &found->second;
    // "%r12" of ".reg .b32 %r<20>": its row is made at the first use.
    size_t end = name.find_last_not_of("0123456789") + 1;
    for (const Range &range : level.ranges) {
      uint64_t index = 0;
      if (name.substr(0, end) != range.prefix || end == name.size())
        continue;
      for (char digit : name.substr(end))
        index = index * 10 + (digit - '0');
      if (index >= range.count)
        continue;
      Symbol symbol;
      symbol.type = range.type;
      symbol.row = newRow(range.type == Type::Pred ? 1 : sizeOf(range.type));
      return &(level.names[name] = symbol);
    }
    if (at == 0)
      break;
  }
  auto global = globals.find(name);
  if (global == globals.end())
    return nullptr;
  auto [placed, isNew] = placedShared.try_emplace(name, global->second);
  return &placed->second;
}

uint64_t Decoder::placeOf(Symbol &symbol) {
  if (symbol.perKernel && !symbol.dynamic) {
    symbol.offset = reserve(kernel.sharedBytes, symbol.bytes, symbol.align);
    symbol.perKernel = false;
  }
  return symbol.offset;
}

void Decoder::declareRegisters() {
  std::string_view token = lex.next();
  Type type = token.empty() ? Type::None : typeOf(token.substr(1));
  if (type == Type::None)
    return fail("expected a type, found '" + std::string(token) + "'");
  do {
    std::string_view name = lex.next();
    if (lex.eat("<")) {
      scopes[scope].ranges.push_back({name, literal(), type});
      lex.expect(">");
      continue;
    }
    Symbol symbol;
    symbol.type = type;
    symbol.row = newRow(type == Type::Pred ? 1 : sizeOf(type));
    scopes[scope].names[name] = symbol;
  } while (lex.eat(","));
  lex.expect(";");
}

void Decoder::declareVariable(Space space) {
  std::string_view name;
  Type element;
  Symbol symbol = parseVariable(lex, name, element);
  // Parameters of calls are memory of the thread.
  symbol.space = space == Space::Param ? Space::Local : space;
  if (space == Space::Shared)
    symbol.offset = reserve(kernel.sharedBytes, symbol.bytes, symbol.align);
  else
    symbol.offset = reserve(kernel.localBytes, symbol.bytes,
                            std::max<uint64_t>(symbol.align, 16));
  scopes[scope].names[name] = symbol;
  lex.expect(";");
}

std::vector<Symbol> Decoder::declareFormals() {
  std::vector<Symbol> formals;
  if (!lex.eat("("))
    return formals;
  while (!lex.eat(")") && !lex.failed()) {
    bool isRegister = lex.next() == ".reg";
    std::string_view name;
    Type element;
    Symbol symbol = parseVariable(lex, name, element);
    if (isRegister) {
      symbol.type = element;
      symbol.row = newRow(element == Type::Pred ? 1 : sizeOf(element));
    } else {
      symbol.space = Space::Local;
      symbol.offset = reserve(kernel.localBytes, symbol.bytes,
                              std::max<uint64_t>(symbol.align, 16));
    }
    scopes[scope].names[name] = symbol;
    formals.push_back(symbol);
    lex.eat(",");
  }
  return formals;
}

//===----------------------------------------------------------------------===//
// Kernels, functions and their statements
//===----------------------------------------------------------------------===//

void Decoder::decodeKernel() {
  kernel.name = lex.next();
  decodeHeader();
  scope = pushScope(0);
  decodeBody();
  linkFunctions();
  resolveJumps();
  if (lex.failed())
    return;
  uint64_t begin = alignTo(kernel.sharedBytes, 16);
  for (size_t n : dynamicConstants)
    kernel.constants[n].value += begin;
  for (size_t n : dynamicInstrs)
    kernel.code[n].offset += begin;
}

void Decoder::decodeHeader() {
  if (lex.eat("(")) {
    while (!lex.eat(")") && !lex.failed()) {
      std::string_view name;
      Type element;
      Symbol symbol = parseVariable(lex, name, element);
      symbol.space = Space::Param;
      symbol.offset = reserve(kernel.paramBytes, symbol.bytes, symbol.align);
      kernel.params.push_back({std::string(name),
                               static_cast<uint32_t>(symbol.offset),
                               static_cast<uint32_t>(symbol.bytes)});
      scopes[0].names[name] = symbol;
      lex.eat(",");
    }
  }
  while (lex.peek().substr(0, 1) == ".") {
    std::string_view directive = lex.next();
    uint32_t values[3] = {1, 1, 1};
    unsigned count = 0;
    if (lex.peek() != "{" && lex.peek()[0] != '.') {
      do {
        uint64_t value = literal();
        if (count < 3)
          values[count++] = static_cast<uint32_t>(value);
      } while (lex.eat(","));
    }
    uint32_t product = values[0] * values[1] * values[2];
    if (directive == ".maxntid")
      kernel.maxThreads = product;
    else if (directive == ".reqntid")
      std::copy(values, values + 3, kernel.required);
    else if (directive != ".minnctapersm" && directive != ".maxnreg" &&
             directive != ".maxnctapersm" && directive != ".noreturn")
      return fail("unknown directive '" + std::string(directive) + "'");
  }
}

void Decoder::decodeBody() {
  lex.expect("{");
  size_t outer = scope;
  while (!lex.failed()) {
    if (lex.eat("}")) {
      if (scope == outer)
        break;
      scope = scopes[scope].parent;
    } else if (lex.eat("{")) {
      scope = pushScope(scope);
    } else if (lex.peek().empty()) {
      fail("the text ends within '" + kernel.name + "'");
    } else {
      decodeStatement();
    }
  }
  Instr end;
  end.flow = Flow::Return;
  end.line = lex.line();
  end.counted = false;
  kernel.code.push_back(end);
}

void Decoder::decodeStatement() {
  std::string_view token = lex.next();
  if (token == ".reg")
    return declareRegisters();
  if (token == ".shared")
    return declareVariable(Space::Shared);
  if (token == ".local")
    return declareVariable(Space::Local);
  if (token == ".param")
    return declareVariable(Space::Param);
  if (token == ".loc" || token == ".file")
    return lex.skipLine();
  if (token == ".pragma" || token == ".callprototype")
    return lex.skipPast(";");
  if (token == "@") {
    negated = lex.eat("!");
    std::string_view name = lex.next();
    Symbol *symbol = find(name);
    if (!symbol || symbol->type != Type::Pred)
      return fail("'" + std::string(name) + "' is no predicate");
    guard = symbol->row;
    return decodeInstruction(lex.next(), true);
  }
  if (lex.eat(":")) {
    if (lex.eat(".branchtargets")) {
      do
        scopes[scope].tables[token].push_back(lex.next());
      while (lex.eat(","));
      return lex.expect(";");
    }
    scopes[scope].labels[token] = static_cast<uint32_t>(kernel.code.size());
    return;
  }
  decodeInstruction(token, false);
}

void Decoder::decodeInstruction(std::string_view token, bool guarded) {
  static const auto families = {findArithmetic, findBits,      findCompare,
                                findConvert,    findMove,      findAccess,
                                findAtomic,     findAsyncCopy, findExchange,
                                findMatrix,     findControl};
  if (!guarded) {
    guard = kNoRow;
    negated = false;
  }
  Opcode opcode(token);
  Decode decode = nullptr;
  for (auto find : families)
    if (!decode)
      decode = find(opcode.name());
  if (!decode)
    return fail("unknown instruction '" + std::string(token) + "'");
  Instr instr;
  addressIsDynamic = false;
  after.clear();
  decode(*this, opcode, instr);
  if (!lex.failed() && !opcode.leftOver().empty())
    return fail("'." + std::string(opcode.leftOver()) + "' of '" +
                std::string(opcode.name()) + "' is not emulated");
  lex.expect(";");
  if (!instr.run && instr.flow == Flow::Next) // a hint without effect
    instr.run = [](Warp &, const Instr &, uint32_t) {};
  if (addressIsDynamic)
    dynamicInstrs.push_back(kernel.code.size());
  emit(instr);
  for (Instr &next : after)
    emit(next);
}

void Decoder::emit(Instr instr) {
  instr.line = lex.line();
  instr.guard = guard;
  instr.negated = negated;
  kernel.code.push_back(instr);
}

void Decoder::emitAfter(Instr instr) { after.push_back(instr); }

//===----------------------------------------------------------------------===//
// Jumps and calls
//===----------------------------------------------------------------------===//

void Decoder::decodeBranch(Instr &i) {
  i.flow = Flow::Branch;
  jumps.push_back({kernel.code.size(), scope, lex.next(), lex.line()});
}

/// A comparison and a branch for each label but the last.
void Decoder::decodeIndexedBranch(Instr &i) {
  if (guard != kNoRow)
    return fail("'brx' with a predicate is not emulated");
  Row index = source(Type::U32);
  comma();
  std::string_view name = lex.next();
  std::vector<std::string_view> *table = nullptr;
  for (size_t at = scope; at != 0 && !table; at = scopes[at].parent) {
    auto found = scopes[at].tables.find(name);
    table = found == scopes[at].tables.end() ? nullptr : &found->second;
  }
  if (!table)
    return fail("no list of labels '" + std::string(name) + "'");
  for (size_t n = 0; n + 1 < table->size(); ++n) {
    Instr test;
    test.counted = false;
    test.run = equality();
    test.a[0] = index;
    test.a[1] = constant(n, 4);
    test.d[0] = newRow(1);
    emit(test);
    jumps.push_back({kernel.code.size(), scope, (*table)[n], lex.line()});
    Instr jump;
    jump.counted = false;
    jump.flow = Flow::Branch;
    guard = test.d[0];
    emit(jump);
    guard = kNoRow;
  }
  i.flow = Flow::Branch;
  jumps.push_back({kernel.code.size(), scope, table->back(), lex.line()});
}

void Decoder::resolveJumps() {
  for (const Jump &jump : jumps) {
    bool found = false;
    for (size_t at = jump.scope; !found; at = scopes[at].parent) {
      auto label = scopes[at].labels.find(jump.label);
      if (label != scopes[at].labels.end()) {
        kernel.code[jump.instr].target = label->second;
        found = true;
      }
      if (at == 0)
        break;
    }
    if (!found && !lex.failed())
      return fail("no label '" + std::string(jump.label) + "' for line " +
                  std::to_string(jump.line));
  }
}

Function &Decoder::functionCalled(std::string_view name) {
  if (current)
    current->calls.push_back(name);
  for (auto &function : functions)
    if (function->name == name)
      return *function;
  functions.push_back(std::make_unique<Function>());
  Function &function = *functions.back();
  function.name = name;
  auto prototype = prototypes.find(name);
  if (prototype == prototypes.end() || prototype->second.line == 0) {
    fail("'" + std::string(name) + "' is a function without a body");
    return function;
  }
  Lexer::Place here = lex.place();
  size_t outer = scope;
  scope = function.scope = pushScope(0);
  lex.goTo(prototype->second);
  function.results = declareFormals();
  lex.next();
  function.params = declareFormals();
  while (lex.peek().substr(0, 1) == ".")
    lex.next();
  function.body = lex.place();
  scope = outer;
  lex.goTo(here);
  return function;
}

/// Copies between the arguments of a call, which follow, and `formals`.
static void copyArgument(Decoder &decoder, const Symbol &from, const Symbol &to,
                         bool isResult);

void Decoder::decodeCall(Instr &i) {
  std::vector<std::string_view> results, params;
  auto names = [&](std::vector<std::string_view> &list) {
    if (!lex.eat("("))
      return;
    while (!lex.eat(")") && !lex.failed()) {
      list.push_back(lex.next());
      lex.eat(",");
    }
  };
  names(results);
  if (!results.empty())
    comma();
  std::string_view name = lex.next();
  if (find(name))
    return fail("calls of registers are not emulated");
  if (lex.eat(","))
    names(params);
  Function &function = functionCalled(name);
  if (lex.failed())
    return;
  if (results.size() != function.results.size() ||
      params.size() != function.params.size())
    return fail("'" + std::string(name) + "' takes " +
                std::to_string(function.params.size()) + " and returns " +
                std::to_string(function.results.size()));
  auto argument = [&](std::string_view name, const Symbol &formal) {
    Symbol *symbol = find(name);
    if (!symbol || symbol->isRegister() != formal.isRegister() ||
        (formal.isRegister() ? sizeOf(symbol->type) != sizeOf(formal.type)
                             : symbol->bytes != formal.bytes)) {
      fail("argument '" + std::string(name) + "' does not fit");
      return formal;
    }
    return *symbol;
  };
  for (size_t n = 0; n < params.size(); ++n)
    copyArgument(*this, argument(params[n], function.params[n]),
                 function.params[n], false);
  for (size_t n = 0; n < results.size(); ++n)
    copyArgument(*this, function.results[n],
                 argument(results[n], function.results[n]), true);
  i.flow = Flow::Call;
  callSites.push_back({kernel.code.size(), &function});
}

void Decoder::linkFunctions() {
  // The list grows while bodies are decoded.
  for (size_t n = 0; n < functions.size() && !lex.failed(); ++n) {
    current = functions[n].get();
    current->entry = static_cast<uint32_t>(kernel.code.size());
    scope = current->scope;
    lex.goTo(current->body);
    guard = kNoRow;
    negated = false;
    decodeBody();
  }
  for (auto &[instr, function] : callSites)
    kernel.code[instr].target = function->entry;
  // Registers of a function exist once, so it must not be active twice.
  std::vector<std::string_view> path;
  std::function<void(const Function &)> visit = [&](const Function &function) {
    if (std::find(path.begin(), path.end(), function.name) != path.end())
      return fail("recursion in '" + std::string(function.name) +
                  "' is not emulated");
    path.push_back(function.name);
    for (std::string_view name : function.calls)
      for (auto &callee : functions)
        if (callee->name == name && !lex.failed())
          visit(*callee);
    path.pop_back();
  };
  for (auto &function : functions)
    visit(*function);
}

void copyArgument(Decoder &decoder, const Symbol &from, const Symbol &to,
                  bool isResult) {
  Instr copy = {};
  copy.counted = false;
  if (from.isRegister()) {
    copy.a[0] = from.row;
    copy.d[0] = to.row;
    copy.run = from.type == Type::Pred ? nullptr
                                       : truncater(sizeOf(from.type), to.type);
    if (!copy.run)
      return decoder.fail("predicates as arguments are not emulated");
  } else {
    copy.run = argumentCopier();
    copy.offset = static_cast<int64_t>(from.offset);
    copy.target = static_cast<uint32_t>(to.offset);
    copy.d[0] = static_cast<Row>(from.bytes);
  }
  if (isResult)
    decoder.emitAfter(copy);
  else
    decoder.emit(copy);
}
