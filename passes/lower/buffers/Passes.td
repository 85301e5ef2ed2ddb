//===- Passes.td - passes on buffers that every target shares -------------===//

#ifndef CELLGRAD_LOWER_BUFFERS_PASSES_TD
#define CELLGRAD_LOWER_BUFFERS_PASSES_TD

include "mlir/Pass/PassBase.td"

def BucketCollectives : Pass<"cell-bucket-collectives", "::mlir::ModuleOp"> {
  let summary = "Make one collective of several reductions";
  let description = [{
    Reductions of a block with one operation and element type become one of at most `bucket-bytes`, where the last
    of them stands, if nothing before it needs what they give. One takes no more when it has 1 MiB, and an eighth of
    what the block reduces. What they send has neighbouring places in one
    buffer, and so has what they receive: nothing is copied, but small buffers of the caller.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"bucketBytes", "bucket-bytes", "int64_t", "26214400",
           "the most bytes that a rank gives in one of several reductions; 0: each by itself">,
  ];
}

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

def DropDeadBuffers : Pass<"cell-drop-dead-buffers", "::mlir::func::FuncOp"> {
  let summary = "Erase buffers that nothing reads, with what writes to them";
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

def PlanMemory : Pass<"cell-plan-memory", "::mlir::ModuleOp"> {
  let summary = "Place all temporaries in one arena, an argument of the function";
  let description = [{
    Replaces every `memref.alloc` and `memref.alloca` by a view into a byte
    buffer that becomes the function's last argument. Buffers whose live ranges
    do not overlap share memory, in loops and branches as well: what is made in
    the body of a loop and stays in one trip takes what it would take outside.
    Each starts at a multiple of the alignment. The arena's size is recorded in
    `cell.arena_bytes`. The arena of a private function lies in that of its
    callers, for the time of the call.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"alignment", "alignment", "int64_t", "64",
           "bytes at whose multiples temporaries start">,
    Option<"poison", "poison", "bool", "false",
           "fill temporaries with NaN where their live range begins and after it ends: "
           "a mistake of this pass changes results">,
    Option<"report", "report", "bool", "false",
           "note in `cell.memory` of entries what is in memory when most is">,
  ];
}

def ScheduleCollectives : Pass<"cell-schedule-collectives", "::mlir::ModuleOp"> {
  let summary = "Let collectives go on while the model computes";
  let description = [{
    A start moves up to the last op that writes what it sends, or touches where it receives; a wait moves
    down to the first op that touches what is received, or writes to what is sent. Both stay in their
    block. Starts keep their order. Waits come before anything at which the call may end, and before
    anything that writes to a donated argument. A collective whose wait does not follow at once gets a
    request of its own, `slot`.
  }];
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

#endif
