//===- StashOps.td - what a loop leaves for its adjoint -------------------===//

#ifndef CELLGRAD_STASHOPS_TD
#define CELLGRAD_STASHOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "dialect/CellBase.td"

def Cell_StashType : TypeDef<Cell_Dialect, "Stash"> {
  let mnemonic = "stash";
  let summary = "A sequence of tensors that grows while a loop runs";
  let description = [{
    One tensor a trip. `capacity` is the number of trips where it is known when the
    program is compiled; otherwise it is 0, and the memory grows with the trips made.
    Stashes are values: an op that changes one gives a new one and is the last to use the
    old one, so that the change is made in place.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$element,
                        DefaultValuedParameter<"int64_t", "0">:$capacity);
  let assemblyFormat = "`<` $element (`,` $capacity^)? `>`";
}

/// One that memory can hold, of tensors of numbers.
def Cell_Stash : ConfinedType<Cell_StashType, [
      CPred<"::cellgrad::isAddressable($_self)">,
      CPred<"::llvm::cast<::cellgrad::StashType>($_self).getCapacity() >= 0">,
      SubstLeaves<"$_self", "::llvm::cast<::cellgrad::StashType>($_self).getElement()",
                  Cell_Tensor.predicate>],
    "stash of tensors of static shape, of at most 2^47 bytes">;

class Cell_StashOp<string mnemonic, list<Trait> traits = []>
    : Op<Cell_Dialect, mnemonic, !listconcat([
        DeclareOpInterfaceMethods<BatchableOpInterface>], traits)>;

class Cell_StashAccessOp<string mnemonic, list<Trait> traits = []>
    : Cell_StashOp<mnemonic, !listconcat([
        Pure, DeclareOpInterfaceMethods<DifferentiableOpInterface>], traits)>;

class Cell_StashChangeOp<string mnemonic, list<Trait> traits>
    : Cell_StashAccessOp<mnemonic, !listconcat([
        AllTypesMatch<["stash", "result"]>,
        TypesMatchWith<"the element of the stash is the type of x", "stash", "x",
          "::llvm::cast<::cellgrad::StashType>($_self).getElement()">], traits)> {
  let arguments = (ins Cell_Tensor:$x, Cell_Stash:$stash, Index:$position);
  let results = (outs Cell_Stash:$result);
  let assemblyFormat = "$x `into` $stash `at` $position attr-dict `:` type($stash)";
}

def Cell_StashEmptyOp : Cell_StashOp<"stash_empty", [Exact]> {
  let summary = "A stash that is zero at every position";
  let results = (outs Res<Cell_Stash, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Cell_StashReadOp : Cell_StashAccessOp<"stash_read", [
    Exact, TypesMatchWith<"the result is an element of the stash", "stash", "result",
      "::llvm::cast<::cellgrad::StashType>($_self).getElement()">]> {
  let summary = "The tensor at a position; zero where none was written";
  let arguments = (ins Cell_Stash:$stash, Index:$position);
  let results = (outs Cell_Tensor:$result);
  let assemblyFormat = "$stash `at` $position attr-dict `:` type($stash)";
}

def Cell_StashWriteOp : Cell_StashChangeOp<"stash_write", [Exact]> {
  let summary = "The stash with x at a position";
}

def Cell_StashAddOp : Cell_StashChangeOp<"stash_add", [Polynomial]> {
  let summary = "The stash with x added to the tensor at a position";
}

//===----------------------------------------------------------------------===//
// The same on buffers, where a stash is changed in place
//===----------------------------------------------------------------------===//

class Cell_StashBufferOp<string mnemonic, list<Trait> traits = []>
    : Op<Cell_Dialect, mnemonic, !listconcat([
        MemoryEffects<[MemRead, MemWrite]>], traits)> {
  let arguments = (ins AnyStaticShapeMemRef:$buffer, Cell_Stash:$stash,
                       Index:$position);
  let assemblyFormat = [{
    $buffer `,` $stash `at` $position attr-dict `:` type($buffer) `,` type($stash)
  }];
}

def Cell_StashLoadOp : Cell_StashBufferOp<"stash_load"> {
  let summary = "Copies the elements at a position to a buffer";
}

def Cell_StashStoreOp : Cell_StashBufferOp<"stash_store"> {
  let summary = "Copies the elements of a buffer to a position";
}

def Cell_StashFreeOp : Op<Cell_Dialect, "stash_free", [
    MemoryEffects<[MemWrite]>]> {
  let summary = "Gives the memory of a stash back: nothing uses it later";
  let arguments = (ins Cell_Stash:$stash);
  let assemblyFormat = "$stash attr-dict `:` type($stash)";
}

#endif
