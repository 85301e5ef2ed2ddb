//===- CellInterfaces.td - what passes ask of an op -----------------------===//

#ifndef CELLGRAD_CELLINTERFACES_TD
#define CELLGRAD_CELLINTERFACES_TD

include "mlir/IR/OpBase.td"

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::cellgrad";
  let description = [{
    An op that knows its derivative. In all methods a null Value stands for a zero that
    is not materialised. Implementations come from the op's derivative record.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the cotangents of the operands from those of the results. `wanted[i]` says
      whether operand i needs one; entries of `operandCotangents` may stay null.
    }], "::llvm::LogicalResult", "buildVJP",
    (ins "::mlir::OpBuilder &":$builder,
         "::llvm::ArrayRef<::mlir::Value>":$cotangents,
         "const ::llvm::SmallBitVector &":$wanted,
         "::llvm::MutableArrayRef<::mlir::Value>":$operandCotangents)>,
    InterfaceMethod<[{
      Builds the tangents of the results from those of the operands.
    }], "::llvm::LogicalResult", "buildJVP",
    (ins "::mlir::OpBuilder &":$builder,
         "::llvm::ArrayRef<::mlir::Value>":$tangents,
         "::llvm::MutableArrayRef<::mlir::Value>":$resultTangents)>,
    InterfaceMethod<[{
      True when the derivative is zero wherever it exists, so that neither cotangents nor
      tangents pass through the op.
    }], "bool", "hasZeroDerivative", (ins), [{}], [{ return false; }]>
  ];
}

def BatchableOpInterface : OpInterface<"BatchableOpInterface"> {
  let cppNamespace = "::cellgrad";
  let description = [{
    An op that can be applied to every element of a batch at once. Implementations of
    elementwise ops come from their records.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the op on a batch of `size`. Operand i has the batch as an additional first
      dimension where `batched[i]`, at least for one i, and is the same for the whole batch
      elsewhere. All results get the batch as first dimension.
    }], "::llvm::LogicalResult", "buildBatched",
    (ins "::mlir::OpBuilder &":$builder,
         "::llvm::ArrayRef<::mlir::Value>":$operands,
         "const ::llvm::SmallBitVector &":$batched, "int64_t":$size,
         "::llvm::SmallVectorImpl<::mlir::Value> &":$results)>
  ];
}

def ScalarOpInterface : OpInterface<"ScalarOpInterface"> {
  let cppNamespace = "::cellgrad";
  let description = [{ An elementwise op: one scalar function applied to every element. }];
  let methods = [
    InterfaceMethod<[{
      Builds the scalar function in upstream dialects on values of the element types.
      Null when the op has no meaning on these types.
    }], "::mlir::Value", "buildScalar",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
         "::mlir::ValueRange":$args)>
  ];
}

#endif
