//===- PayneHanek.cpp - reduction of large arguments by pi ----------------===//
//
// Payne and Hanek, "Radian reduction for trigonometric functions", SIGNUM
// Newsletter 1983. x = M 2^E with an integer M; of the product 2 M 2^E / pi
// only the bits of 1/pi matter that neither give multiples of 4 nor vanish
// below the precision: a window of 1/pi that starts at bit E. Everything is
// integer arithmetic on 32-bit words held in 64-bit elements; the window is
// taken from the table by a barrel shifter of selects, not by memory accesses.
//
//===----------------------------------------------------------------------===//

#include "passes/lower/math/Functions.h"

#include "llvm/ADT/SmallVector.h"

#include <limits>

using namespace mlir;

namespace cellgrad {

static Expr low32(Expr v) { return andi(v, 0xFFFFFFFF); }

/// The `count` words of 1/pi, behind one word of zeros, that follow bit
/// `start`.
static SmallVector<Expr> windowOfInversePi(Expr start, unsigned count,
                                           unsigned indexBits) {
  SmallVector<Expr> table;
  unsigned size = (1u << indexBits) - 1 + count + 1;
  table.push_back(start.integer(0));
  for (unsigned i = 0; i + 1 < size; ++i)
    table.push_back(start.integer(kInvPiWords[i]));
  Expr index = shrl(start, 5);
  for (int bit = indexBits - 1; bit >= 0; --bit) {
    Expr taken = nei(andi(index, int64_t(1) << bit), 0);
    size -= 1u << bit;
    SmallVector<Expr> shifted;
    for (unsigned i = 0; i < size; ++i)
      shifted.push_back(select(taken, table[i + (1u << bit)], table[i]));
    table = std::move(shifted);
  }
  Expr shift = andi(start, 31);
  SmallVector<Expr> window;
  for (unsigned i = 0; i < count; ++i)
    window.push_back(shrl(shl(shl(table[i], 32) | table[i + 1], shift), 32));
  return window;
}

/// The low `window.size()` words, most significant first, of the product of the
/// window and the factor (least significant word first).
static SmallVector<Expr> multiplyWords(ArrayRef<Expr> window,
                                       ArrayRef<Expr> factor) {
  int count = window.size();
  SmallVector<Expr> sums(count, window[0].integer(0));
  for (auto [j, word] : llvm::enumerate(factor)) {
    for (int i = 0; i < count; ++i) {
      int place = i - static_cast<int>(j);
      if (place < 0)
        continue;
      Expr product = muli(window[i], word);
      sums[place] = addi(sums[place], low32(product));
      if (place > 0)
        sums[place - 1] = addi(sums[place - 1], shrl(product, 32));
    }
  }
  for (int i = count - 1; i > 0; --i) {
    sums[i - 1] = addi(sums[i - 1], shrl(sums[i], 32));
    sums[i] = low32(sums[i]);
  }
  sums[0] = low32(sums[0]);
  return sums;
}

/// For x > 1.
static PiReduction reduceExactly(Expr x) {
  Format format(x);
  Expr pattern = toWidth(bits(x), 64);
  int64_t hidden = int64_t(1) << format.fraction();
  Expr significand = ori(andi(pattern, hidden - 1), hidden);
  Expr exponent = addi(shrl(pattern, format.fraction()),
                       -(format.bias() + format.fraction()));
  // Bit 31 + j of the table weighs 2^-j in 1/pi. The first one taken weighs,
  // times 2 2^E, two: quadrants are counted modulo 4.
  Expr start = addi(exponent, 31);

  SmallVector<Expr> factor{low32(significand)};
  if (format.f64)
    factor.push_back(shrl(significand, 32));
  SmallVector<Expr> product = multiplyWords(
      windowOfInversePi(start, format.pick(3u, 6u), format.pick(3u, 5u)),
      factor);

  // product[0] holds two bits of the quotient and 30 bits of its fraction; the
  // fraction is made signed, rounding the quotient.
  Expr n = andi(shrl(addi(product[0], int64_t(1) << 29), 30), 3);
  Expr like = fromBits(pattern);
  auto weigh = [&](Expr word, double weight) {
    return intToFloat(word, like) * weight;
  };
  Double fraction = fastTwoSum(weigh(shra(shl(product[0], 34), 34), 0x1p-30),
                               weigh(product[1], 0x1p-62));
  Expr rest = weigh(product[2], 0x1p-94);
  if (format.f64)
    rest = rest + weigh(product[3], 0x1p-126);
  fraction = fastTwoSum(fraction.hi, fraction.lo + rest);

  Double r = mul(fraction,
                 {like.constant(kHalfPiF64[0]), like.constant(kHalfPiF64[1])});
  Expr hi = r.hi, lo = r.lo;
  if (!format.f64) {
    hi = toF32(r.hi);
    lo = toF32((r.hi - toF64(hi)) + r.lo);
  }
  hi = select(lt(x, std::numeric_limits<double>::infinity()), hi,
              std::numeric_limits<double>::quiet_NaN());
  return {toWidth(n, format.width()), hi, lo};
}

Expr isLargeForHalfPi(Expr x) { return gt(x, Format(x).pick(0x1p16, 0x1p31)); }

PiReduction reduceLargeByHalfPi(Expr x, const PiReduction &moderate) {
  PiReduction exact = reduceExactly(x);
  Expr isLarge = isLargeForHalfPi(x);
  return {select(isLarge, exact.n, moderate.n),
          select(isLarge, exact.r, moderate.r),
          select(isLarge, exact.low, moderate.low)};
}

} // namespace cellgrad
