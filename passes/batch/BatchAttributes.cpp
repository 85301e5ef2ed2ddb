//===- BatchAttributes.cpp - what follows from the batch in a program -----===//
//
// Dimensions of types are multiples of the batch, and so are bounds of slices
// and borders along them: where samples of one value are behind those of
// another, as concat puts them, each takes a batch. Messages of checks name
// sizes.
//
//===----------------------------------------------------------------------===//

#include "passes/batch/OpenBatch.h"

#include "dialect/CellDialect.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace cellgrad;

/// `extent` with `size` samples in the place of the stand-in.
static int64_t resized(int64_t extent, const OpenBatch &batch, int64_t size) {
  return extent % batch.size == 0 ? extent / batch.size * size : extent;
}

/// Bounds along the dimensions of `type` that the batch is in.
static SmallVector<int64_t> resizedAlong(ArrayRef<int64_t> bounds, Type type,
                                         const OpenBatch &batch, int64_t size) {
  SmallVector<int64_t> made(bounds);
  for (auto [bound, extent] :
       llvm::zip(made, cast<RankedTensorType>(type).getShape()))
    if (extent % batch.size == 0)
      bound = resized(bound, batch, size);
  return made;
}

/// `text` with what `name` says in the place of whole numbers that are
/// multiples of the stand-in.
static std::string replaceMultiples(StringRef text, const OpenBatch &batch,
                                    function_ref<std::string(int64_t)> name) {
  std::string made;
  bool joined = false; // to a word, or behind a point
  while (!text.empty()) {
    StringRef digits = text.take_while(llvm::isDigit);
    StringRef rest = text.drop_front(digits.size());
    if (digits.empty()) {
      joined = llvm::isAlnum(text.front()) || text.front() == '_' ||
               text.front() == '.';
      made += text.front();
      text = text.drop_front();
      continue;
    }
    bool ends =
        !(rest.starts_with("_") ||
          (!rest.empty() && llvm::isAlpha(rest.front())) ||
          (rest.size() > 1 && rest.front() == '.' && llvm::isDigit(rest[1])));
    int64_t number = 0;
    bool isMultiple = !joined && ends && !digits.getAsInteger(10, number) &&
                      number > 0 && number % batch.size == 0;
    made += isMultiple ? name(number / batch.size) : digits.str();
    joined = true;
    text = rest;
  }
  return made;
}

static void replaceInMessages(Operation *top, const OpenBatch &batch,
                              function_ref<std::string(int64_t)> name) {
  top->walk([&](CheckOp check) {
    check.setMessage(replaceMultiples(check.getMessage(), batch, name));
  });
}

void cellgrad::nameBatchInMessages(ModuleOp module, const OpenBatch &batch) {
  replaceInMessages(module, batch, [](int64_t count) {
    return count == 1 ? "batch" : std::to_string(count) + " x batch";
  });
}

void cellgrad::setBatchSize(func::FuncOp function, const OpenBatch &batch,
                            int64_t size) {
  function.walk([&](SliceOp slice) {
    Type type = slice.getX().getType();
    slice.setStarts(resizedAlong(slice.getStarts(), type, batch, size));
    slice.setLimits(resizedAlong(slice.getLimits(), type, batch, size));
  });
  function.walk([&](PadOp pad) {
    Type type = pad.getX().getType();
    pad.setLow(resizedAlong(pad.getLow(), type, batch, size));
    pad.setHigh(resizedAlong(pad.getHigh(), type, batch, size));
  });
  replaceInMessages(function, batch, [&](int64_t count) {
    return std::to_string(count * size);
  });

  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t &extent : shape)
      extent = resized(extent, batch, size);
    return type.clone(shape);
  });
  replacer.addReplacement(
      [&](DenseElementsAttr elements) -> std::optional<Attribute> {
        auto type = dyn_cast<ShapedType>(replacer.replace(elements.getType()));
        if (type == elements.getType() || !elements.isSplat())
          return elements;
        return elements.resizeSplat(type);
      });
  replacer.recursivelyReplaceElementsIn(function, /*replaceAttrs=*/true,
                                        /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
}
