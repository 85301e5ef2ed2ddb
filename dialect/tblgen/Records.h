//===- Records.h - the op records cell-tblgen reads -----------------------===//

#ifndef CELLGRAD_TBLGEN_RECORDS_H
#define CELLGRAD_TBLGEN_RECORDS_H

#include "mlir/TableGen/Operator.h"
#include "llvm/ADT/StringMap.h"

#include <string>
#include <vector>

namespace llvm {
class RecordKeeper;
}

namespace cellgrad::tblgen {

/// One op of the dialect with the fields of Cell_Op.
struct OpRecord {
  explicit OpRecord(const llvm::Record &def);

  const llvm::Record &def;
  mlir::tblgen::Operator op;

  // Derivative
  llvm::StringRef kind; // vjp, linear, multilinear, custom, zero, none
  std::vector<llvm::StringRef> vjp, reads;
  llvm::StringRef jvp, why, subgradient;
  // Batch
  llvm::StringRef batch; // alike, by hand
  std::vector<llvm::StringRef> batchDims;
  // Scalar
  llvm::StringRef eval, floats, ints;
  // Python
  llvm::StringRef function, className;
  std::vector<llvm::StringRef> pythonArgs, forms;
  // Example: elements of each argument, and what is printed
  std::vector<llvm::StringRef> given;
  llvm::StringRef shown;

  bool isElementwise() const;
  /// Computes results from operands, not element by element, and on one rank.
  bool isStructured() const;
  llvm::StringRef mnemonic() const;
};

/// All ops of the dialect, by name. A record without a derivative, or with one
/// that does not fit its operands, is a fatal error.
std::vector<OpRecord> readOps(const llvm::RecordKeeper &records);

} // namespace cellgrad::tblgen

#endif
