// Derivative of cell.scatter. "add" is linear in x and updates together. So is "set", where x gets nothing
// for what was replaced, and of equal indices only the last one gets the cotangent.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=tangents --passes=cell-differentiate | FileCheck %s --check-prefix=TANGENTS

// FORWARD: cell.scatter "add" %{{.*}} into %{{.*}} at %{{.*}} dim 1 : tensor<2x4xf64>, tensor<2x3xf64>, tensor<4xi64>
func.func private @add(%x: tensor<2x3xf64>, %i: tensor<4xi64>, %u: tensor<2x4xf64>) -> tensor<2x3xf64> {
  %0 = cell.scatter "add" %u into %x at %i dim 1 : tensor<2x4xf64>, tensor<2x3xf64>, tensor<4xi64>
  return %0 : tensor<2x3xf64>
}

// FORWARD: cell.scatter "set" %{{.*}} into %{{.*}} at %{{.*}} dim 1 batch 1 : tensor<2x4xf64>, tensor<2x3xf64>, tensor<2x4xi32>
func.func private @set(%x: tensor<2x3xf64>, %i: tensor<2x4xi32>, %u: tensor<2x4xf64>) -> tensor<2x3xf64> {
  %0 = cell.scatter "set" %u into %x at %i dim 1 batch 1 : tensor<2x4xf64>, tensor<2x3xf64>, tensor<2x4xi32>
  return %0 : tensor<2x3xf64>
}

// ADJOINT-LABEL: func.func @vjp_add(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[I:[a-z0-9]+]]: {{[^,]*}}, %{{.*}}: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[R:.*]] = cell.gather %[[CT]] at %[[I]] dim 1
// ADJOINT-NEXT: return %[[CT]], %[[R]]
func.func @vjp_add(%x: tensor<2x3xf64>, %i: tensor<4xi64>, %u: tensor<2x4xf64>, %ct: tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x4xf64>) {
  %0:3 = cell.vjp @add(%x, %i, %u) cotangents(%ct) of [0] wrt [0, 2] : (tensor<2x3xf64>, tensor<4xi64>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x4xf64>)
  return %0#1, %0#2 : tensor<2x3xf64>, tensor<2x4xf64>
}

// Every slot remembers the number of the last update put there.
// ADJOINT-LABEL: func.func @vjp_set(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[I:[a-z0-9]+]]: {{[^,]*}}, %{{.*}}: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-DAG:  %[[ZX:.*]] = cell.constant dense<0> : tensor<2x3xi32>
// ADJOINT-DAG:  %[[ZU:.*]] = cell.constant dense<0.000000e+00> : tensor<2x4xf64>
// ADJOINT:      %[[G:.*]] = cell.gather %[[CT]] at %[[I]] dim 1 batch 1
// ADJOINT-NEXT: %[[N:.*]] = cell.iota dim 1 : tensor<2x4xi32>
// ADJOINT-NEXT: %[[S:.*]] = cell.scatter "set" %[[N]] into %[[ZX]] at %[[I]] dim 1 batch 1
// ADJOINT-NEXT: %[[L:.*]] = cell.gather %[[S]] at %[[I]] dim 1 batch 1
// ADJOINT-NEXT: %[[M:.*]] = cell.equal %[[L]], %[[N]]
// ADJOINT-NEXT: %[[DU:.*]] = cell.select %[[M]], %[[G]], %[[ZU]]
// ADJOINT-NEXT: %[[DX:.*]] = cell.scatter "set" %[[ZU]] into %[[CT]] at %[[I]] dim 1 batch 1
// ADJOINT-NEXT: return %[[DX]], %[[DU]]
func.func @vjp_set(%x: tensor<2x3xf64>, %i: tensor<2x4xi32>, %u: tensor<2x4xf64>, %ct: tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x4xf64>) {
  %0:3 = cell.vjp @set(%x, %i, %u) cotangents(%ct) of [0] wrt [0, 2] : (tensor<2x3xf64>, tensor<2x4xi32>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x4xf64>)
  return %0#1, %0#2 : tensor<2x3xf64>, tensor<2x4xf64>
}

// The tangent of x alone passes an addition, and is replaced by zeros otherwise.
// ADJOINT-LABEL: func.func @jvp(
// ADJOINT-SAME: %{{.*}}: {{[^,]*}}, %[[I:[a-z0-9]+]]: {{[^,]*}}, %[[J:[a-z0-9]+]]: {{[^,]*}}, %{{.*}}: {{[^,]*}}, %[[T:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[Z:.*]] = cell.constant dense<0.000000e+00> : tensor<2x4xf64>
// ADJOINT-NEXT: %[[R:.*]] = cell.scatter "set" %[[Z]] into %[[T]] at %[[J]] dim 1 batch 1
// ADJOINT-NEXT: return %[[T]], %[[R]]
func.func @jvp(%x: tensor<2x3xf64>, %i: tensor<4xi64>, %j: tensor<2x4xi32>, %u: tensor<2x4xf64>, %t: tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>) {
  %0:2 = cell.jvp @add(%x, %i, %u) tangents(%t) wrt [0] of [0] : (tensor<2x3xf64>, tensor<4xi64>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %1:2 = cell.jvp @set(%x, %j, %u) tangents(%t) wrt [0] of [0] : (tensor<2x3xf64>, tensor<2x4xi32>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#1, %1#1 : tensor<2x3xf64>, tensor<2x3xf64>
}

// The first row sets element 0 twice and element 2 (by 9, too) twice; the second sets all of one.
// VALUES:      result 0: tensor<2x3xf64> {{\[\[13.0, 20.0, 32.0\], \[47.0, 50.0, 62.0\]\]}}
// VALUES-NEXT: result 1: tensor<2x3xf64> {{\[\[1.0, 2.0, 3.0\], \[4.0, 5.0, 6.0\]\]}}
// VALUES-NEXT: result 2: tensor<2x4xf64> {{\[\[1.0, 1.0, 3.0, 1.0\], \[4.0, 4.0, 6.0, 4.0\]\]}}
// VALUES-NEXT: result 3: tensor<2x3xf64> {{\[\[1.0, 20.0, 2.0\], \[40.0, 4.0, 60.0\]\]}}
// VALUES-NEXT: result 4: tensor<2x3xf64> {{\[\[0.0, 2.0, 0.0\], \[4.0, 0.0, 6.0\]\]}}
// VALUES-NEXT: result 5: tensor<2x4xf64> {{\[\[0.0, 1.0, 0.0, 3.0\], \[0.0, 0.0, 0.0, 5.0\]\]}}
// VALUES-NEXT: result 6: tensor<2x3xf64> {{\[\[1.0, 20.0, 2.0\], \[40.0, 4.0, 60.0\]\]}}
func.func @values() -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x4xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x4xf64>, tensor<2x3xf64>) {
  %x = cell.constant dense<[[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]]> : tensor<2x3xf64>
  %i = cell.constant dense<[0, 0, 2, 0]> : tensor<4xi64>
  %j = cell.constant dense<[[0, 0, 2, 9], [1, 1, 1, 1]]> : tensor<2x4xi32>
  %u = cell.constant dense<[[1.0, 1.0, 2.0, 1.0], [1.0, 2.0, 2.0, 4.0]]> : tensor<2x4xf64>
  %v = cell.constant dense<[[7.0, 1.0, 7.0, 2.0], [1.0, 2.0, 3.0, 4.0]]> : tensor<2x4xf64>
  %w = cell.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %0:3 = cell.vjp @add(%x, %i, %u) cotangents(%w) of [0] wrt [0, 2] : (tensor<2x3xf64>, tensor<4xi64>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x4xf64>)
  %1:3 = cell.vjp @set(%x, %j, %v) cotangents(%w) of [0] wrt [0, 2] : (tensor<2x3xf64>, tensor<2x4xi32>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x4xf64>)
  %2:2 = cell.jvp @set(%x, %j, %v) tangents(%x, %v) wrt [0, 2] of [0] : (tensor<2x3xf64>, tensor<2x4xi32>, tensor<2x4xf64>, tensor<2x3xf64>, tensor<2x4xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#0, %0#1, %0#2, %1#0, %1#1, %1#2, %2#1 : tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x4xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x4xf64>, tensor<2x3xf64>
}

// The same updates as tangents, of both, of x alone and of the updates alone: what is not in the tangent is 0.
// TANGENTS:      result 0: tensor<2x3xf64> {{\[\[11.0, 2.0, 10.0\], \[11.0, 5.0, 9.0\]\]}}
// TANGENTS-NEXT: result 1: tensor<2x3xf64> {{\[\[1.0, 2.0, 3.0\], \[4.0, 5.0, 6.0\]\]}}
// TANGENTS-NEXT: result 2: tensor<2x3xf64> {{\[\[10.0, 0.0, 7.0\], \[7.0, 0.0, 3.0\]\]}}
// TANGENTS-NEXT: result 3: tensor<2x3xf64> {{\[\[1.0, 2.0, 2.0\], \[4.0, 4.0, 6.0\]\]}}
// TANGENTS-NEXT: result 4: tensor<2x3xf64> {{\[\[0.0, 2.0, 0.0\], \[4.0, 0.0, 6.0\]\]}}
// TANGENTS-NEXT: result 5: tensor<2x3xf64> {{\[\[1.0, 0.0, 2.0\], \[0.0, 4.0, 0.0\]\]}}
func.func @tangents() -> (tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>) {
  %x = cell.constant dense<[[10.0, 20.0, 30.0], [40.0, 50.0, 60.0]]> : tensor<2x3xf64>
  %i = cell.constant dense<[0, 0, 2, 0]> : tensor<4xi64>
  %j = cell.constant dense<[[0, 0, 2, 9], [1, 1, 1, 1]]> : tensor<2x4xi32>
  %u = cell.constant dense<[[1.0, 3.0, 2.0, 1.0], [1.0, 2.0, 2.0, 7.0]]> : tensor<2x4xf64>
  %tx = cell.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %tu = cell.constant dense<[[7.0, 1.0, 7.0, 2.0], [1.0, 2.0, 3.0, 4.0]]> : tensor<2x4xf64>
  %0:2 = cell.jvp @add(%x, %i, %u) tangents(%tx, %tu) wrt [0, 2] of [0] : (tensor<2x3xf64>, tensor<4xi64>, tensor<2x4xf64>, tensor<2x3xf64>, tensor<2x4xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %1:2 = cell.jvp @add(%x, %i, %u) tangents(%tx) wrt [0] of [0] : (tensor<2x3xf64>, tensor<4xi64>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %2:2 = cell.jvp @add(%x, %i, %u) tangents(%tu) wrt [2] of [0] : (tensor<2x3xf64>, tensor<4xi64>, tensor<2x4xf64>, tensor<2x4xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %3:2 = cell.jvp @set(%x, %j, %u) tangents(%tx, %tu) wrt [0, 2] of [0] : (tensor<2x3xf64>, tensor<2x4xi32>, tensor<2x4xf64>, tensor<2x3xf64>, tensor<2x4xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %4:2 = cell.jvp @set(%x, %j, %u) tangents(%tx) wrt [0] of [0] : (tensor<2x3xf64>, tensor<2x4xi32>, tensor<2x4xf64>, tensor<2x3xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  %5:2 = cell.jvp @set(%x, %j, %u) tangents(%tu) wrt [2] of [0] : (tensor<2x3xf64>, tensor<2x4xi32>, tensor<2x4xf64>, tensor<2x4xf64>) -> (tensor<2x3xf64>, tensor<2x3xf64>)
  return %0#1, %1#1, %2#1, %3#1, %4#1, %5#1 : tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>, tensor<2x3xf64>
}
