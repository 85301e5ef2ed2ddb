//===- Passes.td - buffers to LLVM on CPU passes --------------------------===//

#ifndef CELLGRAD_LOWER_CPU_PASSES_TD
#define CELLGRAD_LOWER_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

def AccumulateProducts : Pass<"cell-accumulate-products", "::mlir::func::FuncOp"> {
  let summary = "Add products where their sum is, without a temporary";
  let description = [{
    A product into a temporary that one op adds to a buffer, element by element, becomes a product that adds to
    that buffer, if nothing between the two touches it. Of one product the bits stay the same; several that
    are added together are added one after the other then.
  }];
  let options = [
    Option<"target", "target", "::cellgrad::TargetName",
           "::cellgrad::TargetName()", "the machine to plan for (Target.h)">,
  ];
}

def FormEpilogues : Pass<"cell-form-epilogues", "::mlir::func::FuncOp"> {
  let summary = "Mark elementwise ops that run on tiles of the product before them";
  let description = [{
    An elementwise op that reads the result of a product element by element gets the attribute
    `cell.epilogue`, and the product moves down to it: `cell-emit-gemm` runs the op on each tile as soon as
    the tile is complete. Only where nothing between the two, none of the memory they share and no partial
    sum of the product forbids it, and where fewer bytes go through memory.
  }];
  let options = [
    Option<"target", "target", "::cellgrad::TargetName",
           "::cellgrad::TargetName()", "the machine to plan for (Target.h)">,
    Option<"fewestBytes", "fewest-bytes", "int64_t", "16384",
           "smallest result of a product that has an epilogue; 1 to form all that may be">,
  ];
}

def EmitGemm : Pass<"cell-emit-gemm", "::mlir::func::FuncOp"> {
  let summary = "Emit matrix products as blocked, register-tiled vector loops";
  let description = [{
    Recognises contractions on memrefs (any batch, row, column and reduction
    dimensions with constant strides) and emits the loop nest that
    `GemmPlan.h` chooses for them: register tile, cache blocks, packing. An op marked `cell.epilogue` runs on
    each register tile when that is complete.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
  let options = [
    Option<"target", "target", "::cellgrad::TargetName",
           "::cellgrad::TargetName()", "the machine to plan for (Target.h)">,
    Option<"fewestNanoseconds", "fewest-nanoseconds", "int64_t", "20000",
           "shortest time of a loop over items; 0 to form loops of any time">,
    Option<"printPlan", "print-plan", "bool", "false",
           "report the plan of each product as a remark">,
  ];
}

def EmitLoops : Pass<"cell-emit-loops", "::mlir::func::FuncOp"> {
  let summary = "Emit linalg ops and copies on memrefs as vector loops";
  let description = [{
    Every remaining `linalg` op and `memref.copy` becomes a nest of `scf.for`
    over flat, constant-stride accesses. Contiguous dimensions are collapsed into
    one. The dimension in which most operands are contiguous is vectorised; its
    tail is masked vector code, so that an element's value does not depend on
    its position. Reductions keep several vector accumulators and combine them
    in a fixed tree. The steps of a long nest's outermost loop are items: what a
    worker has written lies in its cache, and to fill or copy it elsewhere costs
    more than to do so twice.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
  let options = [
    Option<"target", "target", "::cellgrad::TargetName",
           "::cellgrad::TargetName()", "the machine to plan for (Target.h)">,
    Option<"fewestNanoseconds", "fewest-nanoseconds", "int64_t", "20000",
           "shortest time of a loop over items; 0 to form loops of any time">,
    Option<"printPlan", "print-plan", "bool", "false",
           "report the plan of each nest as a remark">,
  ];
}

def ConvertToLLVM : Pass<"cell-convert-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert loops, vectors and memrefs to the LLVM dialect";
  let description = [{
    Functions take bare pointers and return an `i32` status, 0 on success.
    Outputs and the arena are `noalias`. Arithmetic of half precision that the target does not
    have is done in f32, and rounded after every op.
  }];
  let options = [
    Option<"target", "target", "::cellgrad::TargetName",
           "::cellgrad::TargetName()", "the machine to plan for (Target.h)">,
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::affine::AffineDialect", "::mlir::vector::VectorDialect",
                           "::mlir::index::IndexDialect"];
}

def InsertProbes : Pass<"cell-insert-probes", "::mlir::ModuleOp"> {
  let summary = "Put calls around kernels that tell the caller when they run";
  let description = [{
    Around each kernel of an entry stand `llvm.call @cell_probe(number, 1)` and `(number, 0)`.
    The entry's attribute `cell.kernels` has, by number, what each kernel does: its bytes through
    memory, arithmetic operations, estimated nanoseconds, and the ops of the program it comes from.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def OutlineItems : Pass<"cell-outline-items", "::mlir::ModuleOp"> {
  let summary = "Make functions of ranges of items of long loops over items";
  let description = [{
    An `scf.forall` of an entry that takes at least so long, by its attribute
    `cell.nanoseconds`, becomes a private function of its operands, the first
    item, the last and the worker, called over all items. Other loops over items
    become `scf.for`.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"fewestNanoseconds", "fewest-nanoseconds", "int64_t", "20000",
           "shortest time that is shared">,
  ];
}

def OutlineLoops : Pass<"cell-outline-loops", "::mlir::ModuleOp"> {
  let summary = "Outline equal loops on buffers into one private function";
  let description = [{
    Loops with the same code, on buffers of the same shapes and strides, become calls of one function, so
    that code is generated once for them; ops that combine and store the results of a loop go along. Offsets of
    buffers are arguments where they differ. Loops that print, check, call or allocate stay where they are, and so
    do loops inside of kernels.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
                           "::mlir::memref::MemRefDialect"];
}

def LaunchKernels : Pass<"cell-launch-kernels", "::mlir::ModuleOp"> {
  let summary = "Run kernels on the threads that the caller lends";
  let description = [{
    Calls of functions with `cell.kernel`, in the LLVM dialect, become calls of
    the runtime with a task of `(frame, begin, end, worker)`.
  }];
  let options = [
    Option<"target", "target", "::cellgrad::TargetName",
           "::cellgrad::TargetName()", "the machine that runs them (Target.h)">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif
