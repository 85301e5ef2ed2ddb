// Parallel regions as the lowering makes them: tasks with a frame of pointers, called through cell_run.
// An item is 64 elements, the last one of 16; there are 1000 elements.

// y = x * x + x, an item each.
llvm.func internal @polynomial_task(%frame: !llvm.ptr, %begin: i64, %end: i64, %worker: i32) {
  %one = llvm.mlir.constant(1 : i64) : i64
  %size = llvm.mlir.constant(64 : i64) : i64
  %all = llvm.mlir.constant(1000 : i64) : i64
  %x = llvm.load %frame : !llvm.ptr -> !llvm.ptr
  %at = llvm.getelementptr %frame[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %y = llvm.load %at : !llvm.ptr -> !llvm.ptr
  %first = llvm.mul %begin, %size : i64
  %full = llvm.mul %end, %size : i64
  %last = llvm.intr.smin(%full, %all) : (i64, i64) -> i64
  llvm.br ^head(%first : i64)
^head(%i: i64):
  %more = llvm.icmp "slt" %i, %last : i64
  llvm.cond_br %more, ^body, ^exit
^body:
  %px = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %px : !llvm.ptr -> f32
  %s = llvm.fmul %v, %v : f32
  %r = llvm.fadd %s, %v : f32
  %py = llvm.getelementptr %y[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %r, %py : f32, !llvm.ptr
  %next = llvm.add %i, %one : i64
  llvm.br ^head(%next : i64)
^exit:
  llvm.return
}

llvm.func @polynomial(%x: !llvm.ptr, %y: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "float32", shape = [1000]}],
    results = [{name = "y", dtype = "float32", shape = [1000]}]}} {
  %two = llvm.mlir.constant(2 : i32) : i32
  %frame = llvm.alloca %two x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.store %x, %frame : !llvm.ptr, !llvm.ptr
  %at = llvm.getelementptr %frame[8] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %y, %at : !llvm.ptr, !llvm.ptr
  %count = llvm.mlir.constant(16 : i64) : i64
  %any = llvm.mlir.constant(2147483647 : i32) : i32
  %task = llvm.mlir.addressof @polynomial_task : !llvm.ptr
  llvm.call @cell_run(%count, %any, %task, %frame) : (i64, i32, !llvm.ptr, !llvm.ptr) -> ()
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}

// The sum of an item's elements, through a slot of the worker's (an element of it at a time), to a
// place of the item's own.
llvm.func internal @sums_task(%frame: !llvm.ptr, %begin: i64, %end: i64, %worker: i32) {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %size = llvm.mlir.constant(64 : i64) : i64
  %all = llvm.mlir.constant(1000 : i64) : i64
  %none = llvm.mlir.constant(0.0 : f32) : f32
  %x = llvm.load %frame : !llvm.ptr -> !llvm.ptr
  %at1 = llvm.getelementptr %frame[8] : (!llvm.ptr) -> !llvm.ptr, i8
  %sums = llvm.load %at1 : !llvm.ptr -> !llvm.ptr
  %at2 = llvm.getelementptr %frame[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %slots = llvm.load %at2 : !llvm.ptr -> !llvm.ptr
  %w = llvm.sext %worker : i32 to i64
  %skip = llvm.mul %w, %size : i64
  %slot = llvm.getelementptr %slots[%skip] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.br ^items(%begin : i64)
^items(%item: i64):
  %moreItems = llvm.icmp "slt" %item, %end : i64
  llvm.cond_br %moreItems, ^item, ^exit
^item:
  %first = llvm.mul %item, %size : i64
  %full = llvm.add %first, %size : i64
  %last = llvm.intr.smin(%full, %all) : (i64, i64) -> i64
  llvm.br ^copy(%first, %zero : i64, i64)
^copy(%i: i64, %k: i64):
  %more = llvm.icmp "slt" %i, %last : i64
  llvm.cond_br %more, ^copyOne, ^add(%zero, %none : i64, f32)
^copyOne:
  %px = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load volatile %px : !llvm.ptr -> f32
  %ps = llvm.getelementptr %slot[%k] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store volatile %v, %ps : f32, !llvm.ptr
  %i2 = llvm.add %i, %one : i64
  %k2 = llvm.add %k, %one : i64
  llvm.br ^copy(%i2, %k2 : i64, i64)
^add(%j: i64, %sum: f32):
  %left = llvm.icmp "slt" %j, %k : i64
  llvm.cond_br %left, ^addOne, ^store
^addOne:
  %pj = llvm.getelementptr %slot[%j] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %u = llvm.load volatile %pj : !llvm.ptr -> f32
  %sum2 = llvm.fadd %sum, %u : f32
  %j2 = llvm.add %j, %one : i64
  llvm.br ^add(%j2, %sum2 : i64, f32)
^store:
  %pt = llvm.getelementptr %sums[%item] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  llvm.store %sum, %pt : f32, !llvm.ptr
  %nextItem = llvm.add %item, %one : i64
  llvm.br ^items(%nextItem : i64)
^exit:
  llvm.return
}

// The arena: 16 sums, then slots of 256 bytes.
llvm.func @total(%x: !llvm.ptr, %y: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {
    cell.arena_bytes = 320 : i64, cell.slot_bytes = 256 : i64, cell.signature = {
    args = [{name = "x", dtype = "float32", shape = [1000]}],
    results = [{name = "y", dtype = "float32", shape = []}]}} {
  %zero = llvm.mlir.constant(0 : i64) : i64
  %one = llvm.mlir.constant(1 : i64) : i64
  %none = llvm.mlir.constant(0.0 : f32) : f32
  %three = llvm.mlir.constant(3 : i32) : i32
  %frame = llvm.alloca %three x !llvm.ptr : (i32) -> !llvm.ptr
  llvm.store %x, %frame : !llvm.ptr, !llvm.ptr
  %at1 = llvm.getelementptr %frame[8] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %arena, %at1 : !llvm.ptr, !llvm.ptr
  %at2 = llvm.getelementptr %frame[16] : (!llvm.ptr) -> !llvm.ptr, i8
  %slots = llvm.getelementptr %arena[64] : (!llvm.ptr) -> !llvm.ptr, i8
  llvm.store %slots, %at2 : !llvm.ptr, !llvm.ptr
  %count = llvm.mlir.constant(16 : i64) : i64
  %fixed = llvm.mlir.constant(64 : i64) : i64
  %slot = llvm.mlir.constant(256 : i64) : i64
  %workers = llvm.call @cell_workers(%fixed, %slot) : (i64, i64) -> i32
  %task = llvm.mlir.addressof @sums_task : !llvm.ptr
  llvm.call @cell_run(%count, %workers, %task, %frame) : (i64, i32, !llvm.ptr, !llvm.ptr) -> ()
  llvm.br ^head(%zero, %none : i64, f32)
^head(%i: i64, %sum: f32):
  %more = llvm.icmp "slt" %i, %count : i64
  llvm.cond_br %more, ^body, ^exit
^body:
  %p = llvm.getelementptr %arena[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
  %v = llvm.load %p : !llvm.ptr -> f32
  %sum2 = llvm.fadd %sum, %v : f32
  %i2 = llvm.add %i, %one : i64
  llvm.br ^head(%i2, %sum2 : i64, f32)
^exit:
  llvm.store %sum, %y : f32, !llvm.ptr
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}

// No region.
llvm.func @copy(%x: !llvm.ptr, %y: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.signature = {
    args = [{name = "x", dtype = "float32", shape = []}],
    results = [{name = "y", dtype = "float32", shape = []}]}} {
  %0 = llvm.load %x : !llvm.ptr -> f32
  llvm.store %0, %y : f32, !llvm.ptr
  %ok = llvm.mlir.constant(0 : i32) : i32
  llvm.return %ok : i32
}

llvm.func @cell_run(i64, i32, !llvm.ptr, !llvm.ptr)
llvm.func @cell_workers(i64, i64) -> i32
