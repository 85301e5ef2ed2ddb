// An entry for any batch size calls a function for the size where there is one, with the buffers but the number, in an
// arena that is large enough for each.
// RUN: cell-opt %s --cell-emit-abi=model=m | FileCheck %s

// CHECK: cell.model = {entries = [{arena_bytes = 192 : i64
// CHECK-SAME: name = "f"
// CHECK-NOT: name = "g"

// CHECK: llvm.func internal @f.by_size(%[[N:[^:]*]]: !llvm.ptr {{[^%]*}}, %[[X:[^:]*]]: !llvm.ptr {{[^%]*}}, %[[ARENA:[^:]*]]: !llvm.ptr
// CHECK: %[[BATCH:.*]] = llvm.load %[[N]] : !llvm.ptr -> i64
// CHECK: %[[THREE:.*]] = llvm.mlir.constant(3 : i64) : i64
// CHECK: %[[IS:.*]] = llvm.icmp "eq" %[[BATCH]], %[[THREE]]
// CHECK: llvm.cond_br %[[IS]], ^[[KNOWN:.*]], ^[[ANY:.*]]
// CHECK: ^[[KNOWN]]:
// CHECK: llvm.call @g(%[[X]], %[[ARENA]])
// CHECK: ^[[ANY]]:
// CHECK: llvm.call @f(%[[N]], %[[X]], %[[ARENA]])
// CHECK: llvm.func internal @f(
// CHECK: llvm.func internal @g(%{{.*}}: !llvm.ptr {{{.*}}llvm.dereferenceable = 24 : i64
// CHECK-NOT: cell.
llvm.func @f(%n: !llvm.ptr, %x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.arena_bytes = 64 : i64, cell.signature = {
    args = [{name = "batch", role = "batch", dtype = "int64", shape = []}, {name = "x", dtype = "float32", shape = array<i64: -1, 2>}],
    results = [], max_batch = 9 : i64}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
llvm.func @g(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {cell.arena_bytes = 192 : i64, cell.batch_program = {of = "f", size = 3 : i64}, cell.signature = {
    args = [{name = "x", dtype = "float32", shape = array<i64: 3, 2>}], results = []}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}
// CHECK: llvm.func @cg_m_f(
// CHECK: llvm.call @f.by_size(
