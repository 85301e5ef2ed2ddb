//===- cell-lsp-server.cpp - cell IR in editors ---------------------------===//
//
// Upstream's language server with the dialects of this project: errors while
// one types, definitions and uses of values, types on hover.
//
//===----------------------------------------------------------------------===//

#include "passes/Registry.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  cellgrad::registerDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
