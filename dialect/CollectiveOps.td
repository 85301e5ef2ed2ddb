//===- CollectiveOps.td - what several ranks compute together -------------===//
//
// Ranks are processes that run the same program. Few files need these ops: their classes are
// in dialect/CollectiveOps.h, and the others are compiled without them.
//
//===----------------------------------------------------------------------===//

#ifndef CELLGRAD_COLLECTIVEOPS_TD
#define CELLGRAD_COLLECTIVEOPS_TD

include "dialect/CellBase.td"

/// Several ranks take part: never merged, removed, repeated or put in another order.
///
/// `group` names those that take part, by their numbers, in the order in which parts of them lie;
/// without it all do.
def Collective : NativeOpTrait<"Collective"> {
  let cppNamespace = "::cellgrad";
}

def Cell_CollectiveTensor : Cell_TensorOf<!listconcat(CellFloats, [I8, I16, I32, I64])>;

defvar Cell_Group = OptionalAttr<DenseI64ArrayAttr>;

class Cell_CollectiveOp<string mnemonic, list<Trait> traits = []>
    : Cell_Op<mnemonic, !listconcat([
        Collective, MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let results = (outs Cell_CollectiveTensor:$result);
  let derivative = Custom<[]>;
}

def Cell_AllReduceOp : Cell_CollectiveOp<"all_reduce", [SameOperandsAndResultType]> {
  let summary = "Each element combined over all ranks, on all";
  let description = [{
    `combine` is "sum", "prod", "min" or "max". With `ordered`, ranks are combined as a
    balanced binary tree, whatever the library of the communicator does.

    Runs on any number of ranks. The derivative of "prod" has the product of what the others
    give, made of parts of all ranks, so that zeros are like other numbers: it needs to know
    how many there are, from `ranks` or `group`, and fails on another number.

    ```mlir
    %y = cell.all_reduce %x "sum" : tensor<4xf32>
    %z = cell.all_reduce %x "sum" group [0, 2] : tensor<4xf32>
    %p = cell.all_reduce %x "prod" ranks 2 : tensor<4xf32>
    ```
  }];
  let arguments = (ins Cell_CollectiveTensor:$x, StrAttr:$combine,
                       DefaultValuedAttr<BoolAttr, "false">:$ordered, Cell_Group:$group,
                       OptionalAttr<I64Attr>:$ranks);
  let assemblyFormat = [{
    $x $combine (`ranks` $ranks^)? (`group` $group^)? attr-dict `:` type($x)
  }];
  let derivative = Custom<["x", "result"]>;
  let subgradient = "of min and max: equal parts to all elements that attain it";
  let batch = BatchAlike<[]>;
  let hasVerifier = 1;
}

class Cell_RegroupingOp<string mnemonic, list<Trait> traits = []>
    : Cell_CollectiveOp<mnemonic, traits> {
  let assemblyFormat = [{
    $x `ranks` $ranks (`group` $group^)? attr-dict `:` type($x) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Cell_AllGatherOp : Cell_RegroupingOp<"all_gather"> {
  let summary = "x of all ranks, one behind the other along dimension 0, on all";
  let description = [{
    Fails where the program does not run on `ranks` ranks, which sizes are made for.

    ```mlir
    %y = cell.all_gather %x ranks 2 : tensor<3x4xf32> -> tensor<6x4xf32>
    ```
  }];
  let arguments = (ins Cell_CollectiveTensor:$x, I64Attr:$ranks, Cell_Group:$group);
}

def Cell_ReduceScatterOp : Cell_RegroupingOp<"reduce_scatter"> {
  let summary = "Combines x over all ranks; rank i gets the i-th part along dimension 0";
  let arguments = (ins Cell_CollectiveTensor:$x, StrAttr:$combine, I64Attr:$ranks,
                       Cell_Group:$group);
  let assemblyFormat = [{
    $x $combine `ranks` $ranks (`group` $group^)? attr-dict `:` type($x) `->` type($result)
  }];
  let derivative = Custom<["x", "result"]>;
  let subgradient = "of min and max: equal parts to all elements that attain it";
}

def Cell_AllToAllOp : Cell_RegroupingOp<"all_to_all", [SameOperandsAndResultType]> {
  let summary = "Part i of x along dimension 0 goes to rank i; parts come in order of ranks";
  let arguments = (ins Cell_CollectiveTensor:$x, I64Attr:$ranks, Cell_Group:$group);
  let assemblyFormat = "$x `ranks` $ranks (`group` $group^)? attr-dict `:` type($x)";
}

def Cell_BroadcastFromOp : Cell_CollectiveOp<"broadcast_from", [SameOperandsAndResultType]> {
  let summary = "x of rank root, on all";
  let arguments = (ins Cell_CollectiveTensor:$x, I64Attr:$root, Cell_Group:$group);
  let assemblyFormat = "$x `root` $root (`group` $group^)? attr-dict `:` type($x)";
  let batch = BatchAlike<[]>;
  let hasVerifier = 1;
}

def Cell_MeetOp : Cell_Op<"meet", [Collective, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits until all ranks are here";
  let arguments = (ins Cell_Group:$group);
  let assemblyFormat = "(`group` $group^)? attr-dict";
  let hasVerifier = 1;
  let derivative = ZeroDerivative<"waiting has no result">;
}

//===----------------------------------------------------------------------===//
// Messages: of two ranks alone
//===----------------------------------------------------------------------===//

/// Each is linear in its operand, and the adjoint of the other on the other rank. So an operand
/// and a result are there where no number needs them: derivatives pass by them.
class Cell_MessageOp<string mnemonic>
    : Cell_CollectiveOp<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins Cell_CollectiveTensor:$x, I64Attr:$peer, I64Attr:$tag);
  let batch = BatchAlike<[]>;
  let hasVerifier = 1;
}

def Cell_SendOp : Cell_MessageOp<"send"> {
  let summary = "Sends x to rank `peer`, which receives it by the same tag; gives zeros";
  let description = [{
    Does not wait for the receiver. Messages from one rank to another with one tag come in
    their order.

    The cotangent of x is a message back, which is received where the zeros influence what is
    differentiated:

    ```mlir
    %zeros = cell.send %x to 1 tag 5 : tensor<4xf32>
    %y = cell.add %loss, %zeros : tensor<4xf32>
    ```
  }];
  let derivative = Custom<["result"]>;
  let assemblyFormat = "$x `to` $peer `tag` $tag attr-dict `:` type($x)";
}

def Cell_ReceiveOp : Cell_MessageOp<"receive"> {
  let summary = "What rank `peer` sends by the same tag; of x, the type";
  let description = [{
    The cotangent of the result is sent back where x is a value that is differentiated.

    ```mlir
    %y = cell.receive %x from 0 tag 5 : tensor<4xf32>
    ```
  }];
  let assemblyFormat = "$x `from` $peer `tag` $tag attr-dict `:` type($x)";
}

//===----------------------------------------------------------------------===//
// Who takes part: fixed as long as a program runs
//===----------------------------------------------------------------------===//

class Cell_RankOp<string mnemonic>
    : Cell_Op<mnemonic, [Pure, Exact, Collective]> {
  let arguments = (ins);
  let results = (outs Cell_TensorOf<[I64]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let derivative = ZeroDerivative<"who takes part does not change">;
  let batch = BatchAlike<[]>;
  let hasVerifier = 1;
}

def Cell_RankIdOp : Cell_RankOp<"rank"> {
  let summary = "The number of this rank, from 0";
}

def Cell_GroupSizeOp : Cell_RankOp<"group_size"> {
  let summary = "The number of ranks";
}

//===----------------------------------------------------------------------===//
// The same on buffers
//===----------------------------------------------------------------------===//

/// `kind`, `combine`, `root`, `tag` and `group` as in cg_collective, `ranks` the number of ranks
/// that sizes are made for, or 0.
def Cell_CollectiveStartOp : Op<Cell_Dialect, "collective_start", [
    Collective, AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Begins a collective, which has both buffers until it is waited for";
  let arguments = (ins Optional<AnyStaticShapeMemRef>:$send,
                       Optional<AnyStaticShapeMemRef>:$receive, I32Attr:$kind,
                       I32Attr:$combine, I32Attr:$root, I32Attr:$flags, I64Attr:$ranks,
                       I64Attr:$slot, DefaultValuedAttr<I64Attr, "0">:$tag,
                       OptionalAttr<DenseI64ArrayAttr>:$group);
  let assemblyFormat = [{
    $slot (`send` $send^ `:` type($send))? (`receive` $receive^ `:` type($receive))? attr-dict
  }];
}

def Cell_CollectiveWaitOp : Op<Cell_Dialect, "collective_wait", [
    Collective, AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Waits for the collective begun in `slot`, and gives its buffers back";
  let arguments = (ins Optional<AnyStaticShapeMemRef>:$send,
                       Optional<AnyStaticShapeMemRef>:$receive, I64Attr:$slot);
  let assemblyFormat = [{
    $slot (`send` $send^ `:` type($send))? (`receive` $receive^ `:` type($receive))? attr-dict
  }];
}

def Cell_RankLoadOp : Op<Cell_Dialect, "rank_load", [MemoryEffects<[MemWrite]>]> {
  let summary = "Stores the number of this rank, or with `size` the number of ranks";
  let arguments = (ins AnyStaticShapeMemRef:$buffer, UnitAttr:$size);
  let assemblyFormat = "$buffer (`size` $size^)? attr-dict `:` type($buffer)";
}

#endif
