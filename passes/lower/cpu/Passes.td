//===- Passes.td - linalg to LLVM on CPU passes ---------------*- tablegen -*-===//

#ifndef CELLGRAD_LOWER_CPU_PASSES_TD
#define CELLGRAD_LOWER_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

//===-- On tensors ----------------------------------------------------------===//


def ConvertEntryPoints : Pass<"cell-convert-entry-points", "::mlir::ModuleOp"> {
  let summary = "Turn tensor arguments and results of public functions into memrefs";
  let description = [{
    A public function takes one memref per argument, then one per result that is
    not donated, and returns nothing. Results are written with
    `bufferization.materialize_in_destination` into their own memref or, when an
    argument is donated to them (`cell.donate = k`), into that argument. The
    signature, as it was on tensors, is recorded in `cell.signature`.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}


//===-- On buffers ----------------------------------------------------------===//


def EmitLoops : Pass<"cell-emit-loops", "::mlir::func::FuncOp"> {
  let summary = "Emit linalg ops and copies on memrefs as vector loops";
  let description = [{
    Every remaining `linalg` op and `memref.copy` becomes a nest of `scf.for`
    over flat, constant-stride accesses. Contiguous dimensions are collapsed into
    one. The dimension in which most operands are contiguous is vectorised; its
    tail is masked vector code, so that an element's value does not depend on
    its position. Reductions keep several vector accumulators and combine them
    in a fixed tree.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
  let options = [
    Option<"vectorWidth", "vector-width", "unsigned", "512",
           "width of a vector register in bits (128, 256 or 512)">,
  ];
}

def PlanMemory : Pass<"cell-plan-memory", "::mlir::func::FuncOp"> {
  let summary = "Lay all temporaries out in one arena argument";
  let description = [{
    Replaces every `memref.alloc` and `memref.alloca` by a view into a byte
    buffer that becomes the function's last argument. Buffers whose live ranges
    do not overlap share memory. Each starts on a 64-byte boundary. The arena's
    size is recorded in `cell.arena_bytes`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def ConvertToLLVM : Pass<"cell-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert loops, vectors and memrefs to the LLVM dialect";
  let description = [{
    Functions take bare pointers and return an `i32` status, 0 on success.
    Outputs and the arena are `noalias`.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::affine::AffineDialect", "::mlir::vector::VectorDialect",
                           "::mlir::index::IndexDialect"];
}

#endif
