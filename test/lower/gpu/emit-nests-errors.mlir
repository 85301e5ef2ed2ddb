// RUN: cell-opt %s --split-input-file --verify-diagnostics --cell-emit-nests

// expected-error @+1 {{cannot be a nest of a grid: expected one op of linalg or copy, and fills of what it adds to}}
func.func private @two(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  memref.copy %x, %z : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func private @other(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  %zero = arith.constant 0.0 : f32
  // expected-error @+1 {{fills what the nest of its grid does not add to}}
  linalg.fill ins(%zero : f32) outs(%z : memref<4xf32>)
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

func.func private @read(%y: memref<4xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  %one = arith.constant 1.0 : f32
  // expected-error @+1 {{fills what the nest of its grid does not add to}}
  linalg.fill ins(%one : f32) outs(%y : memref<4xf32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%y : memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.addf %a, %o : f32
    linalg.yield %0 : f32
  }
  return
}

// -----

// Another block may have written it by then.
// expected-error @+1 {{cannot be a nest of a grid: expected one op of linalg or copy, and fills of what it adds to}}
func.func private @late(%x: memref<4xf32>, %y: memref<4xf32>) attributes {cell.device_kernel, cell.grid_nest} {
  %c1 = arith.constant 1 : index
  %a = memref.load %y[%c1] : memref<4xf32>
  linalg.generic {indexing_maps = [affine_map<(i) -> ()>, affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%a, %x : f32, memref<4xf32>) outs(%y : memref<4xf32>) {
  ^bb0(%b: f32, %c: f32, %o: f32):
    %0 = arith.addf %b, %c : f32
    linalg.yield %0 : f32
  }
  return
}
