//===- cell-opt.cpp - run passes on cell IR -------------------------------===//

#include "passes/Registry.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  cellgrad::registerDialects(registry);
  cellgrad::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "cellgrad optimizer driver\n", registry));
}
