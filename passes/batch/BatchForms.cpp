//===- BatchForms.cpp - numbers that follow from the batch size -----------===//

#include "passes/batch/BatchForms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;
using namespace cellgrad;

static constexpr const char *kAttribute = "cell.batch_form";

static double raised(double x, double power) {
  return power == 2 ? x * x : power == 0.5 ? std::sqrt(x) : x;
}

static double evaluate(const BatchForm &form, int64_t size) {
  double n = static_cast<double>(size);
  auto [p, q, r, s] = form.numbers;
  return raised(p * n + q, form.power) / raised(r * n + s, form.power);
}

/// `value` in a type of numbers; null where integers do not have it.
static TypedAttr attributeOf(Type type, double value) {
  if (isa<FloatType>(type))
    return FloatAttr::get(type, value);
  if (!(std::abs(value) < 0x1p53) || value != std::nearbyint(value))
    return {};
  APInt number(64, static_cast<uint64_t>(static_cast<int64_t>(value)));
  unsigned width = type.getIntOrFloatBitWidth();
  if (!number.isSignedIntN(width))
    return {};
  return IntegerAttr::get(type, number.trunc(width));
}

static bool fits(const BatchForm &form, ArrayRef<FormSample> samples) {
  return llvm::all_of(samples, [&](const FormSample &sample) {
    TypedAttr found =
        attributeOf(sample.second.getType(), evaluate(form, sample.first));
    return found && found == sample.second;
  });
}

std::optional<BatchForm> cellgrad::fitForm(ArrayRef<FormSample> given) {
  if (given.size() < 4)
    return std::nullopt;
  SmallVector<FormSample> samples(given);
  llvm::sort(samples, [](auto &a, auto &b) { return a.first < b.first; });
  Type type = samples.front().second.getType();
  auto integer = dyn_cast<IntegerType>(type);
  if (!isa<FloatType>(type) &&
      (!integer || !integer.isSignless() || integer.getWidth() == 1))
    return std::nullopt;
  auto valueOf = [&](const FormSample &sample) {
    if (auto number = dyn_cast<FloatAttr>(sample.second))
      return number.getValueAsDouble();
    return static_cast<double>(cast<IntegerAttr>(sample.second).getInt());
  };
  double n = static_cast<double>(samples.front().first);
  double v = valueOf(samples.front());
  double range = static_cast<double>(samples.back().first) - n;
  double slope = (valueOf(samples.back()) - v) / range;
  SmallVector<BatchForm> candidates;
  auto add = [&](double p, double q, double r, double s, double power = 1) {
    candidates.push_back({{p, q, r, s}, power});
  };
  // Whole numbers are tried first: numbers that were rounded hide them.
  double whole = std::nearbyint(slope);
  add(whole, std::nearbyint(v - whole * n), 0, 1);
  double next =
      (valueOf(samples[1]) - v) / (static_cast<double>(samples[1].first) - n);
  add(next, v - next * n, 0, 1);
  // m / (r n + s), as of means.
  double inverse = (1 / valueOf(samples.back()) - 1 / v) / range;
  for (double m = 1; m <= 16; ++m) {
    double r = std::nearbyint(m * inverse);
    add(0, m, r, std::nearbyint(m / v - r * n));
  }
  // c / (n + s), for any c.
  for (double s : {0.0, -1.0, 1.0})
    add(0, v * (n + s), 1, s);
  // k n / (k n + s), as of unbiased variances.
  for (double s : {-1.0, 1.0})
    for (double off : {0.0, -1.0, 1.0, -2.0, 2.0}) {
      double k = std::nearbyint(s * v / (n * (1 - v))) + off;
      add(k, 0, k, s);
    }
  // Squares and roots of whole numbers p n + q, and one by them.
  double end = valueOf(samples.back());
  for (double power : {2.0, 0.5}) {
    double first = raised(v, 1 / power), last = raised(end, 1 / power);
    double p = std::nearbyint((last - first) / range);
    add(p, std::nearbyint(first - p * n), 0, 1, power);
    double r = std::nearbyint((1 / last - 1 / first) / range);
    add(0, 1, r, std::nearbyint(1 / first - r * n), power);
  }
  for (const BatchForm &form : candidates)
    if (llvm::all_of(form.numbers, [](double x) { return std::isfinite(x); }) &&
        fits(form, samples))
      return form;
  return std::nullopt;
}

void cellgrad::setForm(ConstantOp constant, const BatchForm &form) {
  SmallVector<double> numbers(form.numbers.begin(), form.numbers.end());
  if (form.power != 1)
    numbers.push_back(form.power);
  constant->setAttr(kAttribute,
                    DenseF64ArrayAttr::get(constant.getContext(), numbers));
}

/// What `apply` is called with for each constant of `function` with a form.
template <typename Apply>
static void forEachForm(func::FuncOp function, Apply apply) {
  SmallVector<ConstantOp> constants;
  function.walk([&](ConstantOp constant) {
    if (constant->hasAttr(kAttribute))
      constants.push_back(constant);
  });
  for (ConstantOp constant : constants) {
    auto numbers =
        constant->getAttrOfType<DenseF64ArrayAttr>(kAttribute).asArrayRef();
    BatchForm form;
    llvm::copy(numbers.take_front(4), form.numbers.begin());
    form.power = numbers.size() > 4 ? numbers[4] : 1;
    apply(constant, form);
  }
}

void cellgrad::evaluateForms(func::FuncOp function, int64_t size) {
  forEachForm(function, [&](ConstantOp constant, const BatchForm &form) {
    auto type = cast<RankedTensorType>(constant.getType());
    constant.setValueAttr(DenseElementsAttr::get(
        type, attributeOf(type.getElementType(), evaluate(form, size))));
    constant->removeAttr(kAttribute);
  });
}

void cellgrad::computeForms(func::FuncOp entry, Value size) {
  forEachForm(entry, [&](ConstantOp constant, const BatchForm &form) {
    Location loc = constant.getLoc();
    OpBuilder b(entry.getContext());
    b.setInsertionPointAfterValue(size);
    Type f64 = b.getF64Type();
    auto number = [&](double value) -> Value {
      return arith::ConstantOp::create(b, loc, b.getF64FloatAttr(value));
    };
    Value n = arith::SIToFPOp::create(
        b, loc, f64, arith::IndexCastOp::create(b, loc, b.getI64Type(), size));
    auto linear = [&](double factor, double summand) -> Value {
      Value scaled = arith::MulFOp::create(b, loc, number(factor), n);
      Value sum = arith::AddFOp::create(b, loc, scaled, number(summand));
      if (form.power == 2)
        return arith::MulFOp::create(b, loc, sum, sum);
      if (form.power == 0.5)
        return math::SqrtOp::create(b, loc, sum);
      return sum;
    };
    auto [p, q, r, s] = form.numbers;
    Value above = linear(p, q), below = linear(r, s);
    Value value = arith::DivFOp::create(b, loc, above, below);
    auto type = cast<RankedTensorType>(constant.getType());
    Type element = type.getElementType();
    if (isa<IntegerType>(element))
      value = arith::FPToSIOp::create(b, loc, element, value);
    else if (element != f64)
      value = arith::TruncFOp::create(b, loc, element, value);
    auto scalar = RankedTensorType::get({}, element);
    Value tensor = tensor::FromElementsOp::create(b, loc, scalar, value);
    b.setInsertionPoint(constant);
    if (type.getRank() > 0)
      tensor = BroadcastOp::create(b, loc, type, tensor,
                                   b.getDenseI64ArrayAttr(llvm::to_vector(
                                       llvm::seq<int64_t>(0, type.getRank()))));
    constant.replaceAllUsesWith(tensor);
    constant.erase();
  });
}
