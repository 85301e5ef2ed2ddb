//===- LinalgOps.td - factorizations and solves of matrices ---------------===//

#ifndef CELLGRAD_LINALGOPS_TD
#define CELLGRAD_LINALGOPS_TD

include "dialect/CellBase.td"

def Cell_MatrixTensor : Cell_TensorOf<[F32, F64]>;
def Cell_PivotTensor : Cell_TensorOf<[I32]>;

// Ops on the matrices of the last two dimensions, one for each index of the others.
class Cell_LinalgOp<string mnemonic, list<Trait> traits = []>
    : Cell_Op<mnemonic, !listconcat([
        Pure, InferTypeOpAdaptor], traits)>;

//===----------------------------------------------------------------------===//
// Parts and rows of matrices
//===----------------------------------------------------------------------===//

def Cell_TriangleOp : Cell_LinalgOp<"triangle", [Exact, DiscardsElements]> {
  let summary = "A triangle of a matrix, zero elsewhere";
  let description = [{
    With `lower`, keeps elements [i, j] with j - i <= `diagonal`, otherwise those with
    j - i >= `diagonal`. What is not kept is not read: NaN there does not show.
  }];
  let arguments = (ins Cell_Tensor:$x, BoolAttr:$lower, I64Attr:$diagonal);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let derivative = Linear<["triangle(ct, lower=lower, diagonal=diagonal)"]>;
  let batch = BatchAlike<[]>;
  let hasFolder = 1;
}

def Cell_SwapRowsOp : Cell_LinalgOp<"swap_rows", [Exact, Sequential]> {
  let summary = "Exchanges row i and row pivots[i], for one i after the other";
  let description = [{
    In ascending order, or with `inverse` in descending order, which undoes the former.
    `pivots` count from 0, as `cell.lu` gives them; those out of range are clamped.
  }];
  let arguments = (ins Cell_Tensor:$x, Cell_PivotTensor:$pivots,
                       DefaultValuedAttr<BoolAttr, "false">:$inverse);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = "$x `,` $pivots attr-dict `:` type($x) `,` type($pivots)";
  let derivative = VJP<["swap_rows(ct, pivots, inverse={!getInverse()})", ""],
                       "swap_rows(d_x, pivots, inverse=inverse)">;
}

//===----------------------------------------------------------------------===//
// Factorizations
//===----------------------------------------------------------------------===//

def Cell_CholeskyOp : Cell_LinalgOp<"cholesky", [Singular, Sequential]> {
  let summary = "Lower triangular L with L L^T = x";
  let description = [{
    Reads the lower triangle of x alone. If x is not positive definite, the lower triangle
    of the result is NaN.
  }];
  let arguments = (ins Cell_MatrixTensor:$x);
  let results = (outs Cell_MatrixTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x)";
  let derivative = Custom<["result"]>;
  let batch = BatchAlike<[]>;
}

def Cell_LUOp : Cell_LinalgOp<"lu", [Singular, Sequential]> {
  let summary = "Triangular L and U with L U = P x, by partial pivoting";
  let description = [{
    `packed` holds U in its upper triangle and L, whose diagonal is 1, below it. P x is x
    after row i was exchanged with row pivots[i], for each i in order (`cell.swap_rows`):
    the element of largest magnitude becomes the pivot, the first of equal ones. A pivot of
    zero divides nothing and stays on the diagonal of U.
  }];
  let arguments = (ins Cell_MatrixTensor:$x);
  let results = (outs Cell_MatrixTensor:$packed, Cell_PivotTensor:$pivots);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($packed) `,` type($pivots)";
  let derivative = Custom<["packed", "pivots"]>;
  let batch = BatchAlike<[]>;
}

def Cell_QROp : Cell_LinalgOp<"qr", [Singular, Sequential]> {
  let summary = "Orthonormal columns q and upper triangular r with q r = x";
  let description = [{
    For x of shape [m, n], q is [m, k] and r [k, n] with k = min(m, n), or k = m where
    `complete`. Signs are those of Householder reflections, as LAPACK's. Differentiable for
    m >= n = k and linearly independent columns.
  }];
  let arguments = (ins Cell_MatrixTensor:$x, DefaultValuedAttr<BoolAttr, "false">:$complete);
  let results = (outs Cell_MatrixTensor:$q, Cell_MatrixTensor:$r);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($q) `,` type($r)";
  let derivative = Custom<["q", "r"]>;
  let batch = BatchAlike<[]>;
}

//===----------------------------------------------------------------------===//
// Eigenvalues and singular values
//===----------------------------------------------------------------------===//

def Cell_EighOp : Cell_LinalgOp<"eigh", [Singular, Sequential]> {
  let summary = "Eigenvalues w, ascending, and orthonormal eigenvectors v of a symmetric matrix";
  let description = [{
    Reads the lower triangle of x alone. Columns of v are eigenvectors, each with the sign
    that makes positive the first of its elements of at least 0.9 of the largest magnitude.
    Where an element read is infinite or NaN, all results are NaN.

    Equal eigenvalues leave v a choice, so that it has no derivative; values that do not
    depend on the choice may have one. The rule takes what would be divided by the difference
    of two eigenvalues as NaN where they differ by no more than n times the precision of the
    element type times the largest magnitude of w.

    With `paired` the values 2k and 2k + 1 are equal for every x that the program makes, as those
    of [[A, -B], [B, A]] are, which stands for the Hermitian matrix A + iB: the two vectors are
    those of one complex vector, times 1 and i. Then a change of x couples them no more than x
    does, and the rule takes the quotient between them as 0. Values are the same without it.
  }];
  let arguments = (ins Cell_MatrixTensor:$x, DefaultValuedAttr<BoolAttr, "false">:$paired);
  let results = (outs Cell_MatrixTensor:$w, Cell_MatrixTensor:$v);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($w) `,` type($v)";
  let derivative = Custom<["w", "v"]>;
  let batch = BatchAlike<[]>;
}

def Cell_SVDOp : Cell_LinalgOp<"svd", [Singular, Sequential]> {
  let summary = "Singular values s, descending, and orthonormal vectors with u diag(s) v^T = x";
  let description = [{
    For x of shape [m, n], u is [m, k], s [k] and v [n, k] with k = min(m, n). Columns of v
    have the signs of `cell.eigh`. Where an element is infinite or NaN, all results are NaN.

    As in `cell.eigh`, the rule takes what would be divided by the difference or the sum of
    two singular values, or by one, as NaN where that is no more than max(m, n) times the
    precision of the element type times the largest singular value. `paired` is as there.
  }];
  let arguments = (ins Cell_MatrixTensor:$x, DefaultValuedAttr<BoolAttr, "false">:$paired);
  let results = (outs Cell_MatrixTensor:$u, Cell_MatrixTensor:$s, Cell_MatrixTensor:$v);
  let assemblyFormat = [{
    $x attr-dict `:` type($x) `->` type($u) `,` type($s) `,` type($v)
  }];
  let derivative = Custom<["u", "s", "v"]>;
  let batch = BatchAlike<[]>;
}

//===----------------------------------------------------------------------===//
// Solves
//===----------------------------------------------------------------------===//

def Cell_TriangularSolveOp : Cell_LinalgOp<"triangular_solve", [Singular, Sequential]> {
  let summary = "Solution y of a y = b for triangular a";
  let description = [{
    Reads the lower or the upper triangle of a, or that of a^T with `transpose`, which
    exchanges rows and columns after the triangle is chosen. With `unit_diagonal` the
    diagonal is 1 and not read.
  }];
  let arguments = (ins Cell_MatrixTensor:$a, Cell_MatrixTensor:$b, BoolAttr:$lower,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose,
                       DefaultValuedAttr<BoolAttr, "false">:$unit_diagonal);
  let results = (outs Cell_MatrixTensor:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a) `,` type($b)";
  let derivative = Custom<["a", "result"]>;
}

def Cell_SolveOp : Cell_LinalgOp<"solve", [Singular]> {
  let summary = "Solution y of a y = b, or of a^T y = b";
  let description = [{
    By `cell.lu` and two triangular solves, which `cell-decompose` makes of it: what solves
    with one matrix, like a solution and its adjoint, then shares the factorization.
  }];
  let arguments = (ins Cell_MatrixTensor:$a, Cell_MatrixTensor:$b,
                       DefaultValuedAttr<BoolAttr, "false">:$transpose);
  let results = (outs Cell_MatrixTensor:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a) `,` type($b)";
  let derivative = Custom<["a", "result"]>;
}

#endif
