// What the ops on matrices refuse.
// RUN: cell-opt %s --split-input-file --verify-diagnostics

func.func @vector(%x: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error@+1 {{'cell.triangle' op takes matrices in the last two dimensions, but the operand is 'tensor<3xf32>'}}
  %0 = cell.triangle %x {lower = true, diagonal = 0} : tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @rectangle(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  // expected-error@+1 {{'cell.cholesky' op takes square matrices, but the operand is 'tensor<2x3xf32>'}}
  %0 = cell.cholesky %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// -----

func.func @half(%x: tensor<2x2xf16>) -> tensor<2x2xf16> {
  // expected-error@+1 {{'cell.cholesky' op operand #0 must be statically shaped tensor of 32-bit float or 64-bit float values}}
  %0 = cell.cholesky %x : tensor<2x2xf16>
  return %0 : tensor<2x2xf16>
}

// -----

func.func @factors(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2xi32>) {
  // expected-error@+2 {{'cell.lu' op failed to infer returned types}}
  // expected-error@+1 {{'cell.lu' op takes square matrices, but the operand is 'tensor<2x3xf32>'}}
  %0:2 = cell.lu %x : tensor<2x3xf32> -> tensor<2x3xf32>, tensor<2xi32>
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2xi32>
}

// -----

func.func @reduced(%x: tensor<3x2xf32>) -> (tensor<3x3xf32>, tensor<3x2xf32>) {
  // expected-error@+2 {{'cell.qr' op failed to infer returned types}}
  // expected-error@+1 {{'cell.qr' op inferred type(s) 'tensor<3x2xf32>', 'tensor<2x2xf32>' are incompatible with return type(s) of operation 'tensor<3x3xf32>', 'tensor<3x2xf32>'}}
  %0:2 = cell.qr %x : tensor<3x2xf32> -> tensor<3x3xf32>, tensor<3x2xf32>
  return %0#0, %0#1 : tensor<3x3xf32>, tensor<3x2xf32>
}

// -----

func.func @eigenvalues(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2x3xf32>) {
  // expected-error@+2 {{'cell.eigh' op failed to infer returned types}}
  // expected-error@+1 {{'cell.eigh' op takes square matrices, but the operand is 'tensor<2x3xf32>'}}
  %0:2 = cell.eigh %x : tensor<2x3xf32> -> tensor<2xf32>, tensor<2x3xf32>
  return %0#0, %0#1 : tensor<2xf32>, tensor<2x3xf32>
}

// -----

func.func @singular_values(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // expected-error@+2 {{'cell.svd' op failed to infer returned types}}
  // expected-error@+1 {{'cell.svd' op takes matrices in the last two dimensions, but the operand is 'tensor<3xf32>'}}
  %0:3 = cell.svd %x : tensor<3xf32> -> tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

func.func @thin(%x: tensor<3x2xf32>) -> (tensor<3x3xf32>, tensor<2xf32>, tensor<2x2xf32>) {
  // expected-error@+2 {{'cell.svd' op failed to infer returned types}}
  // expected-error@+1 {{'cell.svd' op inferred type(s) 'tensor<3x2xf32>', 'tensor<2xf32>', 'tensor<2x2xf32>' are incompatible with return type(s) of operation 'tensor<3x3xf32>', 'tensor<2xf32>', 'tensor<2x2xf32>'}}
  %0:3 = cell.svd %x : tensor<3x2xf32> -> tensor<3x3xf32>, tensor<2xf32>, tensor<2x2xf32>
  return %0#0, %0#1, %0#2 : tensor<3x3xf32>, tensor<2xf32>, tensor<2x2xf32>
}

// -----

func.func @pivots(%x: tensor<4x2x2xf32>, %p: tensor<4x3xi32>) -> tensor<4x2x2xf32> {
  // expected-error@+1 {{'cell.swap_rows' op takes a pivot for each of the first rows, in the leading dimensions of 'tensor<4x2x2xf32>', but they are 'tensor<4x3xi32>'}}
  %0 = cell.swap_rows %x, %p : tensor<4x2x2xf32>, tensor<4x3xi32>
  return %0 : tensor<4x2x2xf32>
}

// -----

func.func @rows(%a: tensor<2x2xf32>, %b: tensor<3x2xf32>) -> tensor<3x2xf32> {
  // expected-error@+1 {{'cell.solve' op takes a right-hand side with as many rows as the matrix, and equal leading dimensions and element types, but they are 'tensor<2x2xf32>' and 'tensor<3x2xf32>'}}
  %0 = cell.solve %a, %b : tensor<2x2xf32>, tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// -----

func.func @elements(%a: tensor<2x2xf32>, %b: tensor<2x2xf64>) -> tensor<2x2xf64> {
  // expected-error@+1 {{'cell.triangular_solve' op takes a right-hand side}}
  %0 = cell.triangular_solve %a, %b {lower = true} : tensor<2x2xf32>, tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}
