// Functions of one op whose results a grid shares: which thread computes what.
// RUN: cell-opt %s --split-input-file --cell-emit-nests --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// A map: a thread takes four neighbours of f32, 16 bytes; the last threads take what is left, one each.
// CHECK-LABEL: gpu.func @map(
// CHECK-SAME:    %[[X:.*]]: memref<1027xf32, 1>, %[[Y:.*]]: memref<1027xf32, 1>) kernel
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 2, 1, 1>
// CHECK-DAG:     %[[B:.*]] = gpu.block_id  x
// CHECK-DAG:     %[[T:.*]] = gpu.thread_id  x
// CHECK:         %[[FIRST:.*]] = arith.muli %[[B]], %c256
// CHECK:         %[[N:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK:         arith.cmpi ult, %[[N]], %c256
// CHECK:         scf.if
// CHECK:           %[[AT:.*]] = arith.muli %[[N]], %c4
// CHECK:           vector.load %[[X]][%[[AT]]] {alignment = 16 : i64} : memref<1027xf32, 1>, vector<4xf32>
// CHECK-COUNT-4:   arith.mulf
// CHECK:           vector.store %{{.*}}, %[[Y]][%[[AT]]] {alignment = 16 : i64} : memref<1027xf32, 1>, vector<4xf32>
// CHECK:         }
// CHECK:         %[[LATER:.*]] = arith.subi %[[N]], %c256
// CHECK:         arith.cmpi ult, %[[LATER]], %c3
// CHECK:         scf.if
// CHECK:           memref.load
// CHECK-NEXT:      arith.mulf
// CHECK-NEXT:      memref.store
// CHECK:         gpu.return
// CHECK:       func.func private @map(memref<1027xf32>, memref<1027xf32>) attributes {cell.device_kernel = @kernels::@map, cell.grid_nest}
func.func private @map(%x: memref<1027xf32>, %y: memref<1027xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<1027xf32>) outs(%y : memref<1027xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.mulf %a, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// The widest operand has 16 bytes, f16 beside it 8. What is the same for a row is loaded once, what is transposed one by
// one; booleans are bytes.
// CHECK-LABEL: gpu.func @mixed(
// CHECK-SAME:    %[[X:.*]]: memref<64x32xf32, 1>, %[[H:.*]]: memref<64x32xf16, 1>, %[[ROW:.*]]: memref<64xf32, 1>, %[[T:.*]]: memref<32x64xf32, 1>, %[[Y:.*]]: memref<64x32xi1, 1>)
// CHECK-SAME:    known_grid_size = array<i32: 2, 1, 1>
// CHECK:           vector.load {{.*}} {alignment = 16 : i64} : memref<2048xf32, 1>, vector<4xf32>
// CHECK:           vector.load {{.*}} {alignment = 8 : i64} : memref<2048xf16, 1>, vector<4xf16>
// CHECK:           memref.load %[[ROW]]
// CHECK-COUNT-4:   memref.load {{.*}} : memref<2048xf32, 1>
// CHECK-NOT:       memref.load
// CHECK:           vector.store {{.*}} {alignment = 4 : i64} : memref<2048xi8, 1>, vector<4xi8>
func.func private @mixed(%x: memref<64x32xf32>, %h: memref<64x32xf16>, %row: memref<64xf32>, %t: memref<32x64xf32>, %y: memref<64x32xi1>)
    attributes {cell.device_kernel, cell.grid_nest} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>,
                                   affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %h, %row, %t : memref<64x32xf32>, memref<64x32xf16>, memref<64xf32>, memref<32x64xf32>) outs(%y : memref<64x32xi1>) {
  ^bb0(%a: f32, %b: f16, %c: f32, %d: f32, %o: i1):
    %0 = arith.extf %b : f16 to f32
    %1 = arith.addf %a, %0 : f32
    %2 = arith.addf %c, %d : f32
    %3 = arith.cmpf olt, %1, %2 : f32
    linalg.yield %3 : i1
  }
  return
}

// -----

// Rows of 31 elements begin anywhere: one element a thread.
// CHECK-LABEL: gpu.func @narrow(
// CHECK-NOT:     vector.
// CHECK:         func.func private @narrow
func.func private @narrow(%x: memref<8x31xf32>, %row: memref<8xf32>, %y: memref<8x31xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%x, %row : memref<8x31xf32>, memref<8xf32>) outs(%y : memref<8x31xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %0 = arith.addf %a, %b : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Neighbouring columns are summed by neighbouring threads; the fill is where they start.
// CHECK-LABEL: gpu.func @columns(
// CHECK-SAME:    %[[X:.*]]: memref<100x65536xf32, 1>, %[[Y:.*]]: memref<65536xf32, 1>)
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 256, 1, 1>
// CHECK:         %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
// CHECK:         %[[SUM:.*]] = scf.for {{.*}} to %c100
// CHECK-NOT:     memref.load %[[Y]]
// CHECK:         memref.store %{{.*}}, %[[Y]]
func.func private @columns(%x: memref<100x65536xf32>, %y: memref<65536xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%y : memref<65536xf32>)
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<100x65536xf32>) outs(%y : memref<65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A row is read by a block that has its elements side by side.
// CHECK-LABEL: gpu.func @rows(
// CHECK-SAME:    workgroup(%{{.*}} : memref<8xf32, 3>) kernel
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 512, 1, 1>
// CHECK:         gpu.shuffle
// CHECK:         gpu.barrier
func.func private @rows(%x: memref<512x4096xf32>, %y: memref<512xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<512x4096xf32>) outs(%y : memref<512xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A thread computes an element of a product; its neighbours read the same element of the left operand.
// CHECK-LABEL: gpu.func @product(
// CHECK-SAME:    known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 64, 1, 1>
// CHECK-NOT:     gpu.shuffle
// CHECK:         scf.for
// CHECK-COUNT-2:   memref.load
// CHECK:         gpu.return
func.func private @product(%x: memref<128x64xf32>, %w: memref<64x128xf32>, %y: memref<128x128xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  linalg.matmul ins(%x, %w : memref<128x64xf32>, memref<64x128xf32>) outs(%y : memref<128x128xf32>)
  return
}

// -----

// Nothing to do is a kernel, too.
// CHECK-LABEL: gpu.func @empty(
// CHECK-SAME:    known_grid_size = array<i32: 1, 1, 1>
// CHECK-NEXT:    gpu.return
func.func private @empty(%x: memref<0x4xf32>, %y: memref<0x4xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  memref.copy %x, %y : memref<0x4xf32> to memref<0x4xf32>
  return
}

// -----

// A scalar of another kernel is loaded by each thread.
// CHECK-LABEL: gpu.func @chosen(
// CHECK-SAME:    %[[C:.*]]: memref<i1, 1>, %[[X:.*]]: memref<256xf32, 1>, %[[Y:.*]]: memref<256xf32, 1>)
// CHECK:         %[[TAKES:.*]] = memref.load %[[C]][]
// CHECK:         vector.load %[[X]]
// CHECK-COUNT-4: arith.select %[[TAKES]]
// CHECK:         vector.store
func.func private @chosen(%c: memref<i1>, %x: memref<256xf32>, %y: memref<256xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  %takes = memref.load %c[] : memref<i1>
  linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%takes, %x : i1, memref<256xf32>) outs(%y : memref<256xf32>) {
  ^bb0(%t: i1, %a: f32, %o: f32):
    %0 = arith.select %t, %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// A long sum of a thread is one of blocks, each of which starts from 0: it keeps more digits. A maximum needs none.
// CHECK-LABEL: gpu.func @long(
// CHECK:         %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK:         scf.for
// CHECK:           scf.for {{.*}} iter_args(%{{.*}} = %[[ZERO]])
// CHECK-LABEL: gpu.func @most(
// CHECK-COUNT-1: scf.for
// CHECK-NOT:     scf.for
// CHECK:         gpu.return
func.func private @long(%x: memref<4096x65536xf32>, %y: memref<65536xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<4096x65536xf32>) outs(%y : memref<65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}
func.func private @most(%x: memref<4096x65536xf32>, %y: memref<65536xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>], iterator_types = ["reduction", "parallel"]}
      ins(%x : memref<4096x65536xf32>) outs(%y : memref<65536xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %o, %a : f32
    linalg.yield %0 : f32
  }
  return
}
