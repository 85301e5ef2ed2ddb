//===- Places.h - where ops come from ---------------------------*- C++ -*-===//

#ifndef CELLGRAD_LOWER_BUFFERS_PLACES_H
#define CELLGRAD_LOWER_BUFFERS_PLACES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/SmallVector.h"

#include <string>

namespace cellgrad {

/// An op of the program that code comes from.
struct Place {
  std::string op;         ///< "tanh", by cell-name-ops; empty where not known
  std::string phase;      ///< "forward", "adjoint" or "tangent"
  std::string file, cell; ///< cell: the path of the Cell, and a composition
  unsigned line = 0;
};

/// Every op that `location` names, once each; the first is that of the op it
/// was asked of. Empty where it names no file.
llvm::SmallVector<Place> placesOf(mlir::Location location);

/// As a dictionary of `op`, `phase`, `file`, `line` and `cell`.
mlir::DictionaryAttr toAttribute(const Place &place,
                                 mlir::MLIRContext *context);

} // namespace cellgrad

#endif
