//===- Passes.td - passes on tensors that every target shares -------------===//

#ifndef CELLGRAD_LOWER_TENSORS_PASSES_TD
#define CELLGRAD_LOWER_TENSORS_PASSES_TD

include "mlir/Pass/PassBase.td"

def CellToLinalg : Pass<"cell-to-linalg", "::mlir::ModuleOp"> {
  let summary = "Lower the ops of the cell dialect to linalg on tensors";
  let description = [{
    Elementwise ops become `linalg.generic` with the payload of their record, contractions
    `linalg.matmul` and `linalg.batch_matmul` whose indexing maps say which operand is
    transposed, reductions `linalg.reduce`, shape ops `tensor` and `linalg` ops. No op of the cell
    dialect is left but those with the trait `Sequential`, which each target lowers in its own way
    (`cell-sequential-to-loops`), and those that act at run time (`cell.print`, `cell.check` of one truth value, `cell.barrier`, stashes that
    grow). Loops that ops become are marked `cell.loop_of_op`. The module must be free of `cell.vjp`
    and `cell.jvp`.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::cellgrad::special::SpecialDialect"
  ];
}

def CheckCollectives : Pass<"cell-check-collectives", "::mlir::func::FuncOp"> {
  let summary = "Refuse collectives that not all ranks may come to";
  let description = [{
    A collective in a branch or a loop needs a condition, or a number of trips, that is the same on
    all ranks; otherwise those that come to it wait forever. The same on all ranks are constants,
    arguments that are no inputs (Parameters and states, which begin equal and change equally), the
    number of ranks, what an all_reduce, an all_gather or a broadcast gives, and what is computed from
    these alone. Inputs, `cell.rank`, and what differs by rank are not. To be run when calls are
    inlined, so that a function's arguments are those of an entry.

    Also refused: collectives in a program for any batch, whose tiles need not be as many on all
    ranks.
  }];
}

def DecomposePass : Pass<"cell-decompose", "::mlir::ModuleOp"> {
  let summary = "Turn solves into factorizations, and factorize large matrices in blocks";
  let description = [{
    `cell.solve` becomes `cell.lu` and two triangular solves; equal factorizations are then
    left to common subexpression elimination. A `cell.cholesky` or `cell.triangular_solve`
    of more rows than a block is halved until its parts have no more (or a twelfth of all),
    so that most of the work is in matrix products.
  }];
  let options = [
    Option<"blockSize", "block-size", "int64_t", "64",
           "rows of a matrix that is not divided further">,
  ];
  let dependentDialects = ["::cellgrad::CellDialect"];
}

def LowerUnsignedPass : Pass<"cell-lower-unsigned", "::mlir::ModuleOp"> {
  let summary = "Turn unsigned integers into signless ones, which are signed";
  let description = [{
    Most ops mean the same for both. What depends on an order sees elements with their upper bit
    inverted, which are ordered as signed numbers; casts, quotients and remainders are written out.
    `cell.dtype` keeps the type of arguments and results, `cell.unsigned` which operands of a
    `cell.print` were unsigned. An op without a case here is an error.
  }];
  let dependentDialects = ["::cellgrad::CellDialect"];
}

def LowerStashPass : Pass<"cell-lower-stash", "::mlir::ModuleOp"> {
  let summary = "Turn stashes of known capacity into tensors";
  let description = [{
    A stash whose loop has a known number of trips becomes a tensor with a leading
    dimension for the trips, which the loop carries and bufferisation changes in place: it
    lives in the arena. Others stay, and grow at run time. Additions to an element become a read, a
    sum and a write in both.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
  ];
}

def SumBehindLoopsPass : Pass<"cell-sum-behind-loops", "::mlir::func::FuncOp"> {
  let summary = "Multiply behind a loop what its trips multiply and add up";
  let description = [{
    ```mlir
    %r = scf.for %i = ... iter_args(%s = %sum) {
      %p = cell.matmul %a, %b {transpose_a = true} : (tensor<4x8xf32>, tensor<4x9xf32>) -> tensor<8x9xf32>
      yield cell.add %s, %p
    }
    // becomes, for 10 trips
    %r:2 = scf.for %i = ... iter_args(%as = %empty, %bs = %empty) {
      yield insert %a into %as[%i], insert %b into %bs[%i]
    }
    %p = cell.matmul (%r#0 as tensor<40x8xf32>), (%r#1 as tensor<40x9xf32>) {transpose_a = true}
    %s = cell.add %sum, %p
    ```

    So is the gradient of a weight of a recurrent layer. Where the number of trips is known, the operands of
    a trip are at most half of the sum, and all that is kept is no more than what the trips read of
    tensors with a slice for each, as stashes are.
  }];
  let dependentDialects = [
    "::cellgrad::CellDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"
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

def NameOps : Pass<"cell-name-ops"> {
  let summary = "Make the names of the dialect's ops a part of their locations";
  let description = [{
    Lowered code keeps locations, not ops: profiles and reports of memory find in them which op of the
    program a kernel or a buffer comes from.
  }];
}

def SeparateInits : Pass<"cell-separate-inits", "::mlir::func::FuncOp"> {
  let summary = "Give every linalg op an initial value of its own";
  let description = [{
    CSE makes one `tensor.empty` or `linalg.fill` of several. Ops that write over a shared one
    would be in conflict, and one of them would have to be copied. So it is with what rows are inserted into, as many as
    there are when the code runs. One that was made before a branch is made in the branch, where it is known that it is
    needed; a fill of an unknown number of rows at the op, which does without it.
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
  let dependentDialects = ["::cellgrad::CellDialect"];
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

def PlaceTiles : Pass<"cell-place-tiles", "::mlir::func::FuncOp"> {
  let summary = "Compute tiles of an open batch in their places";
  let description = [{
    An op that starts from a `tensor.empty`, and whose result a loop over tiles of an open batch inserts into
    what it carries, starts from that part of it: so bufferisation writes there at once. So does a product of as
    many rows as there are when the code runs. Elsewhere nothing is
    changed: what is updated in place is so after all that may fail.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
}

#endif
