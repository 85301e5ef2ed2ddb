// An op that is marked as an epilogue runs on rows of the product's result when they are complete.
// RUN: cell-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(cell-emit-gemm{target=x86-64-v4}))" | FileCheck %s
// RUN: cell-opt %s --split-input-file -o /dev/null \
// RUN:   --pass-pipeline="builtin.module(func.func(cell-emit-gemm{target=x86-64-v4 print-plan}))" 2>&1 | FileCheck %s --check-prefix=PLAN

// The result is stored, and read where it was stored. Rows of 40 end with a vector of 8 lanes.
// PLAN:          remark: 2x40x8: {{.*}}, epilogue of 2 ops
// CHECK-LABEL: func.func @tile(
// CHECK-SAME:    %{{[^,]*}}: memref<2x8xf32>, %{{[^,]*}}: memref<8x40xf32>, %[[C:[a-z0-9]+]]: memref<2x40xf32>, %[[V:[a-z0-9]+]]: memref<40xf32>)
// CHECK-NOT:     linalg
// CHECK:         vector.fma {{.*}} : vector<8xf32>
// CHECK:         vector.store {{.*}} vector<8xf32>
// CHECK:         scf.for
// CHECK:           vector.load
// CHECK:           %[[SUM:.*]] = arith.addf
// CHECK:           %[[LAST:.*]] = arith.addf
// CHECK-NOT:       vector.load
// CHECK:           vector.maskedstore
// CHECK-NOT:     linalg
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @tile(%a: memref<2x8xf32>, %b: memref<8x40xf32>, %c: memref<2x40xf32>, %v: memref<40xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%c : memref<2x40xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<2x8xf32>, memref<8x40xf32>) outs(%c : memref<2x40xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %v : memref<2x40xf32>, memref<40xf32>) outs(%c : memref<2x40xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.addf %x, %y : f32
    %1 = math.tanh %0 : f32
    linalg.yield %1 : f32
  }
  return
}

// -----

// A result that nothing else reads lies in memory for a block of rows, and its own goes.
// PLAN:          remark: 28x32x8: {{.*}}, epilogue of 1 ops
// CHECK-LABEL: func.func @apart(
// CHECK-NOT:     memref<28x32xf32>{{$}}
// CHECK-NOT:     memref.alloc() : memref<28x32xf32>
// CHECK:         %[[PART:.*]] = memref.alloc() : memref<896xf32>
// CHECK:         vector.store %{{.*}}, %[[PART]][
// CHECK:         vector.load %[[PART]][
// CHECK-NOT:     linalg
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @apart(%a: memref<28x8xf32>, %b: memref<8x32xf32>, %w: memref<28x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<28x32xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<28x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<28x8xf32>, memref<8x32xf32>) outs(%c : memref<28x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %w : memref<28x32xf32>, memref<28x32xf32>) outs(%w : memref<28x32xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.subf %y, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Of several blocks of the reduction, the op waits for the last; the result needs its memory for that.
// PLAN:          remark: 28x32x1000: {{.*}}depth 256, {{.*}}epilogue of 1 ops
// CHECK-LABEL: func.func @blocks(
// CHECK:         memref.alloc() : memref<28x32xf32>
// CHECK:         %[[LAST:.*]] = arith.constant 768 : index
// CHECK:         scf.for %[[DEPTH:[a-z0-9]+]] =
// CHECK:           %[[IS:.*]] = arith.cmpi eq, %[[DEPTH]], %[[LAST]]
// CHECK-NEXT:      scf.if %[[IS]] {
// CHECK:             arith.subf
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @blocks(%a: memref<28x1000xf32>, %b: memref<1000x32xf32>, %w: memref<28x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<28x32xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<28x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<28x1000xf32>, memref<1000x32xf32>) outs(%c : memref<28x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c, %w : memref<28x32xf32>, memref<28x32xf32>) outs(%w : memref<28x32xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.subf %y, %x : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A marked op that does not read the result in its place stays an op of its own.
// PLAN:          remark: 16x16x8: tile {{[0-9x]+}}, rows {{[0-9]+}}, columns {{[0-9]+}}, depth 8{{$}}
// CHECK-LABEL: func.func @across(
// CHECK:         linalg.generic
// CHECK-SAME:      cell.epilogue
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
#t = affine_map<(i, j) -> (j, i)>
func.func @across(%a: memref<16x8xf32>, %b: memref<8x16xf32>, %c: memref<16x16xf32>, %w: memref<16x16xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<16x8xf32>, memref<8x16xf32>) outs(%c : memref<16x16xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#t, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<16x16xf32>) outs(%w : memref<16x16xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32, %z: f32):
    linalg.yield %x : f32
  }
  return
}

// -----

// An epilogue may write a result in place of the product that nothing reads; the product keeps its memory.
// PLAN:          remark: 28x32x8: {{.*}}, epilogue of 1 ops
// CHECK-LABEL: func.func @unread(
// CHECK:         %[[C:.*]] = memref.alloc() : memref<28x32xf32>
// CHECK-NOT:     linalg
#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @unread(%a: memref<28x8xf32>, %b: memref<8x32xf32>, %w: memref<28x32xf32>) {
  %zero = arith.constant 0.0 : f32
  %c = memref.alloc() : memref<28x32xf32>
  linalg.fill ins(%zero : f32) outs(%c : memref<28x32xf32>)
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<28x8xf32>, memref<8x32xf32>) outs(%c : memref<28x32xf32>) {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %z, %0 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%c : memref<28x32xf32>) outs(%c, %w : memref<28x32xf32>, memref<28x32xf32>) attrs = {cell.epilogue} {
  ^bb0(%x: f32, %y: f32, %z: f32):
    %0 = arith.addf %x, %x : f32
    linalg.yield %0, %0 : f32, f32
  }
  return
}
