// RUN: cell-opt %s -split-input-file -verify-diagnostics

func.func @combine(%x: tensor<2xf32>) {
  // expected-error @+1 {{'cell.all_reduce' op combines by 'mean'; expected sum, prod, min or max}}
  %0 = cell.all_reduce %x "mean" : tensor<2xf32>
  return
}

// -----

func.func @unsigned(%x: tensor<2xui8>) {
  // expected-error @+1 {{'cell.all_reduce' op operand #0 must be}}
  %0 = cell.all_reduce %x "sum" : tensor<2xui8>
  return
}

// -----

func.func @parts(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{'cell.all_gather' op has 'tensor<5x3xf32>' as a whole and 'tensor<2x3xf32>' as the part of one rank; expected equal types but for dimension 0}}
  %0 = cell.all_gather %x ranks 2 : tensor<2x3xf32> -> tensor<5x3xf32>
  return
}

// -----

func.func @scalars(%x: tensor<f32>) {
  // expected-error @+1 {{'cell.reduce_scatter' op has 'tensor<f32>' as a whole}}
  %0 = cell.reduce_scatter %x "sum" ranks 1 : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @ranks(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.all_gather' op is for 0 ranks; expected at least 1}}
  %0 = cell.all_gather %x ranks 0 : tensor<4xf32> -> tensor<0xf32>
  return
}

// -----

func.func @divided(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.all_to_all' op sends 'tensor<4xf32>' to 3 ranks; expected a dimension 0 that is a multiple of their number}}
  %0 = cell.all_to_all %x ranks 3 : tensor<4xf32>
  return
}

// -----

func.func @root(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.broadcast_from' op has rank -1 as root}}
  %0 = cell.broadcast_from %x root -1 : tensor<4xf32>
  return
}

// -----

func.func @rank() {
  // expected-error @+1 {{'cell.rank' op gives 'tensor<2xi64>'; expected tensor<i64>}}
  %0 = cell.rank : tensor<2xi64>
  return
}

// -----

func.func private @product(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = cell.all_reduce %x "prod" : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @nobody(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.all_reduce' op is for a group without ranks; leave 'group' out for all ranks}}
  %0 = cell.all_reduce %x "sum" group [] : tensor<4xf32>
  return
}

// -----

func.func @twice() {
  // expected-error @+1 {{'cell.meet' op has rank 1 twice in its group}}
  cell.meet group [1, 0, 1]
  return
}

// -----

func.func @negative() {
  // expected-error @+1 {{'cell.meet' op has rank -1 as one of its group}}
  cell.meet group [0, -1]
  return
}

// -----

func.func @count(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.all_to_all' op is for 2 ranks, and its group has 3}}
  %0 = cell.all_to_all %x ranks 2 group [0, 1, 2] : tensor<4xf32>
  return
}

// -----

func.func @product_of_none(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.all_reduce' op is for 0 ranks; expected at least 1}}
  %0 = cell.all_reduce %x "prod" ranks 0 : tensor<4xf32>
  return
}

// -----

func.func @product_of_others(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.all_reduce' op is for 2 ranks, and its group has 3}}
  %0 = cell.all_reduce %x "prod" ranks 2 group [0, 1, 2] : tensor<4xf32>
  return
}

// -----

func.func @root_elsewhere(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.broadcast_from' op has rank 1 as root, which is not in its group}}
  %0 = cell.broadcast_from %x root 1 group [0, 2] : tensor<4xf32>
  return
}

// -----

func.func @peer(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.send' op has rank -2 as the other one}}
  %0 = cell.send %x to -2 tag 0 : tensor<4xf32>
  return
}

// -----

func.func @tag(%x: tensor<4xf32>) {
  // expected-error @+1 {{'cell.receive' op has tag -1; expected at least 0}}
  %0 = cell.receive %x from 1 tag -1 : tensor<4xf32>
  return
}
