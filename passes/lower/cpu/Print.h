//===- Print.h - cell.print as calls of the print hook --------------------===//

#ifndef CELLGRAD_LOWER_CPU_PRINT_H
#define CELLGRAD_LOWER_CPU_PRINT_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir {
class LLVMTypeConverter;
class RewritePatternSet;
} // namespace mlir

namespace cellgrad {

/// CG_FLOAT32 and so on; integers are signed unless they are noted as unsigned.
int32_t dtypeCode(mlir::Type type, bool isUnsigned);

/// Tensors without elements are printed from memory of their own, as
/// `flattenEmptyArguments` leaves those that something else reads.
void separateEmptyPrints(mlir::FunctionOpInterface func);

/// Turns cell.print on buffers into calls of `@cell_print(text, dtype, rank,
/// shape, data)`: one for each tensor with the text before it, and one for the
/// text after the last, which ends the line.
void populatePrintToLLVMPatterns(const mlir::LLVMTypeConverter &converter,
                                 mlir::RewritePatternSet &patterns);

} // namespace cellgrad

#endif
