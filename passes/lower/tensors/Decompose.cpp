//===- Decompose.cpp - solves as factors, large factors as blocks ---------===//

#include "dialect/CellDialect.h"
#include "dialect/Refusal.h"
#include "passes/lower/tensors/Passes.h"

#include "llvm/Support/MathExtras.h"

namespace cellgrad {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "passes/lower/tensors/Passes.h.inc"
} // namespace cellgrad

using namespace mlir;
using namespace cellgrad;

namespace {

/// Builds blocks of matrices: the last two dimensions, for all leading ones.
class Blocks {
public:
  Blocks(OpBuilder &builder, Location loc) : b(builder), loc(loc) {}

  static int64_t rows(Value x) {
    return cast<RankedTensorType>(x.getType()).getShape().take_back(2)[0];
  }
  static int64_t columns(Value x) {
    return cast<RankedTensorType>(x.getType()).getShape().back();
  }

  /// x[firstRow:endRow, firstColumn:endColumn]
  Value slice(Value x, int64_t firstRow, int64_t endRow, int64_t firstColumn,
              int64_t endColumn) {
    auto type = cast<RankedTensorType>(x.getType());
    int64_t rank = type.getRank();
    SmallVector<int64_t> starts(rank, 0), limits(type.getShape()),
        strides(rank, 1);
    starts[rank - 2] = firstRow;
    starts[rank - 1] = firstColumn;
    limits[rank - 2] = endRow;
    limits[rank - 1] = endColumn;
    return SliceOp::create(b, loc, x, starts, limits, strides);
  }

  Value above(Value x, Value y) { return concat(x, y, 2); }
  Value beside(Value x, Value y) { return concat(x, y, 1); }

  /// x with columns of zeros after its own.
  Value padRight(Value x, int64_t count) {
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    SmallVector<int64_t> none(rank, 0), high(rank, 0);
    high[rank - 1] = count;
    return PadOp::create(b, loc, x, none, high, none);
  }

  Value transpose(Value x) {
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    auto perm = llvm::to_vector(llvm::seq<int64_t>(0, rank));
    std::swap(perm[rank - 2], perm[rank - 1]);
    return TransposeOp::create(b, loc, x, perm);
  }

  /// c - x y, where the factors are read transposed if asked for.
  Value minusProduct(Value c, Value x, Value y, bool transposeX,
                     bool transposeY) {
    Value product = MatMulOp::create(b, loc, x, y, b.getBoolAttr(transposeX),
                                     b.getBoolAttr(transposeY));
    return SubOp::create(b, loc, c, product);
  }

  Value triangularSolve(Value a, Value right, bool lower, bool transposed,
                        bool unit) {
    return TriangularSolveOp::create(b, loc, a, right, b.getBoolAttr(lower),
                                     b.getBoolAttr(transposed),
                                     b.getBoolAttr(unit));
  }

  OpBuilder &b;
  Location loc;

private:
  Value concat(Value x, Value y, int64_t fromEnd) {
    int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
    return ConcatOp::create(b, loc, ValueRange{x, y},
                            b.getI64IntegerAttr(rank - fromEnd));
  }
};

struct DecomposePass : cellgrad::impl::DecomposePassBase<DecomposePass> {
  using DecomposePassBase::DecomposePassBase;

  void runOnOperation() override {
    if (blockSize < 1) {
      cellgrad::refuse(getOperation().getLoc())
          << "block-size must be at least 1, but is " << blockSize.getValue();
      return signalPassFailure();
    }
    SmallVector<SolveOp> solves;
    getOperation().walk([&](SolveOp op) { solves.push_back(op); });
    for (SolveOp op : solves)
      replace(op, factorized(op));
    SmallVector<Operation *> large;
    getOperation().walk([&](Operation *op) {
      if (isa<CholeskyOp, TriangularSolveOp>(op))
        large.push_back(op);
    });
    for (Operation *op : large) {
      OpBuilder b(op);
      Blocks on(b, op->getLoc());
      if (auto cholesky = dyn_cast<CholeskyOp>(op)) {
        leaf = leafOf(on.rows(cholesky.getX()));
        if (on.rows(cholesky.getX()) > leaf)
          replace(op, allOrNaN(on, this->cholesky(on, cholesky.getX())));
        continue;
      }
      auto solve = cast<TriangularSolveOp>(op);
      leaf = leafOf(on.rows(solve.getA()));
      if (on.rows(solve.getA()) > leaf)
        replace(op, triangularSolve(on, solve, solve.getA(), solve.getB()));
    }
  }

private:
  static void replace(Operation *op, Value value) {
    op->getResult(0).replaceAllUsesWith(value);
    op->erase();
  }

  /// Rows of a part that is not divided further: a dozen parts are enough, as
  /// each has code of its own.
  int64_t leafOf(int64_t rows) const {
    return std::max<int64_t>(blockSize, llvm::alignTo(rows / 12, 16));
  }

  /// The rows of the first of two blocks: half of them, in whole vectors.
  static int64_t split(int64_t rows) {
    return rows < 32 ? rows / 2 : llvm::alignTo(rows / 2, 16);
  }

  /// P A = L U, so that A y = b is L U y = P b, and A^T y = b is
  /// U^T L^T P y = b.
  static Value factorized(SolveOp op) {
    OpBuilder b(op);
    Blocks on(b, op.getLoc());
    auto lu = LUOp::create(b, op.getLoc(), op.getA());
    Value packed = lu.getPacked();
    auto swapped = [&](Value x, bool inverse) -> Value {
      return SwapRowsOp::create(b, op.getLoc(), x, lu.getPivots(),
                                b.getBoolAttr(inverse));
    };
    if (!op.getTranspose()) {
      Value y = on.triangularSolve(packed, swapped(op.getB(), false),
                                   /*lower=*/true, /*transposed=*/false,
                                   /*unit=*/true);
      return on.triangularSolve(packed, y, /*lower=*/false,
                                /*transposed=*/false, /*unit=*/false);
    }
    Value y = on.triangularSolve(packed, op.getB(), /*lower=*/false,
                                 /*transposed=*/true, /*unit=*/false);
    y = on.triangularSolve(packed, y, /*lower=*/true, /*transposed=*/true,
                           /*unit=*/true);
    return swapped(y, true);
  }

  Value cholesky(Blocks &on, Value a) {
    int64_t n = on.rows(a);
    if (n <= leaf)
      return CholeskyOp::create(on.b, on.loc, a);
    int64_t half = split(n);
    Value first = cholesky(on, on.slice(a, 0, half, 0, half));
    // L21 L11^T = A21
    Value below = on.slice(a, half, n, 0, half);
    Value solved = triangularSolve(on, first, on.transpose(below),
                                   /*lower=*/true, /*transposed=*/false,
                                   /*unit=*/false);
    below = on.transpose(solved);
    Value rest = on.minusProduct(on.slice(a, half, n, half, n), below, below,
                                 false, true);
    Value last = cholesky(on, rest);
    return on.above(on.padRight(first, n - half), on.beside(below, last));
  }

  /// A factor that is NaN at its end, as where a later block was not positive
  /// definite, is NaN in the whole lower triangle.
  static Value allOrNaN(Blocks &on, Value l) {
    int64_t n = on.rows(l);
    auto type = cast<RankedTensorType>(l.getType());
    Value end = on.slice(l, n - 1, n, n - 1, n);
    Value zeroOrNaN = SubOp::create(on.b, on.loc, end, end);
    Value scalar = ReshapeOp::create(
        on.b, on.loc, type.clone(type.getShape().drop_back(2)), zeroOrNaN);
    Value everywhere = BroadcastOp::create(
        on.b, on.loc, type, scalar,
        ArrayRef<int64_t>{type.getRank() - 2, type.getRank() - 1});
    Value sum = AddOp::create(on.b, on.loc, l, everywhere);
    return TriangleOp::create(on.b, on.loc, sum, true, 0);
  }

  Value triangularSolve(Blocks &on, TriangularSolveOp op, Value a, Value b) {
    return triangularSolve(on, a, b, op.getLower(), op.getTranspose(),
                           op.getUnitDiagonal());
  }

  Value triangularSolve(Blocks &on, Value a, Value b, bool lower,
                        bool transposed, bool unit) {
    int64_t n = on.rows(a), columns = on.columns(b);
    if (n <= leaf)
      return on.triangularSolve(a, b, lower, transposed, unit);
    int64_t half = split(n);
    auto solved = [&](int64_t begin, int64_t end, Value right) {
      return triangularSolve(on, on.slice(a, begin, end, begin, end), right,
                             lower, transposed, unit);
    };
    Value off =
        lower ? on.slice(a, half, n, 0, half) : on.slice(a, 0, half, half, n);
    Value first = on.slice(b, 0, half, 0, columns);
    Value last = on.slice(b, half, n, 0, columns);
    if (lower != transposed) {
      first = solved(0, half, first);
      last =
          solved(half, n, on.minusProduct(last, off, first, transposed, false));
    } else {
      last = solved(half, n, last);
      first =
          solved(0, half, on.minusProduct(first, off, last, transposed, false));
    }
    return on.above(first, last);
  }

  int64_t leaf = 0;
};

} // namespace
