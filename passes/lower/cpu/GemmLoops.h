//===- GemmLoops.h - the loops of one matrix product ----------------------===//
//
// What GemmEmitter.cpp and GemmPacking.cpp share.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_LOWER_CPU_GEMMLOOPS_H
#define CELLGRAD_LOWER_CPU_GEMMLOOPS_H

#include "passes/lower/buffers/SumLoop.h"
#include "passes/lower/cpu/GemmEmitter.h"

namespace cellgrad {

/// A size that is known now or, as a value, when the code runs.
struct Extent {
  int64_t known = 0;
  mlir::Value value;
};

/// Some columns: panels of so many vectors, the last with `active` lanes.
struct ColumnBlock {
  FlatIndex column;
  Extent panels;
  int64_t vectors, active;
};

/// Where results go: C, or a partial sum of it.
struct Destination {
  GemmMatrix c;
  /// True when it is added to; false when the first block of k is stored.
  bool accumulate;
};

class GemmEmitter {
public:
  GemmEmitter(mlir::OpBuilder &b, mlir::Location loc,
              const GemmProblem &problem, const GemmPlan &plan,
              const GemmBuffers &buffers)
      : b(b), loc(loc), mem(b, loc), problem(problem), shape(problem.shape),
        plan(plan), buffers(buffers),
        vectorType(mlir::VectorType::get(plan.lanes, problem.element)) {}

  void emit();

private:
  // Loops.
  using LoopBody = llvm::function_ref<void(FlatIndex)>;
  void loop(Extent size, int64_t step, LoopBody body);
  void items(Extent count, double nanoseconds, LoopBody body);
  Extent blockSize(int64_t total, int64_t block, FlatIndex start);
  Extent sizeOfDepth(FlatIndex depth);
  Extent allRows() {
    return problem.rows ? Extent{0, problem.rows} : Extent{shape.m, {}};
  }
  int64_t mostRows() { return problem.rows ? problem.mostRows : shape.m; }
  Extent divide(Extent size, int64_t by);
  FlatIndex partBegin(FlatIndex part, int64_t total, int64_t parts);
  Extent partSize(FlatIndex part, int64_t total, int64_t parts);
  void inLast(FlatIndex part, int64_t parts, llvm::function_ref<void()> body);
  void allocateOwnB();
  void emitColumnItems();
  void emitRowItems();
  void emitAllColumns();
  void emitColumns(FlatIndex column, Extent panels, int64_t vectors,
                   int64_t active);
  void emitDepthBlock(const ColumnBlock &block, FlatIndex depth,
                      const Destination &target);
  void emitOpenRows(const ColumnBlock &block, const GemmMatrix &panelsOfB,
                    int64_t panelOfB, FlatIndex depth, Extent depthSize,
                    const Destination &target);

  void emitDepthItems(const ColumnBlock &block, SumBlocks blocks,
                      llvm::SmallVectorImpl<Destination> &targets,
                      const SumHooks &hooks);

  // Partial sums of C.
  void forEachVector(
      const ColumnBlock &block,
      llvm::function_ref<void(FlatIndex row, FlatIndex column, int64_t active)>
          body);
  void fillZero(const ColumnBlock &block, const GemmMatrix &c);
  void addTo(const ColumnBlock &block, const GemmMatrix &partial,
             const GemmMatrix &c);

  // Packing.
  void packWholeA();
  void packA(mlir::Value packed, FlatIndex at, FlatIndex row, Extent panels,
             FlatIndex depth, Extent depthSize);
  void packB(FlatIndex column, Extent panels, int64_t vectors, int64_t active,
             FlatIndex depth, Extent depthSize);
  void packBTransposed(FlatIndex column, Extent panels, int64_t vectors,
                       int64_t active, FlatIndex depth, Extent depthSize);
  void packSquare(const GemmMatrix &from, int64_t used, int64_t count,
                  const GemmMatrix &to, int64_t stored);
  void packInterleaved(const GemmMatrix &from, int64_t count,
                       const GemmMatrix &to);
  void forEachSquare(Extent depthSize,
                     llvm::function_ref<void(FlatIndex p, int64_t count)> body);

  /// About how long it takes to pack panels of B.
  double packingTime(Extent panels, int64_t width) {
    double elements =
        double(panels.value ? plan.columnBlock : panels.known * width) *
        plan.depthBlock;
    return elements * shape.elementBits / 8 * 2 / 10;
  }

  // The register tile.
  void askFor(mlir::Value matrix, FlatIndex at, int64_t vectors, bool isWrite);
  void emitTile(int64_t rows, int64_t vectors, int64_t active, GemmMatrix a,
                GemmMatrix bPanel, Destination target, FlatIndex depth,
                Extent depthSize);
  void emitEpilogue(const ColumnBlock &block, FlatIndex row, Extent rows,
                    const GemmMatrix &finished, FlatIndex depth);
  llvm::SmallVector<mlir::Value>
  tileStep(int64_t rows, int64_t vectors, int64_t active, const GemmMatrix &a,
           const GemmMatrix &bPanel, FlatIndex k,
           llvm::ArrayRef<mlir::Value> accumulators);

  GemmMatrix moved(GemmMatrix matrix, FlatIndex row, FlatIndex column) {
    matrix.at = mem.advance(matrix.at, row, matrix.row);
    matrix.at = mem.advance(matrix.at, column, matrix.column);
    return matrix;
  }
  mlir::Value valueOf(Extent extent) {
    return extent.value ? extent.value : mem.constant(extent.known);
  }
  FlatIndex known(int64_t value) { return {mlir::Value(), value}; }
  /// The lanes of a vector of the register tile: of the last, which has
  /// `active` ones, the next power of two. Some processors take twice as long
  /// for 512 bits as for 256.
  int64_t lanesOf(int64_t vector, int64_t vectors, int64_t active) const {
    if (vector + 1 < vectors)
      return plan.lanes;
    return std::min<int64_t>(plan.lanes,
                             std::max<int64_t>(4, llvm::PowerOf2Ceil(active)));
  }
  mlir::Value zero() { return mem.constant(b.getZeroAttr(vectorType)); }

  mlir::OpBuilder &b;
  mlir::Location loc;
  FlatMemory mem;
  const GemmProblem &problem;
  const GemmShape &shape;
  const GemmPlan &plan;
  GemmBuffers buffers;
  mlir::VectorType vectorType;
  bool isInItem = false; ///< what is emitted now is part of an item
  /// The block of rows that is emitted now, for all of the sum.
  std::optional<FlatIndex> rowItem;
};

} // namespace cellgrad

#endif
