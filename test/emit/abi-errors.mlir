// RUN: cell-opt %s --cell-emit-abi --split-input-file --verify-diagnostics
// RUN: echo 'module {}' | not cell-opt --cell-emit-abi=target=pentium9 2>&1 | FileCheck %s
// CHECK: error: unknown target 'pentium9': expected native, aarch64, aarch64+sve, riscv64, riscv64+v, wasm32 or one of

// expected-error @+1 {{'llvm.func' op is public but has no cell.signature attribute}}
llvm.func @f(%arena: !llvm.ptr) -> i32 {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{expected 2 pointers (the buffers of cell.signature, then the arena) and an i32 status}}
llvm.func @f(%arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "float32", shape = []}], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{argument 0 has dtype 'complex64': expected bool, int8}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "complex64", shape = []}], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{argument 0 and the result it donates to differ in type}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "float32", shape = [2], donate = 0 : i64}],
    results = [{name = "y", dtype = "float32", shape = [3], donated_arg = 0 : i64}]}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{result 0 tells that the update was skipped and must be a bool without dimensions}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [], results = [{name = "y", dtype = "float32", shape = [], skipped}]}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{argument 0 donates to result 1, but the number of results is 1}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "float32", shape = [2], donate = 1 : i64}],
    results = [{name = "y", dtype = "float32", shape = [2]}]}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{result 0 names a donated argument that does not donate to it}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "float32", shape = [2]}],
    results = [{name = "y", dtype = "float32", shape = [2], donated_arg = 0 : i64}]}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{has a negative extent}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "float32", shape = [-2]}], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{an entry for any batch size has max_batch and the int64 number 'batch' as its first argument}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "float32", shape = [-1]}], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{is declared but not defined: a model may call its own functions, libm, memcpy, memmove and memset only}}
llvm.func @malloc(i64) -> !llvm.ptr
llvm.func @f(%arena: !llvm.ptr) -> i32 attributes {cell.signature = {args = [], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{'func.func' op is not in the LLVM dialect: lower the module first}}
func.func @f() {
  return
}

// -----

// expected-error @+1 {{cell.signature needs the arrays 'args' and 'results'}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{argument 0 is not a dictionary}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = ["x"], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{argument 0 needs a name and a dtype, both strings}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = 32 : i64, shape = []}], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{argument 0 has no shape}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "float32"}], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{argument 0 has a shape that is not an array of integers}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "float32", shape = ["n"]}], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{result 0 has dtype 'half': expected bool, int8}}
llvm.func @f(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [], results = [{name = "y", dtype = "half", shape = []}]}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{cell.signature: two arguments donate to result 0}}
llvm.func @f(%x: !llvm.ptr, %y: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "float32", shape = [2], donate = 0 : i64},
            {name = "y", dtype = "float32", shape = [2], donate = 0 : i64}],
    results = [{name = "z", dtype = "float32", shape = [2]}]}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{has cell.slot_bytes = 100: expected a multiple of 64, part of cell.arena_bytes = 256}}
llvm.func @f(%arena: !llvm.ptr) -> i32 attributes {cell.arena_bytes = 256 : i64, cell.slot_bytes = 100 : i64,
    cell.signature = {args = [], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{cell.kernels: expected dictionaries, each with the array 'places' of dictionaries}}
llvm.func @f(%arena: !llvm.ptr) -> i32 attributes {cell.kernels = [{kernel = "copy"}],
    cell.signature = {args = [], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

// expected-error @+1 {{has cell.slot_bytes = 128: expected a multiple of 64, part of cell.arena_bytes = 64}}
llvm.func @f(%arena: !llvm.ptr) -> i32 attributes {cell.arena_bytes = 64 : i64, cell.slot_bytes = 128 : i64,
    cell.signature = {args = [], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

llvm.func @cell_run(i64, i32, !llvm.ptr, !llvm.ptr)
llvm.func @cell_print(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr)
llvm.func internal @says(%p: !llvm.ptr) {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.call @cell_print(%p, %0, %0, %p, %p) : (!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> ()
  llvm.return
}
llvm.func internal @task(%frame: !llvm.ptr, %begin: i64, %end: i64, %worker: i32) {
  llvm.call @says(%frame) : (!llvm.ptr) -> ()
  llvm.return
}
llvm.func @f(%arena: !llvm.ptr) -> i32 attributes {cell.signature = {args = [], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  %count = llvm.mlir.constant(7 : i64) : i64
  // expected-error @+1 {{makes a task of a function that uses the caller's context: it prints, may be cancelled or has a parallel region}}
  %task = llvm.mlir.addressof @task : !llvm.ptr
  llvm.call @cell_run(%count, %0, %task, %arena) : (i64, i32, !llvm.ptr, !llvm.ptr) -> ()
  llvm.return %0 : i32
}

// -----

llvm.func @f(%n: !llvm.ptr, %x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.arena_bytes = 64 : i64, cell.signature = {
    args = [{name = "batch", role = "batch", dtype = "int64", shape = []}, {name = "x", dtype = "float32", shape = array<i64: -1, 2>}],
    results = [], max_batch = 9 : i64}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
// expected-error @+1 {{cell.batch_program is {of = "f", size = 0 : i64}: expected {of = "entry", size = N : i64} with 1 <= N}}
llvm.func @g(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.arena_bytes = 192 : i64, cell.batch_program = {of = "f", size = 0 : i64}, cell.signature = {
    args = [{name = "x", dtype = "float32", shape = array<i64: 3, 2>}], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

llvm.func @f(%n: !llvm.ptr, %x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.arena_bytes = 64 : i64, cell.signature = {
    args = [{name = "batch", role = "batch", dtype = "int64", shape = []}, {name = "x", dtype = "float32", shape = array<i64: -1, 2>}],
    results = [], max_batch = 9 : i64}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
// expected-error @+1 {{cell.batch_program names 'f', which takes other buffers for a batch of 4}}
llvm.func @g(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.arena_bytes = 192 : i64, cell.batch_program = {of = "f", size = 4 : i64}, cell.signature = {
    args = [{name = "x", dtype = "float32", shape = array<i64: 3, 2>}], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// -----

llvm.func @f(%n: !llvm.ptr, %x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.arena_bytes = 64 : i64, cell.signature = {
    args = [{name = "batch", role = "batch", dtype = "int64", shape = []}, {name = "x", dtype = "float32", shape = array<i64: -1, 2>}],
    results = [], max_batch = 9 : i64}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
// expected-error @+1 {{cell.batch_program names 'h', which is no entry for any batch size}}
llvm.func @g(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.arena_bytes = 192 : i64, cell.batch_program = {of = "h", size = 3 : i64}, cell.signature = {
    args = [{name = "x", dtype = "float32", shape = array<i64: 3, 2>}], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
