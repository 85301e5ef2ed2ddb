//===- Decoder.h - operands of instructions -------------------------------===//
//
// What the families of instructions use to decode theirs. A family has one
// file: which opcodes it knows, their operands, and the handlers that execute
// them. See docs/emulator.md, "To add an instruction".
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_TEST_EMULATOR_DECODER_H
#define CELLGRAD_TEST_EMULATOR_DECODER_H

#include "Lexer.h"
#include "Ptx.h"

#include <initializer_list>
#include <unordered_map>

namespace ptx {

/// "add.rn.f32" as a name and modifiers. A modifier that nobody took is an
/// error: it would change what the instruction does.
class Opcode {
public:
  explicit Opcode(std::string_view text);

  std::string_view name() const { return parts.front(); }
  const std::string_view text;

  /// Takes a modifier, if it is there.
  bool has(std::string_view modifier);
  /// Takes the one of `modifiers` that is there: its place, or -1.
  int oneOf(std::initializer_list<std::string_view> modifiers);
  /// Takes the next modifier that names a type; None where there is none.
  Type type();
  /// Takes the modifiers for a memory space.
  Space space();
  /// Takes ".v2" or ".v4".
  uint8_t vector();
  /// A modifier that was not taken; empty where all were.
  std::string_view leftOver() const;

private:
  std::vector<std::string_view> parts;
  std::vector<bool> taken;
};

/// A name of the program: a register, or a variable in some memory.
struct Symbol {
  Type type = Type::None; // of a register
  Row row = kNoRow;       // of a register
  Space space = Space::Generic;
  uint64_t offset = 0, bytes = 0, align = 1;
  bool dynamic = false;   // shared memory whose size the launch says
  bool perKernel = false; // declared outside of kernels, in shared memory
  bool isRegister() const { return type != Type::None; }
};

/// A function as far as callers need it.
struct Function {
  std::vector<Symbol> results, params;
  Lexer::Place body = {0, 0};
  std::string_view name;
  size_t scope = 0;
  uint32_t entry = 0;
  std::vector<std::string_view> calls;
};

class Decoder;
using Decode = void (*)(Decoder &, Opcode &, Instr &);

/// Decodes the bodies of one kernel and of the functions that it calls.
class Decoder {
public:
  using Prototypes = std::unordered_map<std::string_view, Lexer::Place>;
  using Globals = std::unordered_map<std::string_view, Symbol>;

  Decoder(Lexer &lex, Kernel &kernel, const Globals &globals,
          const Prototypes &functions);

  /// The kernel from its name to its closing brace, and what it calls.
  void decodeKernel();

  //===--- operands ------------------------------------------------------===//

  void comma() { lex.expect(","); }
  /// A register, constant or address of a variable as a row of `type`s.
  Row source(Type type);
  /// The same after a comma.
  Row nextSource(Type type);
  Row destination(Type type);
  /// A source register may be wider than `type`: its low part counts.
  Row narrowSource(Type type);
  /// A destination may be wider than `type`: the result is extended.
  Row wideDestination(Type type);
  /// "{a, b}" or one operand; the number of them.
  unsigned sources(Type type, Row *rows, unsigned most, bool narrow = false);
  unsigned destinations(Type type, Row *rows, unsigned most);
  /// "[register+offset]": the row that holds the address, and the space if the
  /// name of a variable says it.
  Row address(Space &space, int64_t &offset);
  /// An integer that is written as such.
  uint64_t literal();

  Row constant(uint64_t value, unsigned bytes);
  Row newRow(unsigned bytes);
  Row special(Special what);
  /// The predicate that holds the carry of the last "add.cc" or "sub.cc".
  Row carry();

  /// Adds an instruction, under the guard of the present one.
  void emit(Instr instr);
  /// Adds one that follows the present one.
  void emitAfter(Instr instr);

  void decodeBranch(Instr &i);
  void decodeIndexedBranch(Instr &i);
  void decodeCall(Instr &i);

  void fail(const std::string &why) { lex.fail(why); }
  Lexer &lex;

private:
  struct Range {
    std::string_view prefix;
    uint64_t count;
    Type type;
  };
  struct Scope {
    size_t parent;
    std::unordered_map<std::string_view, Symbol> names;
    std::vector<Range> ranges;
    std::unordered_map<std::string_view, uint32_t> labels;
    /// Lists of labels for brx.idx.
    std::unordered_map<std::string_view, std::vector<std::string_view>> tables;
  };
  struct Jump {
    size_t instr, scope;
    std::string_view label;
    uint32_t line;
  };

  void decodeHeader();
  void decodeBody();
  void decodeStatement();
  void decodeInstruction(std::string_view token, bool guarded);
  void declareRegisters();
  void declareVariable(Space space);
  std::vector<Symbol> declareFormals();
  Function &functionCalled(std::string_view name);
  void linkFunctions();
  void resolveJumps();

  size_t pushScope(size_t parent);
  Symbol *find(std::string_view name);
  uint64_t placeOf(Symbol &symbol);
  Row operand(Type type, bool narrow);
  bool immediate(std::string_view token, bool minus, Type type,
                 uint64_t &value);
  uint64_t reserve(uint32_t &total, uint64_t bytes, uint64_t align);

  Kernel &kernel;
  const Globals &globals;
  const Prototypes &prototypes;
  std::unordered_map<std::string_view, Symbol> placedShared;
  std::vector<Scope> scopes;
  size_t scope = 0;
  std::vector<Jump> jumps;
  std::vector<std::unique_ptr<Function>> functions;
  std::vector<std::pair<size_t, Function *>> callSites;
  Function *current = nullptr;
  std::vector<size_t> dynamicConstants, dynamicInstrs;
  bool addressIsDynamic = false;
  std::map<std::pair<uint64_t, unsigned>, Row> constants;
  std::map<Special, Row> specials;
  std::vector<Instr> after;
  Row carryRow = kNoRow;
  Row guard = kNoRow;
  bool negated = false;
};

/// Takes what follows .shared, .local, .global, .const or .param up to its
/// name: the symbol with its alignment and size.
Symbol parseVariable(Lexer &lex, std::string_view &name, Type &element);

/// The handler that copies rows of `from` to rows of `bytes` bytes, extended
/// by zeros or the sign.
Handler extender(Type from, unsigned bytes);
/// The same for the low part of a row of `bytes` bytes.
Handler truncater(unsigned bytes, Type to);

/// The handler that copies d[0] bytes of local memory from offset to target.
Handler argumentCopier();
/// The handler that inverts a predicate.
Handler predicateNot();
/// The handler that compares 32 bits for equality.
Handler equality();

/// The families: how they decode an opcode, or null if it is not theirs.
Decode findArithmetic(std::string_view name);
Decode findBits(std::string_view name);
Decode findCompare(std::string_view name);
Decode findConvert(std::string_view name);
Decode findMove(std::string_view name);
Decode findAccess(std::string_view name);
Decode findAtomic(std::string_view name);
Decode findAsyncCopy(std::string_view name);
Decode findExchange(std::string_view name);
Decode findMatrix(std::string_view name);
Decode findControl(std::string_view name);

} // namespace ptx

#endif // CELLGRAD_TEST_EMULATOR_DECODER_H
