// What a call needs of memory, and what is in the arena when most is.
// RUN: rm -rf %t && mkdir %t
// RUN: cellc %s --target=x86-64-v3 -o %t/m.so --memory-report | FileCheck %s --match-full-lines --strict-whitespace
// RUN: cellc %s --target=x86-64-v3 -o %t/m.so --memory-report=%t/report.txt && FileCheck %s --match-full-lines --strict-whitespace < %t/report.txt
// RUN: cellc %s --target=x86-64-v3 -o %t/m.so --emit=so,h --memory-report=%t/report.json && FileCheck %s --check-prefix=JSON < %t/report.json
// RUN: FileCheck %s --check-prefix=HEADER < %t/m.h

//      CHECK:@forward: 65536 bytes at the peak, on one thread
// CHECK-NEXT:         16384  arguments
// CHECK-NEXT:         16384  Parameters and states
// CHECK-NEXT:         16384  results that are not written in place
// CHECK-NEXT:         16384  arena, of which 16384 bytes are needed at the same time
// CHECK-NEXT:In the arena then:
// CHECK-NEXT:         16384  float32[64, 64]  matmul  memory-report.mlir:[[#@LINE+4]]
func.func @forward(%x: tensor<64x64xf32> {cell.name = "x"},
                   %w: tensor<64x64xf32> {cell.name = "w", cell.role = "parameter"})
    -> tensor<64x64xf32> {
  %0 = cell.matmul %x, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = cell.matmul %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// A donated result is no memory of its own, and an entry without temporaries has no arena.
//      CHECK:@step: 1024 bytes at the peak, on one thread
// CHECK-NEXT:           512  arguments
// CHECK-NEXT:           512  Parameters and states
// CHECK-NEXT:             0  results that are not written in place
// CHECK-NEXT:             0  arena, of which 0 bytes are needed at the same time
func.func @step(%w: tensor<128xf32> {cell.name = "w", cell.role = "parameter", cell.donate = 0 : i64},
                %g: tensor<128xf32> {cell.name = "g"}) -> (tensor<128xf32> {cell.name = "w"}) {
  %0 = cell.sub %w, %g : tensor<128xf32>
  return %0 : tensor<128xf32>
}

// JSON:      "alive": 16384,
// JSON-NEXT: "arena": 16384,
// JSON:      "name": "forward",
// JSON-NEXT: "nanoseconds": {{[0-9]+}},
// JSON-NEXT: "operations": 1048576,
// JSON:      "values": [
// JSON:      "dtype": "float32",
// JSON:      "offset": 0,
// JSON-NEXT: "op": "matmul",
// JSON-NEXT: "phase": "forward",
// HEADER: #define CG_M_FORWARD_ARENA_BYTES 16384u
