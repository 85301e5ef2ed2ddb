//===- PeakMemory.cpp - what is in an arena when most is ------------------===//

#include "passes/lower/buffers/PeakMemory.h"

#include "passes/lower/buffers/Places.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace cellgrad {

/// The position in program order at which most bytes are needed: one at which
/// the life of a buffer begins.
static std::pair<unsigned, int64_t> findPeak(ArrayRef<PlacedBuffer> buffers) {
  // What begins at a position adds to what ends there: both are needed.
  SmallVector<std::tuple<unsigned, bool, int64_t>> changes;
  for (const PlacedBuffer &buffer : buffers) {
    changes.emplace_back(buffer.life.first, false, buffer.bytes);
    changes.emplace_back(buffer.life.last, true, buffer.bytes);
  }
  llvm::sort(changes);
  int64_t now = 0, most = 0;
  unsigned at = 0;
  for (auto [position, ends, bytes] : changes) {
    now += ends ? -bytes : bytes;
    if (now > most) {
      most = now;
      at = position;
    }
  }
  return {at, most};
}

DictionaryAttr describePeak(MLIRContext *context,
                            ArrayRef<PlacedBuffer> buffers) {
  Builder b(context);
  auto [at, most] = findPeak(buffers);
  SmallVector<PlacedBuffer> alive;
  for (const PlacedBuffer &buffer : buffers)
    if (buffer.life.first <= at && at <= buffer.life.last)
      alive.push_back(buffer);
  llvm::sort(alive, [](const PlacedBuffer &x, const PlacedBuffer &y) {
    return x.bytes != y.bytes ? x.bytes > y.bytes : x.offset < y.offset;
  });
  SmallVector<Attribute> described;
  for (const PlacedBuffer &buffer : alive) {
    auto places = placesOf(buffer.alloc->getLoc());
    described.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("bytes", b.getI64IntegerAttr(buffer.bytes)),
         b.getNamedAttr("offset", b.getI64IntegerAttr(buffer.offset)),
         b.getNamedAttr("type",
                        TypeAttr::get(buffer.alloc->getResult(0).getType())),
         b.getNamedAttr("place",
                        toAttribute(places.empty() ? Place() : places.front(),
                                    context))}));
  }
  SmallVector<Attribute> all;
  for (const PlacedBuffer &buffer : buffers) {
    auto number = [&](StringRef name, int64_t value) {
      return b.getNamedAttr(name, b.getI64IntegerAttr(value));
    };
    all.push_back(b.getDictionaryAttr(
        {number("bytes", buffer.bytes), number("offset", buffer.offset),
         number("first", buffer.life.first), number("last", buffer.life.last),
         b.getNamedAttr("type",
                        TypeAttr::get(buffer.alloc->getResult(0).getType())),
         b.getNamedAttr("location", LocationAttr(buffer.alloc->getLoc()))}));
  }
  return b.getDictionaryAttr(
      {b.getNamedAttr("buffers", b.getArrayAttr(all)),
       b.getNamedAttr("peak", b.getI64IntegerAttr(most)),
       b.getNamedAttr("temporaries",
                      b.getI64IntegerAttr(int64_t(buffers.size()))),
       b.getNamedAttr("alive", b.getArrayAttr(described))});
}

} // namespace cellgrad
