//===- GemmEmitter.h - code for one matrix product ------------------------===//

#ifndef CELLGRAD_LOWER_CPU_GEMMEMITTER_H
#define CELLGRAD_LOWER_CPU_GEMMEMITTER_H

#include "passes/lower/cpu/EpilogueEmitter.h"
#include "passes/lower/cpu/GemmPlan.h"

namespace cellgrad {

/// A matrix in memory: element (i, j) is `at + i * row + j * column`.
struct GemmMatrix {
  mlir::Value flat;
  FlatIndex at;
  int64_t row, column;
};

/// One product C (+)= A * B with C contiguous along its rows.
struct GemmProblem {
  GemmShape shape;
  GemmMatrix a, b, c;
  /// How much of k there is when the code runs, at least 1; null for all of it.
  mlir::Value depth;
  /// How many rows there are when the code runs, at least 1 and at most
  /// `mostRows`; the shape has what the plan is made for. Null for those of the
  /// shape.
  mlir::Value rows;
  int64_t mostRows = 0;
  bool fewRows = false; ///< there may be so few that each tile counts
  mlir::Type element;
  /// True when C is added to; false when its old content is ignored.
  bool accumulate;
  /// True when a multiply-add is one instruction of the target.
  bool useFma;
  /// True when blocks of it are items; false inside of one.
  bool inItems = false;
  /// Shorter loops are not over items.
  double fewestNanoseconds = 0;
  /// What runs on each tile of C that is complete, or null.
  EpilogueEmitter *epilogue = nullptr;
  double epilogueNanoseconds = 0;
  /// False when only the epilogue reads C, tile by tile: it is not written.
  bool keepsC = true;
};

/// Memory for packed panels of A and B, null where nothing is packed.
struct GemmBuffers {
  mlir::Value a, b;
};

/// Allocates the packing buffers of a plan.
GemmBuffers allocateGemmBuffers(mlir::OpBuilder &b, mlir::Location loc,
                                const GemmShape &shape, const GemmPlan &plan,
                                mlir::Type element);

/// Emits the loop nest of `plan` at the builder's insertion point.
void emitGemm(mlir::OpBuilder &b, mlir::Location loc,
              const GemmProblem &problem, const GemmPlan &plan,
              const GemmBuffers &buffers);

} // namespace cellgrad

#endif
