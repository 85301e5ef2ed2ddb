//===- LinalgRules.cpp - derivatives of factorizations and solves ---------===//
//
// d is a tangent, c a cotangent; tril and triu are triangles with the diagonal,
// a minus sign after them means without it. Phi(X) is tril(X) with half of the
// diagonal: the lower triangular solution Y of Y + Y^T = X for symmetric X.
//
//===----------------------------------------------------------------------===//

#include "dialect/Algebra.h"
#include "dialect/Refusal.h"
#include "dialect/Rules.h"

using namespace mlir;

namespace cellgrad {

//===----------------------------------------------------------------------===//
// cholesky
//===----------------------------------------------------------------------===//
//
// I. Murray, "Differentiation of the Cholesky decomposition", 2016. The op
// reads the lower triangle, so its tangent is that of the symmetric matrix with
// the lower triangle of dA, and its cotangent is lower triangular.

LogicalResult CholeskyOp::buildVJP(OpBuilder &builder,
                                   ArrayRef<Value> cotangents,
                                   const llvm::SmallBitVector &wanted,
                                   MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0])
    return success();
  // P = L^-T Phi(L^T cL) L^-1, and cA = Phi(P + P^T).
  Algebra on(builder, *this, "vjp");
  Value l = getResult();
  Value inner = on.phi(on.matmul(l, cotangents[0], /*transposeA=*/true));
  Value left = on.solve(l, inner, /*isLower=*/true, /*isTransposed=*/true);
  Value p = on.solveRight(l, left, /*isLower=*/true, /*isTransposed=*/false);
  operandCotangents[0] = on.phi(on.add(p, on.transpose(p)));
  return success();
}

LogicalResult CholeskyOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                   MutableArrayRef<Value> resultTangents) {
  if (!tangents[0])
    return success();
  // dL = L Phi(L^-1 dA L^-T).
  Algebra on(builder, *this, "jvp");
  Value l = getResult();
  Value half = on.phi(tangents[0]);
  Value da = on.add(half, on.transpose(half));
  Value left = on.solve(l, da, /*isLower=*/true, /*isTransposed=*/false);
  Value inner = on.solveRight(l, left, /*isLower=*/true, /*isTransposed=*/true);
  resultTangents[0] = on.matmul(l, on.phi(inner));
  return success();
}

//===----------------------------------------------------------------------===//
// lu
//===----------------------------------------------------------------------===//
//
// With F = L^-1 P dA U^-1: dL = L tril-(F) and dU = triu(F) U, which lie side
// by side in the packed tangent.

/// L X for the unit lower triangle L of `packed`, or L^T X.
static Value timesUnitLower(Algebra &on, Value packed, Value x,
                            bool transposed) {
  Value below = on.lower(packed, -1);
  return on.add(on.matmul(below, x, transposed), x);
}

LogicalResult LUOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                             const llvm::SmallBitVector &wanted,
                             MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0])
    return success();
  Algebra on(builder, *this, "vjp");
  Value packed = getPacked(), c = cotangents[0];
  Value forL = on.lower(timesUnitLower(on, packed, c, /*transposed=*/true), -1);
  Value forU = on.upper(on.matmul(c, on.upper(packed), /*transposeA=*/false,
                                  /*transposeB=*/true));
  Value right = on.solveRight(packed, on.add(forL, forU), /*isLower=*/false,
                              /*isTransposed=*/true);
  Value rows = on.solve(packed, right, /*isLower=*/true, /*isTransposed=*/true,
                        /*isUnit=*/true);
  operandCotangents[0] = SwapRowsOp::create(builder, on.loc, rows, getPivots(),
                                            builder.getBoolAttr(true));
  return success();
}

LogicalResult LUOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                             MutableArrayRef<Value> resultTangents) {
  if (!tangents[0])
    return success();
  Algebra on(builder, *this, "jvp");
  Value packed = getPacked();
  Value rows = SwapRowsOp::create(builder, on.loc, tangents[0], getPivots(),
                                  builder.getBoolAttr(false));
  Value left = on.solve(packed, rows, /*isLower=*/true, /*isTransposed=*/false,
                        /*isUnit=*/true);
  Value f = on.solveRight(packed, left, /*isLower=*/false,
                          /*isTransposed=*/false);
  Value dl = timesUnitLower(on, packed, on.lower(f, -1), /*transposed=*/false);
  Value du = on.matmul(on.upper(f), on.upper(packed));
  resultTangents[0] = on.add(dl, du);
  return success();
}

//===----------------------------------------------------------------------===//
// qr
//===----------------------------------------------------------------------===//
//
// With X = dA R^-1, M = Q^T X and the antisymmetric D = tril-(M) - tril-(M)^T:
// dQ = Q (D - M) + X and dR = (M - D) R.

static LogicalResult checkDifferentiable(QROp op) {
  ArrayRef<int64_t> shape = op.getX().getType().getShape().take_back(2);
  if (shape[0] < shape[1])
    return refuse(op)
           << "is differentiable for matrices of at least as many "
              "rows as columns, but the operand is "
           << op.getX().getType()
           << "; factorize the first columns, or the transposed matrix";
  if (op.getComplete() && shape[0] != shape[1])
    return refuse(op) << "is differentiable in its reduced form only, as the "
                         "additional columns of q are not unique; leave out "
                         "'complete'";
  return success();
}

LogicalResult QROp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                             const llvm::SmallBitVector &wanted,
                             MutableArrayRef<Value> operandCotangents) {
  if (allZero(cotangents))
    return success();
  if (failed(checkDifferentiable(*this)))
    return failure();
  // G = cR R^T - Q^T cQ, cM = G - tril-(G - G^T), cX = cQ + Q cM.
  Algebra on(builder, *this, "vjp");
  Value q = getQ(), r = getR(), cq = cotangents[0], cr = cotangents[1], g;
  if (cr)
    g = on.matmul(cr, r, /*transposeA=*/false, /*transposeB=*/true);
  if (cq) {
    Value inner = on.matmul(q, cq, /*transposeA=*/true);
    g = g ? on.sub(g, inner) : on.neg(inner);
  }
  Value cm = on.sub(g, on.lower(on.sub(g, on.transpose(g)), -1));
  Value cx = on.matmul(q, cm);
  if (cq)
    cx = on.add(cq, cx);
  operandCotangents[0] =
      on.solveRight(r, cx, /*isLower=*/false, /*isTransposed=*/true);
  return success();
}

LogicalResult QROp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                             MutableArrayRef<Value> resultTangents) {
  if (!tangents[0])
    return success();
  if (failed(checkDifferentiable(*this)))
    return failure();
  Algebra on(builder, *this, "jvp");
  Value q = getQ(), r = getR();
  Value x = on.solveRight(r, tangents[0], /*isLower=*/false,
                          /*isTransposed=*/false);
  Value m = on.matmul(q, x, /*transposeA=*/true);
  Value below = on.lower(m, -1);
  Value rest = on.sub(m, on.sub(below, on.transpose(below)));
  resultTangents[0] = on.sub(x, on.matmul(q, rest));
  resultTangents[1] = on.matmul(rest, r);
  return success();
}

//===----------------------------------------------------------------------===//
// Solves
//===----------------------------------------------------------------------===//
//
// With A y = b: dy = A^-1 (db - dA y), cb = A^-T cy and cA = -cb y^T.

/// The cotangent of the matrix in A y = b, or in A^T y = b.
static Value matrixCotangent(Algebra &on, Value cb, Value y, bool transposed) {
  Value product =
      transposed ? on.matmul(y, cb, /*transposeA=*/false, /*transposeB=*/true)
                 : on.matmul(cb, y, /*transposeA=*/false, /*transposeB=*/true);
  return on.neg(product);
}

/// db - dA y, where null tangents are zeros.
static Value rightTangent(Algebra &on, Value da, Value db, Value y,
                          bool transposed) {
  if (!da)
    return db;
  Value product = on.matmul(da, y, /*transposeA=*/transposed);
  return db ? on.sub(db, product) : on.neg(product);
}

/// The triangle that a triangular solve reads.
static Value triangleRead(Algebra &on, TriangularSolveOp op, Value x) {
  int64_t diagonal = op.getUnitDiagonal() ? 1 : 0;
  return op.getLower() ? on.lower(x, -diagonal) : on.upper(x, diagonal);
}

LogicalResult
TriangularSolveOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                            const llvm::SmallBitVector &wanted,
                            MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0])
    return success();
  Algebra on(builder, *this, "vjp");
  Value cb = on.solve(getA(), cotangents[0], getLower(), !getTranspose(),
                      getUnitDiagonal());
  if (wanted[0])
    operandCotangents[0] = triangleRead(
        on, *this, matrixCotangent(on, cb, getResult(), getTranspose()));
  if (wanted[1])
    operandCotangents[1] = cb;
  return success();
}

LogicalResult
TriangularSolveOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                            MutableArrayRef<Value> resultTangents) {
  if (allZero(tangents))
    return success();
  Algebra on(builder, *this, "jvp");
  Value da = tangents[0] ? triangleRead(on, *this, tangents[0]) : Value();
  Value right = rightTangent(on, da, tangents[1], getResult(), getTranspose());
  resultTangents[0] =
      on.solve(getA(), right, getLower(), getTranspose(), getUnitDiagonal());
  return success();
}

LogicalResult SolveOp::buildVJP(OpBuilder &builder, ArrayRef<Value> cotangents,
                                const llvm::SmallBitVector &wanted,
                                MutableArrayRef<Value> operandCotangents) {
  if (!cotangents[0])
    return success();
  Algebra on(builder, *this, "vjp");
  Value cb = SolveOp::create(builder, on.loc, getA(), cotangents[0],
                             builder.getBoolAttr(!getTranspose()));
  if (wanted[0])
    operandCotangents[0] = matrixCotangent(on, cb, getResult(), getTranspose());
  if (wanted[1])
    operandCotangents[1] = cb;
  return success();
}

LogicalResult SolveOp::buildJVP(OpBuilder &builder, ArrayRef<Value> tangents,
                                MutableArrayRef<Value> resultTangents) {
  if (allZero(tangents))
    return success();
  Algebra on(builder, *this, "jvp");
  Value right =
      rightTangent(on, tangents[0], tangents[1], getResult(), getTranspose());
  resultTangents[0] =
      SolveOp::create(builder, on.loc, getA(), right, getTransposeAttr());
  return success();
}

} // namespace cellgrad
