// The exported function checks its pointers, finds the arena and calls the entry.
// RUN: cell-opt %s --cell-emit-abi="model=m target=x86-64-v3" | FileCheck %s

// CHECK: cell.model = {entries = [{arena_bytes = 128 : i64,

// CHECK: llvm.mlir.global internal constant @cell_signature("{\22abi\22:2,
// CHECK-SAME: \22target\22:{\22arch\22:\22x86-64\22,\22cpu\22:\22x86-64-v3\22,\22features\22:[\22avx\22,\22avx2\22,
// CHECK-NOT: avx512
// CHECK: llvm.func hidden @cell_rt_print(!llvm.ptr, !llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr)
llvm.func @cell_print(!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr)

// Functions that print get the context; others do not.
// CHECK: llvm.func internal @helper(%[[P:.*]]: !llvm.ptr, %[[CTX:.*]]: !llvm.ptr)
// CHECK: llvm.call @cell_rt_print(%[[CTX]], %[[P]],
llvm.func @helper(%p: !llvm.ptr) attributes {sym_visibility = "private"} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.call @cell_print(%p, %0, %0, %p, %p) : (!llvm.ptr, i32, i32, !llvm.ptr, !llvm.ptr) -> ()
  llvm.return
}

// CHECK: llvm.func internal @loud(
// CHECK-SAME: !llvm.ptr {llvm.align = 4 : i64, llvm.dereferenceable = 8 : i64, llvm.noalias, llvm.nonnull, llvm.noundef, llvm.readonly},
// CHECK-SAME: !llvm.ptr {llvm.align = 64 : i64, llvm.dereferenceable = 128 : i64, llvm.noalias, llvm.nonnull, llvm.noundef},
// CHECK-SAME: %[[CTX:.*]]: !llvm.ptr) -> i32
// CHECK: llvm.call @helper(%{{.*}}, %[[CTX]])
llvm.func @loud(%x: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {
    cell.arena_bytes = 100 : i64,
    cell.signature = {args = [{name = "x", dtype = "float32", shape = [2]}], results = []}} {
  llvm.call @helper(%x) : (!llvm.ptr) -> ()
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// A donated argument is written; a tensor without elements has no address.
// CHECK: llvm.func internal @quiet(
// CHECK-SAME: {llvm.align = 4 : i64, llvm.dereferenceable = 8 : i64, llvm.noalias, llvm.nonnull, llvm.noundef},
// CHECK-SAME: {llvm.noalias, llvm.noundef},
// CHECK-SAME: {llvm.noalias, llvm.noundef}) -> i32
llvm.func @quiet(%w: !llvm.ptr, %e: !llvm.ptr, %arena: !llvm.ptr) -> i32 attributes {
    cell.signature = {
      args = [{name = "w", dtype = "float32", shape = [2], donate = 0 : i64},
              {name = "e", dtype = "float32", shape = [0]}],
      results = [{name = "w", dtype = "float32", shape = [2], donated_arg = 0 : i64}]}} {
  %0 = llvm.mlir.constant(0 : i32) : i32
  llvm.return %0 : i32
}

// CHECK: llvm.func @cg_m_loud(%[[ARGS:.*]]: !llvm.ptr {llvm.noundef}, %[[CTX:.*]]: !llvm.ptr {llvm.noundef}) -> i32
// No flag of the context has a meaning yet.
// CHECK: %[[AT:.*]] = llvm.getelementptr %[[CTX]][4]
// CHECK: %[[FLAGS:.*]] = llvm.load %[[AT]] : !llvm.ptr -> i32
// CHECK: llvm.icmp "ne" %[[FLAGS]],
// Memory comes from the context, if that has both functions for it or none.
// CHECK: llvm.call @cell_rt_memory_is_whole(%[[CTX]])
// CHECK: llvm.call @loud({{.*}}, {{.*}}, %[[CTX]])
// CHECK: %[[OWN:[0-9]+]] = llvm.call @cell_rt_arena_new(%[[CTX]], %[[BYTES:[0-9]+]])
// CHECK: llvm.call @loud({{.*}}, %[[OWN]], %[[CTX]])
// CHECK: llvm.call @cell_rt_arena_free(%[[CTX]], %[[OWN]], %[[BYTES]])
// CHECK: llvm.func @cg_m_quiet(
// CHECK-NOT: cell_rt_memory_is_whole
// CHECK-NOT: cell_rt_arena
// CHECK: llvm.func @cg_m_signature() -> !llvm.ptr
// CHECK: llvm.func @cg_m_fingerprint() -> i64
// CHECK: llvm.func @cg_m_abi_version() -> i32
// CHECK: llvm.func @cg_m_status_message(%{{.*}}: i32) -> !llvm.ptr
