//===- EmptyArguments.h - buffers without elements ------------------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_EMPTYARGUMENTS_H
#define CELLGRAD_LOWER_BUFFERS_EMPTYARGUMENTS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace cellgrad {

/// Arguments without elements are never accessed. The type converter refuses
/// some of their shapes (a stride of 0), so they become one-dimensional.
void flattenEmptyArguments(mlir::FunctionOpInterface func);

} // namespace cellgrad

#endif
