// Integers have tangents and cotangents of their own type; casts pass them on, except casts that round.
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=values --passes=cell-differentiate | FileCheck %s --check-prefix=VALUES
// RUN: cell-run %s --entry=scans --passes=cell-differentiate | FileCheck %s --check-prefix=SCANS
// RUN: cell-run %s --entry=second --passes=cell-differentiate | FileCheck %s --check-prefix=SECOND

func.func private @mixed(%x: tensor<2xf32>, %n: tensor<2xi32>) -> tensor<2xf32> {
  %0 = cell.cast %n : tensor<2xi32> to tensor<2xf32>
  %1 = cell.mul %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// What comes back to the integers is rounded, and the next derivative passes there.
// ADJOINT-LABEL: func.func @vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: tensor<2xf32>, %[[N:[a-z0-9]+]]: tensor<2xi32>, %[[CT:[a-z0-9]+]]: tensor<2xf32>)
// ADJOINT-NEXT: %[[F:.*]] = cell.cast %[[N]] : tensor<2xi32> to tensor<2xf32>
// ADJOINT-NEXT: %[[DX:.*]] = cell.mul %[[CT]], %[[F]]
// ADJOINT-NEXT: %[[P:.*]] = cell.mul %[[CT]], %[[X]]
// ADJOINT-NEXT: %[[DN:.*]] = cell.cast %[[P]] {cell.straight = true} : tensor<2xf32> to tensor<2xi32>
// ADJOINT-NEXT: return %[[DX]], %[[DN]]
func.func @vjp(%x: tensor<2xf32>, %n: tensor<2xi32>, %ct: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>) {
  %0:3 = cell.vjp @mixed(%x, %n) cotangents(%ct) of [0] wrt [0, 1] : (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xi32>)
  return %0#1, %0#2 : tensor<2xf32>, tensor<2xi32>
}

// Integers that come from rounding have no derivative, also where a loop carries them.
func.func private @rounds(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = cell.cast %x : tensor<2xf32> to tensor<2xi32>
  %1 = cell.mul %0, %0 : tensor<2xi32>
  %2 = cell.cast %1 : tensor<2xi32> to tensor<2xf32>
  %3 = cell.mul %2, %x : tensor<2xf32>
  return %3 : tensor<2xf32>
}

// ADJOINT-LABEL: func.func @rounded(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: tensor<2xf32>, %[[CT:[a-z0-9]+]]: tensor<2xf32>)
// ADJOINT-NEXT: %[[I:.*]] = cell.cast %[[X]] : tensor<2xf32> to tensor<2xi32>
// ADJOINT-NEXT: %[[S:.*]] = cell.mul %[[I]], %[[I]]
// ADJOINT-NEXT: %[[F:.*]] = cell.cast %[[S]]
// ADJOINT-NEXT: %[[DX:.*]] = cell.mul %[[CT]], %[[F]]
// ADJOINT-NEXT: return %[[DX]]
func.func @rounded(%x: tensor<2xf32>, %ct: tensor<2xf32>) -> tensor<2xf32> {
  %0:2 = cell.vjp @rounds(%x) cotangents(%ct) of [0] wrt [0] : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#1 : tensor<2xf32>
}

func.func private @remainder(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
  %0 = cell.floor_mod %x, %y : tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func private @truncated(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
  %0 = cell.trunc_mod %x, %y : tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func private @largest(%x: tensor<3xi32>) -> tensor<i32> {
  %0 = cell.reduce_max %x over [0] : tensor<3xi32> -> tensor<i32>
  return %0 : tensor<i32>
}
func.func private @larger(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
  %0 = cell.maximum %x, %y : tensor<2xi32>
  return %0 : tensor<2xi32>
}
func.func private @wraps(%x: tensor<2xi8>) -> tensor<2xi8> {
  %0 = cell.mul %x, %x : tensor<2xi8>
  %1 = cell.mul %0, %x : tensor<2xi8>
  return %1 : tensor<2xi8>
}

// -floor(7 / -2) = -floor(-7 / 2) = 4, and rounded towards zero 3. Two equal extrema have half of -3 each,
// rounded towards zero. 3 * 50 * 50 wraps to 76.
// VALUES:      result 0: tensor<2xi32> [1, 1]
// VALUES-NEXT: result 1: tensor<2xi32> [4, 4]
// VALUES-NEXT: result 2: tensor<2xi32> [3, 3]
// VALUES-NEXT: result 3: tensor<3xi32> [0, -1, -1]
// VALUES-NEXT: result 4: tensor<2xi32> [0, -3]
// VALUES-NEXT: result 5: tensor<2xi8> [12, 76]
// VALUES-NEXT: result 6: tensor<2xi32> [1, -2]
// VALUES-NEXT: result 7: tensor<2xf32> [4.5, -2.7]
func.func @values() -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<3xi32>, tensor<2xi32>, tensor<2xi8>, tensor<2xi32>, tensor<2xf32>) {
  %x = cell.constant dense<[7, -7]> : tensor<2xi32>
  %y = cell.constant dense<[-2, 2]> : tensor<2xi32>
  %one = cell.constant dense<1> : tensor<2xi32>
  %m = cell.constant dense<[1, 5, 5]> : tensor<3xi32>
  %minus = cell.constant dense<-3> : tensor<i32>
  %a = cell.constant dense<[5, 6]> : tensor<2xi32>
  %b = cell.constant dense<5> : tensor<2xi32>
  %w = cell.constant dense<[1, -3]> : tensor<2xi32>
  %c = cell.constant dense<[2, 50]> : tensor<2xi8>
  %d = cell.constant dense<1> : tensor<2xi8>
  %f = cell.constant dense<[1.5, -2.7]> : tensor<2xf32>
  %n = cell.constant dense<[3, 1]> : tensor<2xi32>
  %g = cell.constant dense<1.0> : tensor<2xf32>
  %0:3 = cell.vjp @remainder(%x, %y) cotangents(%one) of [0] wrt [0, 1] : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>)
  %1:2 = cell.vjp @truncated(%x, %y) cotangents(%one) of [0] wrt [1] : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  %2:2 = cell.vjp @largest(%m) cotangents(%minus) of [0] wrt [0] : (tensor<3xi32>, tensor<i32>) -> (tensor<i32>, tensor<3xi32>)
  %3:2 = cell.vjp @larger(%a, %b) cotangents(%w) of [0] wrt [0] : (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  %4:2 = cell.vjp @wraps(%c) cotangents(%d) of [0] wrt [0] : (tensor<2xi8>, tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>)
  %5:2 = cell.vjp @mixed(%f, %n) cotangents(%g) of [0] wrt [1] : (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  %6:2 = cell.jvp @mixed(%f, %n) tangents(%n) wrt [1] of [0] : (tensor<2xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>)
  return %0#1, %0#2, %1#1, %2#1, %3#1, %4#1, %5#1, %6#1 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<3xi32>, tensor<2xi32>, tensor<2xi8>, tensor<2xi32>, tensor<2xf32>
}

func.func private @products(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = cell.cumprod %x along 0 : tensor<4xi32>
  return %0 : tensor<4xi32>
}
func.func private @records(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0:2 = cell.cummax %x along 0 : tensor<4xi32>
  return %0#0 : tensor<4xi32>
}

// Of 2, 2*0, 2*0*3, 2*0*3*4 by each factor. 5 stays the largest where 3 comes.
// SCANS:      result 0: tensor<4xi32> [1, 32, 0, 0]
// SCANS-NEXT: result 1: tensor<4xi32> [1, 20, 0, 300]
func.func @scans() -> (tensor<4xi32>, tensor<4xi32>) {
  %x = cell.constant dense<[2, 0, 3, 4]> : tensor<4xi32>
  %y = cell.constant dense<[2, 5, 3, 6]> : tensor<4xi32>
  %one = cell.constant dense<1> : tensor<4xi32>
  %w = cell.constant dense<[1, 8, 12, 300]> : tensor<4xi32>
  %0:2 = cell.vjp @products(%x) cotangents(%one) of [0] wrt [0] : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  %1:2 = cell.vjp @records(%y) cotangents(%w) of [0] wrt [0] : (tensor<4xi32>, tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  return %0#1, %1#1 : tensor<4xi32>, tensor<4xi32>
}

func.func private @squared(%x: tensor<2xf32>, %n: tensor<2xi32>) -> tensor<2xf32> {
  %0 = cell.mul %x, %x : tensor<2xf32>
  %1 = cell.cast %n : tensor<2xi32> to tensor<2xf32>
  %2 = cell.mul %0, %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}
func.func private @by_integer(%x: tensor<2xf32>, %n: tensor<2xi32>) -> tensor<2xi32> {
  %one = cell.constant dense<1.0> : tensor<2xf32>
  %0:2 = cell.vjp @squared(%x, %n) cotangents(%one) of [0] wrt [1] : (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xi32>)
  return %0#1 : tensor<2xi32>
}

// x x, rounded, and its derivative 2x.
// SECOND:      result 0: tensor<2xi32> [6, 2]
// SECOND-NEXT: result 1: tensor<2xf32> [5.0, 3.0]
// SECOND-NEXT: result 2: tensor<2xi32> [5, 3]
func.func @second() -> (tensor<2xi32>, tensor<2xf32>, tensor<2xi32>) {
  %x = cell.constant dense<[2.5, 1.5]> : tensor<2xf32>
  %t = cell.constant dense<1.0> : tensor<2xf32>
  %n = cell.constant dense<[3, 4]> : tensor<2xi32>
  %one = cell.constant dense<1> : tensor<2xi32>
  %0:2 = cell.vjp @by_integer(%x, %n) cotangents(%one) of [0] wrt [0] : (tensor<2xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<2xi32>, tensor<2xf32>)
  %1:2 = cell.jvp @by_integer(%x, %n) tangents(%t) wrt [0] of [0] : (tensor<2xf32>, tensor<2xi32>, tensor<2xf32>) -> (tensor<2xi32>, tensor<2xi32>)
  return %0#0, %0#1, %1#1 : tensor<2xi32>, tensor<2xf32>, tensor<2xi32>
}
