//===- SpecialMath.h - special functions of scalars and vectors -*- C++ -*-===//

#ifndef CELLGRAD_DIALECT_SPECIALMATH_H
#define CELLGRAD_DIALECT_SPECIALMATH_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialect/SpecialMathDialect.h.inc"

#define GET_OP_CLASSES
#include "dialect/SpecialMath.h.inc"

#endif
