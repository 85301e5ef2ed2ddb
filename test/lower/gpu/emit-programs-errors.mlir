// RUN: cell-opt %s --split-input-file --verify-diagnostics --cell-emit-programs

func.func private @print(%x: memref<3xf32>) attributes {cell.device_kernel} {
  // expected-error @below {{'func.call' op cannot run in a kernel on the device yet}}
  call @f(%x) : (memref<3xf32>) -> ()
  return
}
func.func private @f(memref<3xf32>)

// -----

func.func private @check(%ok: memref<i1>) attributes {cell.device_kernel} {
  %0 = memref.load %ok[] : memref<i1>
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'cell.end' op cannot run in a kernel on the device yet}}
  cell.end %0, %c1
  return
}

// -----

// expected-error @below {{'func.func' op cannot be a kernel: expected one block and no results}}
func.func private @result(%x: memref<3xf32>) -> f32 attributes {cell.device_kernel} {
  %c0 = arith.constant 0 : index
  %0 = memref.load %x[%c0] : memref<3xf32>
  return %0 : f32
}

// -----

func.func private @dynamic(%x: memref<3xf32>, %n: index) attributes {cell.device_kernel} {
  // expected-error @below {{'memref.alloc' op of type 'memref<?xf32>' has no place on the device; temporaries must have a static shape and the identity layout}}
  %t = memref.alloc(%n) : memref<?xf32>
  %c0 = arith.constant 0 : index
  %z = arith.constant 0.0 : f32
  memref.store %z, %t[%c0] : memref<?xf32>
  return
}

// -----

func.func private @carried(%x: memref<3xf32>) attributes {cell.device_kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (memref<3xf32>) {
    // expected-error @below {{'memref.alloc' op is handed to the next trip of a loop}}
    %t = memref.alloc() : memref<3xf32>
    linalg.add ins(%a, %a : memref<3xf32>, memref<3xf32>) outs(%t : memref<3xf32>)
    scf.yield %t : memref<3xf32>
  }
  return
}
