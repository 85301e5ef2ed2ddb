//===- CheckOps.td - what must hold when the graph runs -------------------===//

#ifndef CELLGRAD_CHECKOPS_TD
#define CELLGRAD_CHECKOPS_TD

include "dialect/CellBase.td"

def Cell_CheckOp : Cell_Op<"check", [MemoryEffects<[MemWrite]>]> {
  let summary = "Ends the call with an error if an element of ok is false";
  let description = [{
    The entry returns a status of its own, which cg_<model>_status_message() explains
    with `message` and the line of the program. Donated arguments are as they were,
    results undefined. On a batch all elements must hold.

    ```mlir
    cell.check %ok "index out of range" : tensor<4xi1>
    ```
  }];
  // A single truth value takes the place of the tensor on the way to code.
  let arguments = (ins AnyTypeOf<[Cell_BoolTensor, I1]>:$ok, StrAttr:$message);
  let assemblyFormat = "$ok $message attr-dict `:` type($ok)";
  let derivative = ZeroDerivative<"a check has no result">;
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
}

//===----------------------------------------------------------------------===//
// On the way to code: other ways in which a call ends
//===----------------------------------------------------------------------===//

def Cell_PollOp : Op<Cell_Dialect, "poll", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Ends the call if its caller has cancelled it";
  let description = [{
    `trip` also counts a trip of a loop, and ends the call at the limit of the context.
  }];
  let arguments = (ins UnitAttr:$trip);
  let assemblyFormat = "(`trip` $trip^)? attr-dict";
}

def Cell_EndOp : Op<Cell_Dialect, "end", [MemoryEffects<[MemWrite]>]> {
  let summary = "Ends the call with a status if ok is false";
  let arguments = (ins I1:$ok, I32:$status);
  let assemblyFormat = "$ok `,` $status attr-dict";
}

#endif
