//===- Passes.td - math expansion passes ----------------------------------===//

#ifndef CELLGRAD_LOWER_MATH_PASSES_TD
#define CELLGRAD_LOWER_MATH_PASSES_TD

include "mlir/Pass/PassBase.td"

def ExpandMath : Pass<"cell-expand-math"> {
  let summary = "Rewrite transcendental math ops as vector arithmetic";
  let description = [{
    Replaces every `math` op that has no hardware instruction (exp, log, sin,
    tanh, powf, ...) and every `special` op on f16, bf16, f32 and f64 scalars and fixed-size vectors by
    a sequence of `arith`, `vector`, `math.fma` and `scf.if` ops. No library is
    called and nothing is scalarised. What remains of `math` is absf, ceil,
    copysign, floor, fma, roundeven, sqrt, trunc and integer bit counting.

    The result is within 2 ulp over the whole range, with the special values of
    C99 Annex F; it does not rely on or introduce fast-math flags, and the result
    for a lane depends on that lane only. The trigonometric functions reduce
    large arguments exactly under one `scf.if` that is taken when any lane needs
    it, by `special.reduce_large`, which is left for `cell-share-math`. What sine
    and cosine of one value, tanh and its slope have in common, CSE merges behind it.

    Run it after vectorisation: inside `linalg.generic` the `scf.if` of the
    trigonometric functions would prevent it.
  }];
  let options = [
    Option<"fma", "fma", "bool", "true",
           "The target multiplies and adds in one instruction">,
    Option<"scale512", "scale512", "bool", "false",
           "The target scales 512 bits by powers of two in one instruction (AVX-512)">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::math::MathDialect",
                           "mlir::LLVM::LLVMDialect",
                           "mlir::scf::SCFDialect", "mlir::vector::VectorDialect",
                           "cellgrad::special::SpecialDialect"];
}

def ShareMath : Pass<"cell-share-math", "mlir::ModuleOp"> {
  let summary = "Move long, rarely needed computations into shared functions";
  let description = [{
    Replaces every `special.reduce_large` by a call of a private function, of which there is one
    for each type in the module, or in the module of device code: a hundred lines of integer arithmetic that would otherwise be
    compiled again for each sine. The functions are `cold`, so that the branch that calls one is
    laid out, and its registers are saved, away from the loop around it.

    Run it after CSE, which merges what the sine and the cosine of one value have in common: a call
    is not known to be pure.
  }];
  let options = [
    Option<"fma", "fma", "bool", "true",
           "The target multiplies and adds in one instruction">
  ];
  let dependentDialects = ["mlir::arith::ArithDialect", "mlir::func::FuncDialect",
                           "mlir::math::MathDialect"];
}

#endif
