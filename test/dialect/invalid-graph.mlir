// RUN: cell-opt %s -verify-diagnostics -split-input-file

func.func @cast_shape(%x: tensor<2xf32>) {
  // expected-error @+1 {{'cell.cast' op requires the same shape for all operands and results}}
  %0 = cell.cast %x : tensor<2xf32> to tensor<3xf64>
  return
}

// -----

func.func @cast_type(%x: tensor<2xf32>) {
  // expected-error @+1 {{'cell.cast' op result #0 must be statically shaped tensor of}}
  %0 = cell.cast %x : tensor<2xf32> to tensor<2xcomplex<f32>>
  return
}

// -----

func.func @constant_type() {
  // expected-error @+1 {{'cell.constant' op failed to verify that all of {value, result} have same type}}
  %0 = "cell.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<3xf32>
  return
}

// -----

func.func @constant_vector() {
  // expected-error @+1 {{'cell.constant' op result #0 must be statically shaped tensor}}
  %0 = cell.constant dense<1.0> : vector<2xf32>
  return
}

// -----

func.func @print_holes(%x: tensor<2xf32>) {
  // expected-error @+1 {{'cell.print' op format has 2 {} for 1 operands}}
  cell.print "{} {}" (%x : tensor<2xf32>)
  return
}

// -----

func.func @print_none(%x: tensor<2xf32>) {
  // expected-error @+1 {{'cell.print' op format has 0 {} for 1 operands}}
  cell.print "x" (%x : tensor<2xf32>)
  return
}
