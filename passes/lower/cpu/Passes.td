//===- Passes.td - linalg to LLVM on CPU passes ---------------------------===//

#ifndef CELLGRAD_LOWER_CPU_PASSES_TD
#define CELLGRAD_LOWER_CPU_PASSES_TD

include "mlir/Pass/PassBase.td"

//===-- On tensors --------------------------------------------------------===//

def FuseLinalg : Pass<"cell-fuse-linalg", "::mlir::func::FuncOp"> {
  let summary = "Merge elementwise linalg ops, and fold views into indexing maps";
  let description = [{
    Works block by block on `linalg` over tensors. Every linalg op becomes a
    `linalg.generic`; pure transposes, broadcasts, splat constants and fills are
    folded into the maps and bodies of their users (contractions included);
    elementwise ops over one iteration space are merged into one
    `linalg.generic`, with one result for each value that is still needed
    outside; elementwise producers are merged into the body of a reduction. An
    op whose users cannot all be merged is recomputed when it is cheap (few ops
    that OpCost.cpp lists as cheap) and computed once and stored when it is not
    (divisions, functions, loads).
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let options = [
    Option<"recomputeLimit", "recompute-limit", "unsigned", "4",
           "largest body, in arithmetic ops, that is recomputed in each user">,
  ];
}

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

def SeparateInits : Pass<"cell-separate-inits", "::mlir::func::FuncOp"> {
  let summary = "Give every linalg op an initial value of its own";
  let description = [{
    CSE makes one `tensor.empty` or `linalg.fill` of several. Ops that write over a shared one
    would be in conflict, and one of them would have to be copied.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

def InsertPolls : Pass<"cell-insert-polls", "::mlir::func::FuncOp"> {
  let summary = "Insert the places at which a caller can cancel a call";
  let description = [{
    Every trip of an `scf.while` begins with a `cell.poll`, and every print is followed by one.
    So do trips of an `scf.for` that may take long (of unknown length, or of many operations),
    except where donated arguments would have to be updated in large copies for that, and
    except loops that are a part of one op of the program (`cell.loop_of_op`).
  }];
  let options = [
    Option<"minWork", "min-work", "uint64_t", "1 << 24",
           "scalar operations that a loop must make for a poll">,
    Option<"maxCopy", "max-copy", "uint64_t", "1 << 26",
           "bytes of donated arguments that may be copied for a poll">,
  ];
}

def PlaceResults : Pass<"cell-place-results", "::mlir::func::FuncOp"> {
  let summary = "Compute results and temporaries straight in their final buffers";
  let description = [{
    Makes the op that produces a result write into the result's buffer; for a
    donated argument it also moves that op below every other read of the
    argument's old value, so that bufferisation needs neither an allocation nor
    a copy. Where the order cannot be found (a later value needs the old one),
    or where two donated arguments would overwrite each other, the result is
    computed apart and copied. So is what an op that may fail (`cell.check`,
    `cell.poll`, stashes) or one before it computes: a call that fails leaves
    donated arguments as they were. Elementwise ops reuse the buffer of an operand
    that they are the last to read.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::tensor::TensorDialect"];
}

def CarryBuffers : Pass<"cell-carry-buffers", "::mlir::func::FuncOp"> {
  let summary = "Carry tensors through loops, and out of branches, in buffers of their own";
  let description = [{
    Every tensor that an `scf.for` or `scf.while` carries gets a buffer: its initial value is stored
    there before the loop, each trip reads it there, and stores there what the next trip starts from.
    What an `scf.if` gives is stored by both branches. Afterwards no loop and no branch has a tensor
    among its operands and results, so that bufferisation has nothing to decide that it could fail
    at. Stores that are not needed are removed on memrefs, by `cell-coalesce-buffers`.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect",
                           "::mlir::memref::MemRefDialect"];
}

//===-- On buffers --------------------------------------------------------===//


def CoalesceBuffers : Pass<"cell-coalesce-buffers", "::mlir::func::FuncOp"> {
  let summary = "Merge two buffers if that saves a copy between them";
  let description = [{
    Two buffers that a `memref.copy` connects become one where they do not interfere: nowhere is one
    of them written while the contents of the other may still be read. What may be read is found by
    a backward liveness analysis over the two buffers' uses, through loops and branches. An elementwise
    op may read one and write the other at the same positions. Temporaries are merged with each other
    and with the memory of results and donated arguments; copies in inner loops come first.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def OutlineKernels : Pass<"cell-outline-kernels", "::mlir::ModuleOp"> {
  let summary = "Outline equal linalg ops on memrefs into one private function";
  let description = [{
    Linalg ops with equal attributes, bodies, shapes and strides become calls of one function,
    so that code is generated once for them; a zero fill of a product's result goes with it. Offsets are arguments of
    the function. Ops whose code is short stay where they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def EmitGemm : Pass<"cell-emit-gemm", "::mlir::func::FuncOp"> {
  let summary = "Emit matrix products as blocked, register-tiled vector loops";
  let description = [{
    Recognises contractions on memrefs (any batch, row, column and reduction
    dimensions with constant strides) and emits the loop nest that
    `GemmPlan.h` chooses for them: register tile, cache blocks, packing.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
  let options = [
    Option<"vectorWidth", "vector-width", "unsigned", "512",
           "width of a vector register in bits (128, 256 or 512)">,
    Option<"fma", "fma", "bool", "true",
           "the target multiplies and adds in one instruction">,
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
    in a fixed tree.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
  let options = [
    Option<"vectorWidth", "vector-width", "unsigned", "512",
           "width of a vector register in bits (128, 256 or 512)">,
    Option<"printPlan", "print-plan", "bool", "false",
           "report the plan of each nest as a remark">,
  ];
}

def PlanMemory : Pass<"cell-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Place all temporaries in one arena, an argument of the function";
  let description = [{
    Replaces every `memref.alloc` and `memref.alloca` by a view into a byte
    buffer that becomes the function's last argument. Buffers whose live ranges
    do not overlap share memory, in loops and branches as well: what is made in
    the body of a loop and stays in one trip takes what it would take outside.
    Each starts on a 64-byte boundary. The arena's size is recorded in
    `cell.arena_bytes`. The arena of a private function lies in that of its
    callers, for the time of the call.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"poison", "poison", "bool", "false",
           "fill temporaries with NaN where their live range begins and after it ends: "
           "a mistake of this pass changes results">,
  ];
}

def SeparateTemporaries : Pass<"cell-separate-temporaries", "::mlir::ModuleOp"> {
  let summary = "Give every temporary memory of its own";
  let description = [{
    Stands for `cell-plan-memory` where memory accesses are checked: each
    temporary is allocated when its function begins, with just its bytes, and
    freed when it returns, so that what is beyond it is nobody's. The arena has
    no bytes.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
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
