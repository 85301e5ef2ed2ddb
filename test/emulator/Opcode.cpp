//===- Opcode.cpp - names of types and instructions -----------------------===//

#include "Decoder.h"

using namespace ptx;

namespace {
struct TypeName {
  std::string_view name;
  Type type;
  uint8_t bytes;
};
} // namespace

static constexpr TypeName kTypes[] = {
    {"pred", Type::Pred, 4},     {"b8", Type::B8, 1},
    {"b16", Type::B16, 2},       {"b32", Type::B32, 4},
    {"b64", Type::B64, 8},       {"b128", Type::B128, 16},
    {"u8", Type::U8, 1},         {"u16", Type::U16, 2},
    {"u32", Type::U32, 4},       {"u64", Type::U64, 8},
    {"s8", Type::S8, 1},         {"s16", Type::S16, 2},
    {"s32", Type::S32, 4},       {"s64", Type::S64, 8},
    {"f16", Type::F16, 2},       {"bf16", Type::BF16, 2},
    {"tf32", Type::TF32, 4},     {"f32", Type::F32, 4},
    {"f64", Type::F64, 8},       {"f16x2", Type::F16x2, 4},
    {"bf16x2", Type::BF16x2, 4},
};

Type ptx::typeOf(std::string_view name) {
  for (const TypeName &entry : kTypes)
    if (entry.name == name)
      return entry.type;
  return Type::None;
}

unsigned ptx::sizeOf(Type type) {
  for (const TypeName &entry : kTypes)
    if (entry.type == type)
      return entry.bytes;
  return 0;
}

bool ptx::isFloat(Type type) { return type >= Type::F16; }

bool ptx::isSigned(Type type) { return type >= Type::S8 && type <= Type::S64; }

Opcode::Opcode(std::string_view text) : text(text) {
  for (size_t begin = 0; begin != std::string_view::npos;) {
    size_t dot = text.find('.', begin);
    parts.push_back(text.substr(begin, dot - begin));
    begin = dot == std::string_view::npos ? dot : dot + 1;
  }
  taken.assign(parts.size(), false);
  taken[0] = true;
}

bool Opcode::has(std::string_view modifier) {
  for (size_t n = 1; n < parts.size(); ++n) {
    if (parts[n] == modifier && !taken[n]) {
      taken[n] = true;
      return true;
    }
  }
  return false;
}

int Opcode::oneOf(std::initializer_list<std::string_view> modifiers) {
  int place = 0;
  for (std::string_view modifier : modifiers) {
    if (has(modifier))
      return place;
    ++place;
  }
  return -1;
}

Type Opcode::type() {
  for (size_t n = 1; n < parts.size(); ++n) {
    Type type = taken[n] ? Type::None : typeOf(parts[n]);
    if (type != Type::None) {
      taken[n] = true;
      return type;
    }
  }
  return Type::None;
}

Space Opcode::space() {
  if (has("global"))
    return Space::Global;
  if (has("shared") || has("shared::cta") || has("shared::cluster"))
    return Space::Shared;
  if (has("local"))
    return Space::Local;
  if (has("param") || has("param::entry") || has("param::func"))
    return Space::Param;
  if (has("const"))
    return Space::Const;
  return Space::Generic;
}

uint8_t Opcode::vector() { return has("v2") ? 2 : has("v4") ? 4 : 1; }

std::string_view Opcode::leftOver() const {
  for (size_t n = 1; n < parts.size(); ++n)
    if (!taken[n])
      return parts[n];
  return {};
}
