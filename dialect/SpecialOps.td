//===- SpecialOps.td - gamma functions, inverse error function ------------===//

#ifndef CELLGRAD_SPECIALOPS_TD
#define CELLGRAD_SPECIALOPS_TD

include "dialect/CellBase.td"

def Cell_LgammaOp : Cell_UnaryOp<"lgamma", Cell_FloatTensor, [Singular]> {
  let summary = "Logarithm of the absolute value of the gamma function; inf at 0, -1, -2, ...";
  let derivative = VJP<["mul(ct, digamma(x))"]>;
  let scalar = Scalar<"std::lgamma(x)", "special::LgammaOp(x)">;
  let python = Python<"lgamma", "Lgamma", ["input"]>;
  let forms = ["Tensor.lgamma"];
  let example = Example<["[1.0, 5.0]"], "[0.        3.1780539]">;
}

def Cell_DigammaOp : Cell_UnaryOp<"digamma", Cell_FloatTensor, [Singular]> {
  let summary = "Derivative of lgamma; NaN at -1, -2, ..., -inf at 0, inf at -0";
  let derivative = VJP<["mul(ct, polygamma(x, order=1))"]>;
  let scalar = Scalar<"digamma(x)", "special::DigammaOp(x)">;
  let python = Python<"digamma", "Digamma", ["input"]>;
  let forms = ["Tensor.digamma"];
  let example = Example<["[1.0, 2.0]"], "[-0.5772157   0.42278433]">;
}

// Not an elementwise record: a kernel of numbers alone does not know the order.
def Cell_PolygammaOp : Cell_Op<"polygamma", [
    Pure, SameOperandsAndResultType, Singular,
    DeclareOpInterfaceMethods<ScalarOpInterface>]> {
  let summary = "Derivative of digamma of order `order`, element by element";
  let description = [{
    At 0, -1, -2, ... it is infinite for odd orders, where both sides agree, and NaN for even
    ones; at +0 and -0 it is the limit from that side.
  }];
  let arguments = (ins Cell_FloatTensor:$x, I64Attr:$order);
  let results = (outs Cell_FloatTensor:$result);
  let assemblyFormat = "$x `order` $order attr-dict `:` type($x)";
  let derivative = VJP<["mul(ct, polygamma(x, order={getOrder() + 1}))"],
                       "mul(d_x, polygamma(x, order={getOrder() + 1}))">;
  let batch = BatchAlike<[]>;
  let hasVerifier = 1;
}

def Cell_ErfinvOp : Cell_UnaryOp<"erfinv", Cell_FloatTensor, [Singular]> {
  let summary = "Inverse of the error function; +-inf at +-1, NaN outside";
  let description = [{
    The derivative is sqrt(pi)/2 exp(y^2) for the exact y = erfinv(x). One step of Newton's
    method finds how far the result is from it: the term below `stop_gradient`, which is
    rounding, and constant in the next derivative.
  }];
  let derivative = VJP<[
    "mul(ct, mul(mul(exp_square(result), 0.886226925452758), add(stop_gradient(select(is_finite(result), mul(mul(mul(abs(result), 2), sub(erfc(abs(result)), sub(1, abs(x)))), mul(exp_square(result), 0.886226925452758)), 0)), 1)))"]>;
  let subgradient = "inf at -1 and 1";
  let scalar = Scalar<"inverseErf(x)", "special::ErfinvOp(x)">;
  let python = Python<"erfinv", "Erfinv", ["input"]>;
  let forms = ["Tensor.erfinv", "mint.erfinv"];
  let example = Example<["[0.0, 0.5]"], "[0.         0.47693625]">;
}

#endif
