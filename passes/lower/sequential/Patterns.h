//===- Patterns.h - families of patterns that make sequential loops -------===//

#ifndef CELLGRAD_LOWER_SEQUENTIAL_PATTERNS_H
#define CELLGRAD_LOWER_SEQUENTIAL_PATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace cellgrad {

void populateCholeskyToLinalg(mlir::RewritePatternSet &patterns);
void populateLUToLinalg(mlir::RewritePatternSet &patterns);
void populateQRToLinalg(mlir::RewritePatternSet &patterns);
void populateScanToLinalg(mlir::RewritePatternSet &patterns);
void populateScatterToLinalg(mlir::RewritePatternSet &patterns);
void populateSortToLinalg(mlir::RewritePatternSet &patterns);

} // namespace cellgrad

#endif
