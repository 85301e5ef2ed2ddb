// A dialect with one op.
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def Nets_Dialect : Dialect {
  let name = "nets";
  let cppNamespace = "::nets";
}

def Nets_SwishOp : Op<Nets_Dialect, "swish", [Pure, SameOperandsAndResultType]> {
  let summary = "x * sigmoid(x), element by element";
  let arguments = (ins AnyRankedTensor:$x);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}
