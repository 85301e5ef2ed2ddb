//===- Passes.td - passes at the end of the line --------------------------===//

#ifndef CELLGRAD_EMIT_PASSES_TD
#define CELLGRAD_EMIT_PASSES_TD

include "mlir/Pass/PassBase.td"

def CellEmitAbi : Pass<"cell-emit-abi", "mlir::ModuleOp"> {
  let summary = "Give every entry its exported C function";
  let description = [{
    Input: LLVM dialect functions with `cell.signature` (and `cell.arena_bytes`, and where workers
    of parallel regions have memory of their own at its end `cell.slot_bytes`), one pointer
    for each argument, then for each result that is not donated, then the arena, returning
    a status. Output: the same functions internal, their pointers marked with what the
    caller guarantees, and for each a function `cg_<model>_<entry>(args, context)` that
    checks the pointers, finds or allocates the arena, and calls it; and the
    functions every model has: `cg_<model>_abi_version`, `_fingerprint`, `_signature`,
    `_status_message`. With `weights-bytes` there is `cg_<model>_weights`, and the global
    `cell_weights` of that size, which gets its contents when code is generated.

    Calls of `@cell_print(text, dtype, rank, shape, data)` become calls of the print hook of
    the caller's context, which is passed on through every function on the way.

    `@cell_run(count, most_workers, task, frame)` is a parallel region: it calls
    `task(frame, begin, end, worker)` so that every item 0 <= i < count is computed once, on
    the threads of the context where their number is at most `most_workers`, else on the
    calling thread; `worker` is below both. `@cell_workers(fixed, slot)` is the number of workers
    that have a slot of so many bytes in the arena, behind its fixed bytes. An entry that comes
    to a region is marked as parallel, and has a function that tells the size of its arena;
    the model then has `cg_<model>_pool_new` and `_pool_free`. A task gets no context.

    `@cell_probe(kernel, begins)` calls the probe of the caller's context, if it has one. What
    `cell.kernels` of entries says of their kernels is a part of the signature.

    The names, shapes and roles stay on the module as the attribute `cell.model`, from which
    the header is written.
  }];
  let options = [
    Option<"model", "model", "std::string", /*default=*/"\"model\"",
           "Name of the model; other characters than letters and digits become '_'">,
    Option<"target", "target", "std::string", /*default=*/"\"native\"",
           "CPU recorded in the signature">,
    Option<"weightsBytes", "weights-bytes", "int64_t", /*default=*/"0",
           "Size of the file of weights that becomes a part of the model; 0: none">,
    Option<"allocates", "allocates", "bool", /*default=*/"false",
           "The code may allocate its temporaries, as it does where they are "
           "checked">
  ];
  let dependentDialects = ["mlir::LLVM::LLVMDialect"];
}

def EmitPtx : Pass<"cell-emit-ptx", "mlir::gpu::GPUModuleOp"> {
  let summary = "Generate the PTX of device code";
  let description = [{
    The module of device code, in the LLVM and NVVM dialects, gets the attribute `cell.ptx`: a
    dictionary of the text for each chip. The driver compiles it for the GPU it finds: the text of
    one chip runs on later ones, except where the name of the chip ends in a letter.
  }];
  let options = [
    ListOption<"chips", "chip", "std::string", "Kinds of GPU: sm_80,sm_90a">
  ];
  let dependentDialects = ["mlir::LLVM::LLVMDialect", "mlir::NVVM::NVVMDialect"];
}

def AssemblePtx : Pass<"cell-assemble-ptx", "mlir::gpu::GPUModuleOp"> {
  let summary = "Machine code of device code, by NVIDIA's assembler";
  let description = [{
    For each chip of the attribute `cell.ptx`, the module gets its machine code (a cubin), in the attribute
    `cell.cubin`. It runs on that kind of GPU alone, without the driver's compiler.
  }];
  let options = [
    Option<"ptxas", "ptxas", "std::string", "\"ptxas\"", "Path of the assembler">
  ];
}

#endif
