// The end of a stage finds what a pass has left ill-formed when nothing verifies between passes.
// RUN: not cell-opt %s --mlir-very-unsafe-disable-verifier-on-parsing --verify-each=false --cell-place-pipeline 2>&1 \
// RUN:   | FileCheck %s
// CHECK: error: 'memref.global' op type should be static shaped memref
"memref.global"() <{sym_name = "x", sym_visibility = "private", type = memref<?xf32>}> : () -> ()

// Each stage of the lowering ends so.
// RUN: echo | cell-opt --cell-to-llvm-pipeline --dump-pass-pipeline 2>&1 | FileCheck %s --check-prefix=STAGES
// STAGES:      {{^}}  cell-to-linalg
// STAGES-NEXT: cell-verify
// STAGES:      cell-fuse-linalg
// STAGES:      {{^}}  cse
// STAGES-NEXT: cell-verify
// STAGES-NEXT: cell-convert-entry-points
// STAGES:      cell-carry-buffers
// STAGES:      {{^}}  cell-verify
// STAGES-NEXT: one-shot-bufferize
// STAGES:      cell-drop-dead-buffers
// STAGES:      {{^}}  cse
// STAGES-NEXT: cell-verify
// STAGES:      cell-join-ops
// STAGES:      {{^}}  cell-verify
// STAGES-NEXT: cell-outline-kernels
// STAGES:      {{^}}  cell-share-math
// STAGES:      {{^}}  cell-convert-to-llvm
// STAGES:      {{^}}  cell-launch-kernels
// STAGES-NEXT: cell-verify
