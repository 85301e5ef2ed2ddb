//===- ReductionOps.td - sums and extrema over dimensions -----------------===//

#ifndef CELLGRAD_REDUCTIONOPS_TD
#define CELLGRAD_REDUCTIONOPS_TD

include "dialect/CellBase.td"

class Cell_ReductionOp<string mnemonic, list<Trait> traits = []>
    : Cell_Op<mnemonic, !listconcat([
        Pure, InferTypeOpAdaptor], traits)> {
  let arguments = (ins Cell_NumericTensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs Cell_NumericTensor:$result);
  let batch = BatchAlike<["dims"]>;
  let assemblyFormat = "$x `over` $dims attr-dict `:` type($x) `->` type($result)";
  let hasFolder = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> loc,
        Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::cellgrad::inferReductionType(getOperationName(), loc, adaptor.getX(),
                                            adaptor.getDims(), types);
    }
  }];
}

// The cotangent of an extremum goes to the elements that attain it, in equal parts.
defvar AttainedBy = "cast(equal(x, broadcast(result, dims=dims, like=x)), like=x)";
defvar AttainedCount = !strconcat("reduce_sum(", AttainedBy, ", dims=dims)");
defvar ExtremumRule = VJP<
  [!strconcat("mul(broadcast(quotient(ct, ", AttainedCount, "), dims=dims, like=x), ",
              AttainedBy, ")")],
  !strconcat("quotient(reduce_sum(mul(d_x, ", AttainedBy, "), dims=dims), ", AttainedCount,
             ")")>;

def Cell_ReduceSumOp : Cell_ReductionOp<"reduce_sum", [Polynomial]> {
  let summary = "Sum over dims, which are dropped";
  let derivative = Linear<["broadcast(ct, dims=dims, like=x)"]>;
  let hasCanonicalizer = 1;
}

def Cell_ReduceMaxOp : Cell_ReductionOp<"reduce_max", [Exact, DiscardsElements]> {
  let summary = "Largest element over dims, which are dropped; NaN if one is";
  let derivative = ExtremumRule;
  let subgradient = "equal parts to all elements that attain the maximum";
}

def Cell_ReduceMinOp : Cell_ReductionOp<"reduce_min", [Exact, DiscardsElements]> {
  let summary = "Smallest element over dims, which are dropped; NaN if one is";
  let derivative = ExtremumRule;
  let subgradient = "equal parts to all elements that attain the minimum";
}

#endif
