//===- MemoryReport.h - what is in memory when most is ----------*- C++ -*-===//

#ifndef CELLGRAD_PASSES_MEMORYREPORT_H
#define CELLGRAD_PASSES_MEMORYREPORT_H

#include "passes/lower/buffers/KernelWork.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"

namespace cellgrad {

/// What the kernels of each entry of a module behind cell-form-kernels do, in
/// all, by the entry's name.
llvm::StringMap<Work> workOfEntries(mlir::ModuleOp module);

/// Of a module behind cell-plan-memory with `report`: for each entry the bytes
/// of its arguments, Parameters, results and arena, and the temporaries that
/// are needed when most bytes are; and `work`, an estimate of what it does.
/// `text` of an entry is the same for people.
mlir::FailureOr<llvm::json::Value>
reportMemory(mlir::ModuleOp module, const llvm::StringMap<Work> &work);

/// The texts of all entries of a report.
std::string textOf(const llvm::json::Value &report);

} // namespace cellgrad

#endif
