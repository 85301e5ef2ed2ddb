//===- Arithmetic.h - what families of numbers share ----------------------===//

#ifndef CELLGRAD_TEST_EMULATOR_ARITHMETIC_H
#define CELLGRAD_TEST_EMULATOR_ARITHMETIC_H

#include "Decoder.h"

namespace ptx {

/// Decodes "add", "mul" and so on of an integer type.
void decodeInteger(Decoder &decoder, Opcode &opcode, Instr &i, Type type);

/// Handlers for ".sat", ".relu" and ".ftz" of a row of floating-point numbers;
/// null where there is none.
Handler saturater(Type type);
Handler reluer(Type type);
Handler flusher(Type type);

/// Calls f(T()) with the integer type that `type` stands for; bits count as
/// unsigned. False for other types.
template <class F> bool withInteger(Type type, F f) {
  switch (type) {
  case Type::U16:
  case Type::B16:
    f(uint16_t());
    return true;
  case Type::S16:
    f(int16_t());
    return true;
  case Type::U32:
  case Type::B32:
    f(uint32_t());
    return true;
  case Type::S32:
    f(int32_t());
    return true;
  case Type::U64:
  case Type::B64:
    f(uint64_t());
    return true;
  case Type::S64:
    f(int64_t());
    return true;
  default:
    return false;
  }
}

} // namespace ptx

#endif // CELLGRAD_TEST_EMULATOR_ARITHMETIC_H
