// RUN: not cell-opt %s --split-input-file --cell-lower-unsigned 2>&1 | FileCheck %s

// CHECK: argument #0 of type 'tensor<2xui8>' is donated to result #0 of type 'tensor<2xi8>'; the types must be equal
func.func @donated(%x: tensor<2xui8> {cell.donate = 0}) -> tensor<2xi8> {
  %0 = cell.cast %x : tensor<2xui8> to tensor<2xi8>
  return %0 : tensor<2xi8>
}

// -----

// CHECK: 'tensor.extract' op takes no unsigned integers; cast them to signed ones first
func.func @other(%x: tensor<ui8>) -> ui8 {
  %0 = tensor.extract %x[] : tensor<ui8>
  return %0 : ui8
}
