//===- Tensor.cpp - a value of the reference interpreter ------------------===//

#include "tools/interp/Tensor.h"

#include "dialect/Addressable.h"

#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <charconv>
#include <cmath>

using namespace mlir;

namespace cellgrad::interp {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

static double toDouble(APFloat value) {
  bool lost;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  return value.convertToDouble();
}

double roundTo(FloatType type, double value) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<float>(value);
  APFloat number(value);
  bool lost;
  number.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
  return toDouble(number);
}

/// As printf writes it in the C locale; printf itself asks the process' locale
/// for the decimal point.
static std::string formatAs(std::chars_format format, int precision,
                            double value) {
  char text[400]; // 309 digits before the point, 16 after it
  auto end =
      std::to_chars(text, text + sizeof text, value, format, precision).ptr;
  return std::string(text, end);
}

/// The shortest text that reads back, without an exponent from 1e-5 to 1e9.
static std::string formatShortest(FloatType type, double value) {
  std::string text;
  int precision = 0; // digits after the first; 16 always read back
  for (; precision <= 16; ++precision) {
    text = formatAs(std::chars_format::scientific, precision, value);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    if (roundTo(type, back) == value)
      break;
  }
  int exponent = static_cast<int>(
      std::strtol(text.c_str() + text.find('e') + 1, nullptr, 10));
  if (exponent < -5 || exponent >= 9)
    return text;
  return formatAs(std::chars_format::fixed, std::max(precision - exponent, 0),
                  value);
}

std::string formatFloat(FloatType type, double value,
                        std::optional<unsigned> digits) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  std::string text = digits
                         ? formatAs(std::chars_format::general, *digits, value)
                         : formatShortest(type, value);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

//===----------------------------------------------------------------------===//
// Tensor
//===----------------------------------------------------------------------===//

Tensor::Tensor(RankedTensorType type) : type(type) {
  if (isFloat())
    floats.assign(type.getNumElements(), 0.0);
  else
    ints.assign(type.getNumElements(), 0);
}

bool Tensor::canHold(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         isa<Float16Type, BFloat16Type, Float32Type, Float64Type, IntegerType>(
             tensor.getElementType()) &&
         tensor.getElementTypeBitWidth() <= 64 && isAddressable(tensor) &&
         tensor.getNumElements() <= kMaxElements;
}

FailureOr<Tensor> Tensor::fromAttribute(ElementsAttr attr) {
  if (!canHold(attr.getType()))
    return failure();
  auto type = cast<RankedTensorType>(attr.getType());

  auto dense = dyn_cast<DenseElementsAttr>(attr);
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attr)) {
    AsmResourceBlob *blob = resource.getRawHandle().getBlob();
    bool isSplat;
    if (!blob ||
        !DenseElementsAttr::isValidRawBuffer(type, blob->getData(), isSplat))
      return failure();
    dense = DenseElementsAttr::getFromRawBuffer(type, blob->getData());
  }
  if (!dense)
    return failure();

  Tensor tensor(type);
  int64_t i = 0;
  if (tensor.isFloat()) {
    for (const APFloat &value : dense.getValues<APFloat>())
      tensor.floats[i++] = toDouble(value);
  } else {
    for (const APInt &value : dense.getValues<APInt>())
      tensor.setInt(i++, value.getSExtValue());
  }
  return tensor;
}

void Tensor::setFloat(int64_t i, double value) {
  floats[i] = roundTo(cast<FloatType>(getElementType()), value);
}

void Tensor::setInt(int64_t i, int64_t value) {
  unsigned width = getElementType().getIntOrFloatBitWidth();
  if (width == 1)
    ints[i] = value & 1;
  else if (isUnsigned())
    ints[i] = static_cast<int64_t>(static_cast<uint64_t>(value) &
                                   llvm::maskTrailingOnes<uint64_t>(width));
  else
    ints[i] = llvm::SignExtend64(value, width);
}

void Tensor::setElement(int64_t i, const Tensor &from, int64_t j) {
  if (isFloat())
    floats[i] = from.floats[j];
  else
    ints[i] = from.ints[j];
}

Tensor Tensor::reshaped(RankedTensorType newType) const {
  Tensor result = *this;
  result.type = newType;
  return result;
}

void Tensor::print(raw_ostream &os, std::optional<unsigned> digits) const {
  int64_t next = 0;
  auto printElement = [&]() {
    int64_t i = next++;
    if (isFloat())
      os << formatFloat(cast<FloatType>(getElementType()), floats[i], digits);
    else if (getElementType().isInteger(1))
      os << (ints[i] ? "true" : "false");
    else if (isUnsigned())
      os << static_cast<uint64_t>(ints[i]);
    else
      os << ints[i];
  };
  std::function<void(ArrayRef<int64_t>)> printDims =
      [&](ArrayRef<int64_t> shape) {
        if (shape.empty())
          return printElement();
        os << '[';
        for (int64_t i = 0; i < shape.front(); ++i) {
          if (i)
            os << ", ";
          printDims(shape.drop_front());
        }
        os << ']';
      };
  printDims(getShape());
}

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

void forEachIndex(ArrayRef<int64_t> shape,
                  llvm::function_ref<void(ArrayRef<int64_t>, int64_t)> body) {
  if (llvm::is_contained(shape, 0))
    return;
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t linear = 0;; ++linear) {
    body(index, linear);
    int64_t dim = shape.size() - 1;
    while (dim >= 0 && ++index[dim] == shape[dim])
      index[dim--] = 0;
    if (dim < 0)
      return;
  }
}

int64_t linearIndex(ArrayRef<int64_t> shape, ArrayRef<int64_t> index) {
  int64_t linear = 0;
  for (auto [size, i] : llvm::zip_equal(shape, index))
    linear = linear * size + i;
  return linear;
}

} // namespace cellgrad::interp
