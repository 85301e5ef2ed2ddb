//===- Page.h - a program through all stages, to look at --------*- C++ -*-===//

#ifndef CELLGRAD_PASSES_PAGE_H
#define CELLGRAD_PASSES_PAGE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/JSON.h"

#include <map>
#include <memory>
#include <string>

namespace cellgrad {
class PageWatcher;

/// What is gathered for a page while a module is compiled for the CPU: the text
/// of each stage with the place of each line in the user's source, the graph of
/// the differentiated program, kernels, and memory.
class PageNotes {
public:
  /// `module` is the program as it was given.
  explicit PageNotes(mlir::ModuleOp module);

  /// Watches the passes; these notes must outlive it.
  std::unique_ptr<mlir::PassInstrumentation> watch();

  /// The page: one file of HTML without references to others.
  std::string html() const;

private:
  friend class PageWatcher;

  void addStage(llvm::StringRef name, mlir::ModuleOp module);
  void addGraph(mlir::ModuleOp module);
  void addKernels(mlir::ModuleOp module);
  void addMemory(mlir::ModuleOp module);
  int64_t numberOf(mlir::Location location);

  llvm::json::Array stages, places, graphs, kernels, memory;
  llvm::json::Object sources;
  std::map<std::string, int64_t> numbers;
};

} // namespace cellgrad

#endif
