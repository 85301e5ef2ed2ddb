//===- Arguments.h - what the interpreter is called with ------------------===//

#ifndef CELLGRAD_INTERP_ARGUMENTS_H
#define CELLGRAD_INTERP_ARGUMENTS_H

#include "tools/interp/Tensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace cellgrad::interp {

/// The function called `name`; an empty name stands for the only public
/// function. Emits an error that lists the functions where there is none.
llvm::FailureOr<mlir::func::FuncOp> findEntry(mlir::ModuleOp module,
                                              llvm::StringRef name);

/// The arguments for `func`: the attributes in `texts`, in order; for the rest
/// the argument attributes `cell.example`; for what is left random values drawn
/// from `seed`. Emits an error and fails where an argument gets no value or one
/// of another type.
llvm::FailureOr<llvm::SmallVector<Tensor>>
readArguments(mlir::func::FuncOp func, llvm::ArrayRef<std::string> texts,
              std::optional<uint64_t> seed);

/// Numbers in [-1, 1), integers in [-8, 8), bools; the same for a seed on every
/// platform.
Tensor randomTensor(mlir::RankedTensorType type, uint64_t seed);

} // namespace cellgrad::interp

#endif
