// Random bits: the blocks of counter 0 are the test vectors of Random123 (kat_vectors,
// threefry2x32 with 20 rounds: 6b200159 99ba4efe for key 0), the others what JAX 0.10 gives
// with jax_threefry_partitionable.
// RUN: cell-run %s | FileCheck %s

// CHECK:      result 0: tensor<i64> 7719171245655871230
// CHECK-NEXT: result 1: tensor<4x5xi32> {{\[\[}}-1113379620, -1228657762, -382294241, 1985247174, 155480040], [1581786415, -1690545473, -387745568, -2039570761, -850997734], [-1333094699, -122049032, 368750377, 667112019, -295353576], [-1312322050, -441403857, 756301264, 700693783, -1615387361]]
// CHECK-NEXT: result 2: tensor<3x4xi64> {{\[\[}}-5377093896742136501, -5241076826674569221, -7033000969443777026, -4030418180915239998], [7719171245655871230, 3989946895414531357, -639706131588038527, -7849079757828726850], [7409490244425684281, -365872533958548728, -5684365199256564535, -1361379084533661546]]
// CHECK-NEXT: result 3: tensor<3xi32> [-1113379620, -224768089, -1486563033]
func.func @bits(%k: tensor<2xi32> {cell.example = dense<[1, -7]> : tensor<2xi32>},
                %ks: tensor<3x2xi32> {cell.example = dense<[[1, -7], [0, 0], [320888, -123456789]]> : tensor<3x2xi32>})
    -> (tensor<i64>, tensor<4x5xi32>, tensor<3x4xi64>, tensor<3xi32>) {
  %zero = cell.constant dense<0> : tensor<2xi32>
  %0 = cell.random_bits %zero : tensor<2xi32> -> tensor<i64>
  %1 = cell.random_bits %k : tensor<2xi32> -> tensor<4x5xi32>
  %2 = cell.random_bits %ks : tensor<3x2xi32> -> tensor<3x4xi64>
  %3 = cell.random_bits %ks : tensor<3x2xi32> -> tensor<3xi32>
  return %0, %1, %2, %3 : tensor<i64>, tensor<4x5xi32>, tensor<3x4xi64>, tensor<3xi32>
}
