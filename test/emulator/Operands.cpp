//===- Operands.cpp - registers, constants and addresses ------------------===//

#include "Decoder.h"

#include <cstdlib>
#include <cstring>

using namespace ptx;

namespace {
struct SpecialName {
  std::string_view name;
  Special special;
};
} // namespace

static constexpr SpecialName kSpecials[] = {
    {"%tid.x", Special::TidX},
    {"%tid.y", Special::TidY},
    {"%tid.z", Special::TidZ},
    {"%ntid.x", Special::NtidX},
    {"%ntid.y", Special::NtidY},
    {"%ntid.z", Special::NtidZ},
    {"%ctaid.x", Special::CtaidX},
    {"%ctaid.y", Special::CtaidY},
    {"%ctaid.z", Special::CtaidZ},
    {"%nctaid.x", Special::NctaidX},
    {"%nctaid.y", Special::NctaidY},
    {"%nctaid.z", Special::NctaidZ},
    {"%laneid", Special::LaneId},
    {"%warpid", Special::WarpId},
    {"%nwarpid", Special::NWarpId},
    {"%smid", Special::SmId},
    {"%nsmid", Special::NSmId},
    {"%lanemask_eq", Special::LaneEq},
    {"%lanemask_lt", Special::LaneLt},
    {"%lanemask_le", Special::LaneLe},
    {"%lanemask_gt", Special::LaneGt},
    {"%lanemask_ge", Special::LaneGe},
    {"%dynamic_smem_size", Special::DynamicShared},
    {"%total_smem_size", Special::TotalShared},
    {"%gridid", Special::GridId},
};

uint64_t Decoder::literal() {
  uint64_t value = 0;
  bool minus = lex.eat("-");
  std::string_view token = lex.next();
  if (!parseInteger(token, value))
    fail("expected a number, found '" + std::string(token) + "'");
  return minus ? 0 - value : value;
}

template <class To, class From> static To bitsOf(From value) {
  To bits = 0;
  memcpy(&bits, &value, sizeof(value));
  return bits;
}

bool Decoder::immediate(std::string_view token, bool minus, Type type,
                        uint64_t &value) {
  if (token == "WARP_SZ") {
    value = kLanes;
    return true;
  }
  if (token.empty() || !isdigit(static_cast<unsigned char>(token[0])))
    return false;
  bool wide = sizeOf(type) == 8;
  double number;
  if (token.size() == 10 && (token[1] == 'f' || token[1] == 'F')) {
    auto bits = static_cast<uint32_t>(
        strtoul(std::string(token.substr(2)).c_str(), nullptr, 16));
    float single;
    memcpy(&single, &bits, sizeof(single));
    value = bits ^ (minus ? 0x80000000u : 0);
    number = minus ? -single : single;
    if (!wide)
      return true;
  } else if (token.size() == 18 && (token[1] == 'd' || token[1] == 'D')) {
    value = strtoull(std::string(token.substr(2)).c_str(), nullptr, 16);
    value ^= minus ? 1ull << 63 : 0;
    memcpy(&number, &value, sizeof(number));
    if (wide)
      return true;
  } else if (token.find('.') != std::string_view::npos) {
    number = strtod(std::string(token).c_str(), nullptr);
    number = minus ? -number : number;
  } else {
    if (!parseInteger(token, value))
      return false;
    if (type == Type::F32 || type == Type::F64 || type == Type::F16 ||
        type == Type::BF16)
      return false; // "add.f32 x, y, 1" is no legal PTX
    value = minus ? 0 - value : value;
    return true;
  }
  value = wide ? bitsOf<uint64_t>(number)
               : bitsOf<uint64_t>(static_cast<float>(number));
  return true;
}

/// `value` cut to `bytes` bytes.
static uint64_t lowPart(uint64_t value, unsigned bytes) {
  return bytes >= 8 ? value : value & ((1ull << (8 * bytes)) - 1);
}

Row Decoder::operand(Type type, bool narrow) {
  bool minus = lex.eat("-"), inverted = lex.eat("!");
  std::string_view token = lex.next();
  unsigned bytes = sizeOf(type);
  uint64_t value = 0;
  if (immediate(token, minus, type, value)) {
    if (type == Type::Pred)
      return constant(value ? kAllLanes : 0, 0);
    return constant(lowPart(value, bytes), bytes);
  }
  for (const SpecialName &entry : kSpecials)
    if (entry.name == token)
      return special(entry.special);
  Symbol *symbol = find(token);
  if (!symbol) {
    fail("unknown operand '" + std::string(token) + "'");
    return 0;
  }
  if (!symbol->isRegister()) { // its address
    value = placeOf(*symbol);
    uint64_t more = 0;
    if (lex.eat("+")) {
      more = literal();
    } else if (lex.peek() == "-") {
      more = literal();
    }
    value += more;
    if (!symbol->dynamic)
      return constant(lowPart(value, bytes), bytes);
    dynamicConstants.push_back(kernel.constants.size());
    Row row = newRow(bytes);
    kernel.constants.push_back({row, value, bytes});
    return row;
  }
  if (inverted) {
    Instr invert;
    invert.counted = false;
    invert.a[0] = symbol->row;
    invert.d[0] = newRow(1);
    invert.run = predicateNot();
    emit(invert);
    return invert.d[0];
  }
  bool isPred = type == Type::Pred;
  unsigned has = sizeOf(symbol->type);
  if (isPred != (symbol->type == Type::Pred) ||
      (narrow ? has < bytes : has != bytes)) {
    fail("'" + std::string(token) + "' has the wrong size for this operand");
    return 0;
  }
  if (has == bytes)
    return symbol->row;
  Instr cut;
  cut.counted = false;
  cut.a[0] = symbol->row;
  cut.d[0] = newRow(bytes);
  cut.run = truncater(has, type);
  emit(cut);
  return cut.d[0];
}

Row Decoder::source(Type type) { return operand(type, false); }

Row Decoder::nextSource(Type type) {
  comma();
  return operand(type, false);
}

Row Decoder::narrowSource(Type type) { return operand(type, true); }

Row Decoder::destination(Type type) {
  std::string_view token = lex.next();
  if (token == "_")
    return newRow(type == Type::Pred ? 1 : sizeOf(type));
  Symbol *symbol = find(token);
  if (!symbol || !symbol->isRegister()) {
    fail("'" + std::string(token) + "' is no register");
    return 0;
  }
  if ((type == Type::Pred) != (symbol->type == Type::Pred) ||
      sizeOf(type) != sizeOf(symbol->type)) {
    fail("'" + std::string(token) + "' has the wrong size for this result");
    return 0;
  }
  return symbol->row;
}

Row Decoder::wideDestination(Type type) {
  Lexer::Place place = lex.place();
  std::string_view token = lex.next();
  Symbol *symbol = find(token);
  if (!symbol || !symbol->isRegister() || symbol->type == Type::Pred ||
      sizeOf(symbol->type) <= sizeOf(type)) {
    lex.goTo(place);
    return destination(type);
  }
  Instr extend;
  extend.counted = false;
  extend.a[0] = newRow(sizeOf(type));
  extend.d[0] = symbol->row;
  extend.run = extender(type, sizeOf(symbol->type));
  emitAfter(extend);
  return extend.a[0];
}

unsigned Decoder::sources(Type type, Row *rows, unsigned most, bool narrow) {
  if (!lex.eat("{")) {
    rows[0] = operand(type, narrow);
    return 1;
  }
  unsigned count = 0;
  do {
    if (count == most) {
      fail("more than " + std::to_string(most) + " operands");
      return count;
    }
    rows[count++] = operand(type, narrow);
  } while (lex.eat(","));
  lex.expect("}");
  return count;
}

unsigned Decoder::destinations(Type type, Row *rows, unsigned most) {
  if (!lex.eat("{")) {
    rows[0] = wideDestination(type);
    return 1;
  }
  unsigned count = 0;
  do {
    if (count == most) {
      fail("more than " + std::to_string(most) + " results");
      return count;
    }
    rows[count++] = wideDestination(type);
  } while (lex.eat(","));
  lex.expect("}");
  return count;
}

Row Decoder::address(Space &space, int64_t &offset) {
  lex.expect("[");
  std::string_view token = lex.next();
  Row row = kNoRow;
  uint64_t value = 0;
  offset = 0;
  Symbol *symbol = find(token);
  if (symbol && symbol->isRegister()) {
    row = symbol->row;
    if (sizeOf(symbol->type) == 4 && symbol->type != Type::Pred) {
      Instr extend;
      extend.counted = false;
      extend.a[0] = row;
      extend.d[0] = row = newRow(8);
      extend.run = extender(Type::U32, 8);
      emit(extend);
    } else if (sizeOf(symbol->type) != 8) {
      fail("'" + std::string(token) + "' is no address");
    }
  } else if (symbol) {
    offset = static_cast<int64_t>(placeOf(*symbol));
    addressIsDynamic |= symbol->dynamic;
    // Parameters of calls are local memory; so says the name.
    if (space == Space::Generic || space == Space::Param)
      space = symbol->space;
  } else if (parseInteger(token, value)) {
    offset = static_cast<int64_t>(value);
  } else {
    fail("unknown address '" + std::string(token) + "'");
  }
  if (lex.eat("+"))
    offset += static_cast<int64_t>(literal());
  else if (lex.peek() == "-")
    offset += static_cast<int64_t>(literal());
  lex.expect("]");
  return row;
}
