//===- RandomKernels.cpp - random bits, polygamma -------------------------===//

#include "tools/interp/Kernels.h"

#include "dialect/SpecialKernels.h"

using namespace mlir;

namespace cellgrad::interp {

static uint32_t rotate(uint32_t x, int count) {
  return (x << count) | (x >> (32 - count));
}

/// Threefry-2x32 with 20 rounds; the key schedule as in its paper.
static std::pair<uint32_t, uint32_t> threefry(uint32_t key0, uint32_t key1,
                                              uint32_t x0, uint32_t x1) {
  static const int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  uint32_t keys[3] = {key0, key1, key0 ^ key1 ^ 0x1BD11BDAu};
  for (uint32_t round = 0; round <= 20; ++round) {
    if (round % 4 == 0) {
      uint32_t s = round / 4;
      x0 += keys[s % 3];
      x1 += keys[(s + 1) % 3] + s;
    }
    if (round == 20)
      break;
    x0 += x1;
    x1 = rotate(x1, rotations[round % 8]) ^ x0;
  }
  return {x0, x1};
}

Tensor evaluate(RandomBitsOp op, Operands args) {
  const Tensor &key = *args[0];
  Tensor result(op.getType());
  int64_t words = cast<ShapedType>(op.getKey().getType()).getShape().back();
  int64_t streams = key.size() / words;
  int64_t length = streams == 0 ? 0 : result.size() / streams;
  bool narrow = op.getType().getElementType().isInteger(32);
  for (int64_t i = 0, e = result.size(); i < e; ++i) {
    int64_t stream = i / length;
    uint64_t counter = i % length;
    auto word = [&](int64_t which) {
      return static_cast<uint32_t>(key.getInt(words * stream + which));
    };
    if (words == 4)
      counter += static_cast<uint64_t>(word(3)) << 32 | word(2);
    auto [x0, x1] = threefry(word(0), word(1), counter >> 32, counter);
    uint64_t whole = static_cast<uint64_t>(x0) << 32 | x1;
    result.setInt(i, narrow ? x0 ^ x1 : whole);
  }
  return result;
}

Tensor evaluate(PolygammaOp op, Operands args) {
  Tensor result(op.getType());
  for (int64_t i = 0, e = result.size(); i < e; ++i)
    result.setFloat(i, polygamma(op.getOrder(), args[0]->getFloat(i)));
  return result;
}

} // namespace cellgrad::interp
