//===- Matrix.cpp - matrices that lie across the lanes of a warp ----------===//

#include "Decoder.h"
#include "Execute.h"
#include "Numbers.h"

using namespace ptx;

static bool isWholeWarp(Warp &warp, const Instr &i, uint32_t lanes) {
  if (lanes != kAllLanes)
    warp.block->fail(Fault::Launch, i, warp,
                     static_cast<unsigned>(__builtin_ctz(lanes)),
                     "not all 32 lanes of the warp take part");
  return lanes == kAllLanes;
}

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix
//===----------------------------------------------------------------------===//

/// The row of matrix `n` that lane `8 n + row` gives the address of.
static char *matrixRow(Warp &warp, const Instr &i, unsigned lane, Access how) {
  uint64_t address = static_cast<uint64_t>(i.offset);
  if (i.a[0] != kNoRow)
    address += warp.row<uint64_t>(i.a[0])[lane];
  return warp.block->access(warp, i, lane, i.space, address, 16, how);
}

/// Lane 4 r + c holds the elements (r, 2 c) and (r, 2 c + 1) of a matrix of
/// 8 x 8; transposed, (2 c, r) and (2 c + 1, r).
static void loadMatrices(Warp &warp, const Instr &i, uint32_t lanes) {
  if (!isWholeWarp(warp, i, lanes))
    return;
  uint16_t matrices[4][8][8];
  for (unsigned n = 0; n < i.count; ++n) {
    for (unsigned r = 0; r < 8; ++r) {
      const char *from = matrixRow(warp, i, 8 * n + r, Access::Load);
      if (!from)
        return;
      memcpy(matrices[n][r], from, 16);
    }
  }
  for (unsigned n = 0; n < i.count; ++n) {
    auto *d = warp.row<uint32_t>(i.d[n]);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      unsigned r = lane / 4, c = 2 * (lane % 4);
      uint32_t low = i.mode ? matrices[n][c][r] : matrices[n][r][c];
      uint32_t high = i.mode ? matrices[n][c + 1][r] : matrices[n][r][c + 1];
      d[lane] = high << 16 | low;
    }
  }
}

static void storeMatrices(Warp &warp, const Instr &i, uint32_t lanes) {
  if (!isWholeWarp(warp, i, lanes))
    return;
  for (unsigned n = 0; n < i.count; ++n) {
    uint16_t matrix[8][8];
    const auto *a = warp.row<uint32_t>(i.a[1 + n]);
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      unsigned r = lane / 4, c = 2 * (lane % 4);
      auto low = static_cast<uint16_t>(a[lane]);
      auto high = static_cast<uint16_t>(a[lane] >> 16);
      (i.mode ? matrix[c][r] : matrix[r][c]) = low;
      (i.mode ? matrix[c + 1][r] : matrix[r][c + 1]) = high;
    }
    for (unsigned r = 0; r < 8; ++r) {
      char *to = matrixRow(warp, i, 8 * n + r, Access::Store);
      if (!to)
        return;
      memcpy(to, matrix[r], 16);
    }
  }
}

static void decodeMatrixAccess(Decoder &decoder, Opcode &opcode, Instr &i) {
  bool isLoad = opcode.name() == "ldmatrix";
  static constexpr uint8_t kCounts[] = {1, 2, 4};
  int count = opcode.oneOf({"x1", "x2", "x4"});
  if (!opcode.has("sync") || !opcode.has("aligned") || !opcode.has("m8n8") ||
      count < 0 || !opcode.has("b16"))
    return decoder.fail("this form is not emulated");
  i.flow = Flow::Together;
  i.count = kCounts[count];
  i.mode = opcode.has("trans");
  i.space = opcode.space();
  i.run = isLoad ? loadMatrices : storeMatrices;
  if (!isLoad) {
    i.a[0] = decoder.address(i.space, i.offset);
    decoder.comma();
  }
  unsigned given = isLoad ? decoder.destinations(Type::B32, i.d, 4)
                          : decoder.sources(Type::B32, i.a + 1, 4);
  if (given != i.count)
    return decoder.fail("expected " + std::to_string(i.count) + " registers");
  if (isLoad) {
    decoder.comma();
    i.a[0] = decoder.address(i.space, i.offset);
  }
}

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

namespace {
/// A product of 16 x K and K x 8 as it lies in registers: rows of A are
/// i.a[0..], of B i.a[4..], of C i.a[6..].
struct Fragments {
  double a[16][16], b[16][8];
  float c[16][8];
};
} // namespace

static float half(uint32_t word, unsigned n, bool isBFloat) {
  auto bits = static_cast<uint16_t>(word >> (16 * n));
  return isBFloat ? widen(BFloat{bits}) : widen(Half{bits});
}

/// Two 16-bit elements a register: columns 2 c, 2 c + 1 and 8 further.
static void gatherHalves(Warp &warp, const Instr &i, unsigned depth,
                         bool isBFloat, Fragments &f) {
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned group = lane / 4, c = 2 * (lane % 4);
    for (unsigned h = 0; h < 2; ++h) {
      for (unsigned n = 0; n < depth / 4; ++n)
        f.a[group + 8 * (n & 1)][c + h + 8 * (n >> 1)] =
            half(warp.row<uint32_t>(i.a[n])[lane], h, isBFloat);
      for (unsigned n = 0; n < depth / 8; ++n)
        f.b[c + h + 8 * n][group] =
            half(warp.row<uint32_t>(i.a[4 + n])[lane], h, isBFloat);
    }
  }
}

/// One tf32 a register: the 13 lowest bits do not count.
static void gatherTF32(Warp &warp, const Instr &i, unsigned depth,
                       Fragments &f) {
  auto value = [&](Row row, unsigned lane) {
    return bitCast<float>(warp.row<uint32_t>(row)[lane] & 0xffffe000u);
  };
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    unsigned group = lane / 4, c = lane % 4;
    for (unsigned n = 0; n < depth / 2; ++n)
      f.a[group + 8 * (n & 1)][c + 4 * (n >> 1)] = value(i.a[n], lane);
    for (unsigned n = 0; n < depth / 4; ++n)
      f.b[c + 4 * n][group] = value(i.a[4 + n], lane);
  }
}

/// The device adds the products in an order and a precision of its own; here
/// they are added in double and rounded once.
static void multiply(Fragments &f, unsigned depth) {
  for (unsigned r = 0; r < 16; ++r) {
    double sums[8];
    for (unsigned n = 0; n < 8; ++n)
      sums[n] = 0;
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned n = 0; n < 8; ++n)
        sums[n] += f.a[r][k] * f.b[k][n];
    for (unsigned n = 0; n < 8; ++n)
      f.c[r][n] = narrow<float>(f.c[r][n] + sums[n]);
  }
}

template <unsigned depth, Type element, bool isHalfSum>
static void multiplyMatrices(Warp &warp, const Instr &i, uint32_t lanes) {
  if (!isWholeWarp(warp, i, lanes))
    return;
  Fragments f;
  if constexpr (element == Type::TF32)
    gatherTF32(warp, i, depth, f);
  else
    gatherHalves(warp, i, depth, element == Type::BF16, f);
  auto place = [&](unsigned lane, unsigned n) -> float & {
    return f.c[lane / 4 + 8 * (n >> 1)][2 * (lane % 4) + (n & 1)];
  };
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned n = 0; n < 4; ++n)
      place(lane, n) =
          isHalfSum ? widen(warp.row<Half>(i.a[6 + n / 2])[2 * lane + n % 2])
                    : warp.row<float>(i.a[6 + n])[lane];
  multiply(f, depth);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    for (unsigned n = 0; n < 4; ++n) {
      if (isHalfSum)
        warp.row<Half>(i.d[n / 2])[2 * lane + n % 2] =
            narrow<Half>(place(lane, n));
      else
        warp.row<float>(i.d[n])[lane] = place(lane, n);
    }
  }
}

static Handler multiplier(int shape, Type element, bool isHalfSum) {
  if (shape == 0 && element == Type::BF16 && !isHalfSum)
    return multiplyMatrices<16, Type::BF16, false>;
  if (shape == 0 && element == Type::F16)
    return isHalfSum ? multiplyMatrices<16, Type::F16, true>
                     : multiplyMatrices<16, Type::F16, false>;
  if (shape == 1 && element == Type::BF16 && !isHalfSum)
    return multiplyMatrices<8, Type::BF16, false>;
  if (shape == 1 && element == Type::F16)
    return isHalfSum ? multiplyMatrices<8, Type::F16, true>
                     : multiplyMatrices<8, Type::F16, false>;
  if (shape == 1 && element == Type::TF32 && !isHalfSum)
    return multiplyMatrices<8, Type::TF32, false>;
  if (shape == 2 && element == Type::TF32 && !isHalfSum)
    return multiplyMatrices<4, Type::TF32, false>;
  return nullptr;
}

static void decodeMultiply(Decoder &decoder, Opcode &opcode, Instr &i) {
  int shape = opcode.oneOf({"m16n8k16", "m16n8k8", "m16n8k4"});
  bool known = opcode.has("sync") && opcode.has("aligned") &&
               opcode.has("row") && opcode.has("col");
  Type d = opcode.type(), a = opcode.type(), b = opcode.type(),
       c = opcode.type();
  i.run = known && a == b && c == d && (d == Type::F32 || d == Type::F16)
              ? multiplier(shape, a, d == Type::F16)
              : nullptr;
  if (!i.run)
    return decoder.fail("this form of 'mma' is not emulated");
  i.flow = Flow::Together;
  unsigned depth = 16u >> shape;
  unsigned perA = a == Type::TF32 ? depth / 2 : depth / 4;
  unsigned sums = d == Type::F16 ? 2 : 4;
  bool fits =
      decoder.destinations(d == Type::F16 ? Type::B32 : d, i.d, 4) == sums;
  decoder.comma();
  fits &= decoder.sources(Type::B32, i.a, 4) == perA;
  decoder.comma();
  fits &= decoder.sources(Type::B32, i.a + 4, 2) == perA / 2;
  decoder.comma();
  fits &= decoder.sources(Type::B32, i.a + 6, 4) == sums;
  if (!fits)
    decoder.fail("'mma' of this shape has another number of registers");
}

Decode ptx::findMatrix(std::string_view name) {
  return name == "ldmatrix" || name == "stmatrix" ? decodeMatrixAccess
         : name == "mma"                          ? decodeMultiply
                                                  : nullptr;
}
