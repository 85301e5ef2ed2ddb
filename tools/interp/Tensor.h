//===- Tensor.h - a value of the reference interpreter --------------------===//

#ifndef CELLGRAD_INTERP_TENSOR_H
#define CELLGRAD_INTERP_TENSOR_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"

#include <optional>
#include <vector>

namespace cellgrad::interp {

/// `value` rounded to the floating point type `type` (to nearest, ties to
/// even).
double roundTo(mlir::FloatType type, double value);

/// The shortest decimal text that reads back as `value` in `type`, or one of
/// `digits` significant digits. Always tells floating point from integer: 1.0,
/// 1e+20, -0.0, inf, -inf, nan.
std::string formatFloat(mlir::FloatType type, double value,
                        std::optional<unsigned> digits = std::nullopt);

/// A tensor in row-major order. Floating point elements are doubles that are
/// always representable in the element type; integers are extended to 64 bits,
/// by their sign or by zeros (those of 64 bits by their bits), bools are 0
/// or 1.
class Tensor {
public:
  Tensor() = default;
  /// All zeros.
  explicit Tensor(mlir::RankedTensorType type);

  /// Two GiB: an element takes 8 bytes.
  static constexpr int64_t kMaxElements = int64_t(1) << 28;
  /// Whether the interpreter can have a tensor of `type`: static shape, numbers
  /// of at most 64 bits, and not more elements than that.
  static bool canHold(mlir::Type type);

  /// The tensor an attribute spells; fails on element types and encodings the
  /// dialect does not have.
  static llvm::FailureOr<Tensor> fromAttribute(mlir::ElementsAttr attr);

  mlir::RankedTensorType getType() const { return type; }
  mlir::Type getElementType() const { return type.getElementType(); }
  llvm::ArrayRef<int64_t> getShape() const { return type.getShape(); }
  bool isFloat() const { return mlir::isa<mlir::FloatType>(getElementType()); }
  bool isUnsigned() const { return getElementType().isUnsignedInteger(); }
  int64_t size() const { return isFloat() ? floats.size() : ints.size(); }

  double getFloat(int64_t i) const { return floats[i]; }
  int64_t getInt(int64_t i) const { return ints[i]; }
  /// Whether the integer a is less than b, both as getInt gives them.
  bool isLess(int64_t a, int64_t b) const {
    return isUnsigned() ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b)
                        : a < b;
  }
  /// Stores `value` rounded to the element type.
  void setFloat(int64_t i, double value);
  /// Stores `value` wrapped to the width of the element type.
  void setInt(int64_t i, int64_t value);
  /// Copies element `j` of `from`, which has the same element type.
  void setElement(int64_t i, const Tensor &from, int64_t j);

  /// The same elements under another shape.
  Tensor reshaped(mlir::RankedTensorType newType) const;

  /// Prints the elements, one pair of brackets a dimension.
  void print(llvm::raw_ostream &os,
             std::optional<unsigned> digits = std::nullopt) const;

private:
  mlir::RankedTensorType type;
  std::vector<double> floats;
  std::vector<int64_t> ints;
};

/// Calls `body(index, linear)` for every multi-index of `shape` in row-major
/// order.
void forEachIndex(
    llvm::ArrayRef<int64_t> shape,
    llvm::function_ref<void(llvm::ArrayRef<int64_t>, int64_t)> body);

/// Row-major position of `index` in `shape`.
int64_t linearIndex(llvm::ArrayRef<int64_t> shape,
                    llvm::ArrayRef<int64_t> index);

} // namespace cellgrad::interp

#endif
