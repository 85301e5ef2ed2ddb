//===- BatchForms.h - numbers that follow from the batch size -------------===//
//
// Python computes numbers from the batch size: the divisor of a mean, n / (n -
// 1) of a variance, the root of n. A captured program has them as constants of
// the batch that it was captured for. Programs that were captured for several
// sizes show how they follow from it: (p * n + q) / (r * n + s), in double
// precision and rounded to the constant's type, or the same with numerator and
// denominator squared, or their roots. A constant with such a form says so in
// `cell.batch_form = array<f64: p, q, r, s>`, with the power, 2 or 0.5, behind.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_BATCH_BATCHFORMS_H
#define CELLGRAD_BATCH_BATCHFORMS_H

#include "passes/batch/OpenBatch.h"

#include "dialect/CellDialect.h"

#include <array>

namespace cellgrad {

/// p, q, r, s, and the power of numerator and denominator: 1, 2 or 0.5.
struct BatchForm {
  std::array<double, 4> numbers;
  double power = 1;
};

/// A value that a constant has for a batch of so many samples.
using FormSample = std::pair<int64_t, mlir::TypedAttr>;

/// The form that gives all samples exactly. None where there is none, or where
/// there are fewer than four samples: two would fit by themselves.
std::optional<BatchForm> fitForm(llvm::ArrayRef<FormSample> samples);

/// Notes at a constant that its value has a form.
void setForm(ConstantOp constant, const BatchForm &form);

/// Computes constants with forms from `size`, an index in the entry.
void computeForms(mlir::func::FuncOp entry, mlir::Value size);

/// Gives constants with forms their values for a batch of `size`.
void evaluateForms(mlir::func::FuncOp function, int64_t size);

} // namespace cellgrad

#endif
