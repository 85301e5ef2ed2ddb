//===- CellBase.td - the cell dialect and what an op record says ----------===//
//
// What an op *is* stands in one place, its record: operands, inference, derivative,
// scalar body, documentation. cell-tblgen reads the fields below; a record that leaves
// its derivative out fails the build.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_CELLBASE_TD
#define CELLGRAD_CELLBASE_TD

include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialect/CellInterfaces.td"

def Cell_Dialect : Dialect {
  let name = "cell";
  let cppNamespace = "::cellgrad";
  let summary = "Graphs of tensor cells and their derivatives";
  let description = [{
    Values are builtin ranked tensors of static shape and pure value semantics. Ops are a
    small set of primitives, each with a derivative in terms of primitives. Elementwise
    ops take equal types: broadcasting and casts are explicit, so that `cell.broadcast`
    along dimensions is exactly the adjoint of `cell.reduce_sum` over them.
    `cell.vjp` and `cell.jvp` differentiate a function symbol and nest to any order.
  }];
  let hasConstantMaterializer = 1;
  let useDefaultTypePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

defvar CellFloats = [F16, BF16, F32, F64];
/// Signless ones are signed. Unsigned ones are made signless before the lowering, by
/// `cell-lower-unsigned`, which has a case for each op that takes them.
defvar CellInts = [I8, I16, I32, I64, UI8, UI16, UI32, UI64];

/// Larger ones no process can address, and arithmetic on their sizes overflows.
class Cell_TensorOf<list<Type> elements>
    : ConfinedType<StaticShapeTensorOf<elements>,
                   [CPred<"::cellgrad::isAddressable($_self)">],
                   StaticShapeTensorOf<elements>.summary # " of at most 2^47 bytes">;

def Cell_FloatTensor : Cell_TensorOf<CellFloats>;
def Cell_NumericTensor : Cell_TensorOf<!listconcat(CellFloats, CellInts)>;
def Cell_BoolTensor : Cell_TensorOf<[I1]>;
def Cell_Tensor : Cell_TensorOf<!listconcat(CellFloats, CellInts, [I1])>;

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

/// Elements of an operand may have no influence on the result, and get a cotangent that
/// is exactly zero.
def DiscardsElements : NativeOpTrait<"DiscardsElements"> {
  let cppNamespace = "::cellgrad";
}
/// Finite operands may have an infinite or NaN result or slope.
def Singular : NativeOpTrait<"Singular"> {
  let cppNamespace = "::cellgrad";
}
/// Results are elements of the operands, or constants: nothing is rounded.
def Exact : NativeOpTrait<"Exact"> {
  let cppNamespace = "::cellgrad";
}
/// Results are sums and products of elements: small integers make integers, exactly.
def Polynomial : NativeOpTrait<"Polynomial"> {
  let cppNamespace = "::cellgrad";
}

/// What it computes is no `linalg` op: steps depend on each other, or go where data says.
/// `cell-to-linalg` leaves it, and each target lowers it in its own way.
def Sequential : NativeOpTrait<"Sequential"> {
  let cppNamespace = "::cellgrad";
}

//===----------------------------------------------------------------------===//
// Derivatives
//===----------------------------------------------------------------------===//
//
// Rules are written in a small expression language. Functions are the dialect's own ops
// by mnemonic, arguments are operand names, `result`, and `ct`, the cotangent of the
// result; numbers are splat constants of the type they meet. Attributes are passed by
// name: `dims=dims` copies the op's own, `dims={C++}` computes one; `like=x` gives the
// result type of an op that cannot infer it; `when(attr, a, b)` chooses at build time;
// `quotient(a, b)` is `div`, of integers rounded towards zero, and `half(a)` is a / 2 likewise.
// What a rule reads (operands, `result`) is what it needs from the forward pass.

class Derivative<string kind_, list<string> vjp_ = [], string jvp_ = "",
                 string why_ = ""> {
  string kind = kind_;
  /// One expression an operand; "" for an operand that carries no cotangent.
  list<string> vjp = vjp_;
  /// The tangent of the result; `d_x` is the tangent of operand `x`.
  string jvp = jvp_;
  string why = why_;
  /// What a rule written by hand reads of the forward pass; expressions say it themselves.
  list<string> reads = [];
}
/// The op's VJP. For elementwise ops the JVP is the same terms, summed over operands, unless
/// they give one for tangents of all operands together; other ops give it.
class VJP<list<string> vjp, string jvp = ""> : Derivative<"vjp", vjp, jvp>;
/// Linear in all operands together: the JVP is the op itself on the tangents.
class Linear<list<string> vjp> : Derivative<"linear", vjp>;
/// Linear in each operand: the JVP is a sum of the op with one operand replaced.
class Multilinear<list<string> vjp> : Derivative<"multilinear", vjp>;
/// buildVJP and buildJVP are written by hand beside the op's verifier. `reads` names the
/// operands and results whose elements buildVJP reads; a test compares it with adjoint code.
class Custom<list<string> reads_> : Derivative<"custom"> {
  let reads = reads_;
}
/// The derivative is zero wherever it exists: nothing upstream gets adjoint code.
class ZeroDerivative<string why> : Derivative<"zero", [], "", why>;
/// Differentiating through the op is an error that says why.
class NotDifferentiable<string why> : Derivative<"none", [], "", why>;

//===----------------------------------------------------------------------===//
// Scalar bodies
//===----------------------------------------------------------------------===//

/// The scalar meaning of an elementwise op, twice and independently: `floats` and `ints`
/// build the payload in upstream dialects, `eval` is the C++ that the reference
/// interpreter and the constant folder run (on double, int64_t and, for unsigned integers, uint64_t).
class Scalar<string eval_, string floats_, string ints_ = ""> {
  string eval = eval_;
  string floats = floats_;
  string ints = ints_;
}
def NoScalar : Scalar<"", "", "">;

/// How Python sees an elementwise op: MindSpore's function, class and argument names.
/// An empty function name leaves the wrapper to hand-written code; not every function has
/// a class form.
class Python<string function_ = "", string class_ = "", list<string> args_ = []> {
  string function = function_;
  string className = class_;
  list<string> args = args_;
}

/// What that function gives for Tensors of these elements, in its docstring, which tests run.
class Example<list<string> given_ = [], string shown_ = ""> {
  list<string> given = given_;
  string shown = shown_;
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

/// How the op is applied to a batch, whose operands have the batch as first dimension.
class Batch<string kind_, list<string> dims_ = []> {
  string kind = kind_;
  list<string> dims = dims_;
}
/// By the op itself, as its results have the batch as first dimension, too. `dims` are the
/// attributes that count dimensions, which are one more for a batch.
class BatchAlike<list<string> dims> : Batch<"alike", dims>;
/// buildBatched is written by hand beside the op's verifier.
def BatchByHand : Batch<"by hand">;

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

class Cell_Op<string mnemonic, list<Trait> traits = []>
    : Op<Cell_Dialect, mnemonic,
         !listconcat([
           DeclareOpInterfaceMethods<DifferentiableOpInterface, ["hasZeroDerivative"]>,
           DeclareOpInterfaceMethods<BatchableOpInterface>], traits)> {
  Derivative derivative = ?;
  Batch batch = BatchByHand;
  Scalar scalar = NoScalar;
  Python python = Python<>;
  /// Other forms of that function, as `ops/_public.py` describes them: "Tensor.tanh", "mint.tanh".
  list<string> forms = [];
  Example example = Example<>;
  /// The choice made where the derivative does not exist or is not unique.
  string subgradient = "";
}

class Cell_ElementwiseOp<string mnemonic, list<Trait> traits = []>
    : Cell_Op<mnemonic, !listconcat([
        Pure, Elementwise, DeclareOpInterfaceMethods<ScalarOpInterface>], traits)> {
  let batch = BatchAlike<[]>;
  let hasFolder = 1;
}

class Cell_UnaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Cell_ElementwiseOp<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$x);
  let results = (outs type:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

class Cell_BinaryOp<string mnemonic, Type type, list<Trait> traits = []>
    : Cell_ElementwiseOp<mnemonic, !listconcat([SameOperandsAndResultType], traits)> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($result)";
}

class Cell_PredicateOp<string mnemonic, list<Trait> traits = []>
    : Cell_ElementwiseOp<mnemonic, !listconcat([
        DeclareOpInterfaceMethods<InferTypeOpInterface>, SameOperandsAndResultShape],
        traits)> {
  let results = (outs Cell_BoolTensor:$result);
  let derivative = ZeroDerivative<"a predicate is piecewise constant">;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::inferReturnTypes(
        ::mlir::MLIRContext *context, ::std::optional<::mlir::Location> loc,
        ::mlir::ValueRange operands, ::mlir::DictionaryAttr attributes,
        ::mlir::OpaqueProperties properties, ::mlir::RegionRange regions,
        ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      return ::cellgrad::inferPredicateType(operands, types);
    }
  }];
}

#endif
