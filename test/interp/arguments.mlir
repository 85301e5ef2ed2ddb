// Where arguments come from: --arg in order, then cell.example, then --seed.
// RUN: cell-run %s --entry=f | FileCheck %s --check-prefix=EXAMPLE
// RUN: cell-run %s --entry=f --arg='dense<[3.0, 4.0]> : tensor<2xf32>' | FileCheck %s --check-prefix=ARG
// RUN: cell-run %s --entry=f --arg='dense<1.0> : tensor<2xf32>' --arg='dense<2.0> : tensor<2xf32>' \
// RUN:   | FileCheck %s --check-prefix=BOTH
// RUN: cell-run %s --entry=seeded --seed=7 > %t.first
// RUN: cell-run %s --entry=seeded --seed=7 | diff %t.first -
// RUN: cell-run %s --entry=seeded --seed=8 | not diff %t.first -
// RUN: FileCheck %s --check-prefix=SEED < %t.first

// EXAMPLE: result 0: tensor<2xf32> [11.0, 22.0]
// ARG:     result 0: tensor<2xf32> [13.0, 24.0]
// BOTH:    result 0: tensor<2xf32> [3.0, 3.0]
func.func private @f(%x: tensor<2xf32> {cell.example = dense<[1.0, 2.0]> : tensor<2xf32>},
                     %y: tensor<2xf32> {cell.example = dense<[10.0, 20.0]> : tensor<2xf32>}) -> tensor<2xf32> {
  %0 = cell.add %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Floats lie in [-1, 1).
// SEED: result 0: tensor<2xf32> [{{-?0\.[0-9]+, -?0\.[0-9]+}}]
// SEED: result 1: tensor<2xi32> [{{-?[0-8], -?[0-8]}}]
// SEED: result 2: tensor<i1> {{true|false}}
func.func private @seeded(%x: tensor<2xf32>, %n: tensor<2xi32>, %b: tensor<i1>)
    -> (tensor<2xf32>, tensor<2xi32>, tensor<i1>) {
  return %x, %n, %b : tensor<2xf32>, tensor<2xi32>, tensor<i1>
}
