// Derivative of cell.conv, plain and with strides, dilations and groups. Bilinear; both adjoints are
// convolutions. Expected numbers by PyTorch's conv1d and conv2d and their gradients in float64.
// RUN: cell-opt %s | cell-opt | FileCheck %s --check-prefix=FORWARD
// RUN: cell-opt %s --cell-differentiate | FileCheck %s --check-prefix=ADJOINT
// RUN: cell-run %s --entry=plain_values --passes=cell-differentiate | FileCheck %s --check-prefix=PLAIN
// RUN: cell-run %s --entry=square_values --passes=cell-differentiate | FileCheck %s --check-prefix=SQUARE
// RUN: cell-run %s --entry=groups_values --passes=cell-differentiate | FileCheck %s --check-prefix=GROUPS
// RUN: cell-run %s --entry=second --passes=cell-differentiate | FileCheck %s --check-prefix=SECOND

// FORWARD-LABEL: @plain(
// FORWARD: cell.conv %{{.*}}, %{{.*}} strides [1, 1] dilations [1, 1] groups 1 : (tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>) -> tensor<1x1x2x2xf64>
func.func private @plain(%x: tensor<1x1x3x3xf64>, %w: tensor<1x1x2x2xf64>) -> tensor<1x1x2x2xf64> {
  %0 = cell.conv %x, %w strides [1, 1] dilations [1, 1] groups 1 : (tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>) -> tensor<1x1x2x2xf64>
  return %0 : tensor<1x1x2x2xf64>
}

// ADJOINT-LABEL: func.func @plain_vjp(
// ADJOINT-SAME: %[[X:[a-z0-9]+]]: {{[^,]*}}, %[[W:[a-z0-9]+]]: {{[^,]*}}, %[[CT:[a-z0-9]+]]: {{[^,]*}})
// ADJOINT-NEXT: %[[T:.*]] = cell.transpose %[[W]] perm [1, 0, 2, 3]
// ADJOINT-NEXT: %[[R:.*]] = cell.reverse %[[T]] over [2, 3]
// ADJOINT-NEXT: %[[P:.*]] = cell.pad %[[CT]] low [0, 0, 1, 1] high [0, 0, 1, 1] interior [0, 0, 0, 0]
// ADJOINT-NEXT: %[[DX:.*]] = cell.conv %[[P]], %[[R]] strides [1, 1] dilations [1, 1] groups 1
// ADJOINT-NEXT: %[[XT:.*]] = cell.transpose %[[X]] perm [1, 0, 2, 3]
// ADJOINT-NEXT: %[[CTT:.*]] = cell.transpose %[[CT]] perm [1, 0, 2, 3]
// ADJOINT-NEXT: %[[C:.*]] = cell.conv %[[XT]], %[[CTT]] strides [1, 1] dilations [1, 1] groups 1
// ADJOINT-NEXT: %[[DW:.*]] = cell.transpose %[[C]] perm [1, 0, 2, 3]
// ADJOINT-NEXT: return %[[DX]], %[[DW]]
func.func @plain_vjp(%x: tensor<1x1x3x3xf64>, %w: tensor<1x1x2x2xf64>, %ct: tensor<1x1x2x2xf64>) -> (tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>) {
  %0:3 = cell.vjp @plain(%x, %w) cotangents(%ct) of [0] wrt [0, 1] : (tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>, tensor<1x1x2x2xf64>) -> (tensor<1x1x2x2xf64>, tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>)
  return %0#1, %0#2 : tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>
}

// PLAIN:      result 0: tensor<1x1x2x2xf64> {{\[\[\[\[7.0, 0.0\], \[-7.0, 8.0\]\]\]\]}}
// PLAIN-NEXT: result 1: tensor<1x1x3x3xf64> {{\[\[\[\[2.0, -5.0, 3.0\], \[-3.0, 7.0, -2.0\], \[-9.0, 6.0, -1.0\]\]\]\]}}
// PLAIN-NEXT: result 2: tensor<1x1x2x2xf64> {{\[\[\[\[2.0, -13.0\], \[5.0, -15.0\]\]\]\]}}
// PLAIN-NEXT: result 3: tensor<1x1x2x2xf64> {{\[\[\[\[-2.0, -9.0\], \[-1.0, 6.0\]\]\]\]}}
func.func @plain_values() -> (tensor<1x1x2x2xf64>, tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>, tensor<1x1x2x2xf64>) {
  %x = cell.constant dense<[[[[-1.0, -3.0, 1.0], [-2.0, -1.0, 1.0], [1.0, -3.0, 1.0]]]]> : tensor<1x1x3x3xf64>
  %w = cell.constant dense<[[[[1.0, -1.0], [-3.0, 1.0]]]]> : tensor<1x1x2x2xf64>
  %ct = cell.constant dense<[[[[2.0, -3.0], [3.0, -1.0]]]]> : tensor<1x1x2x2xf64>
  %tx = cell.constant dense<[[[[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [-2.0, 0.0, -2.0]]]]> : tensor<1x1x3x3xf64>
  %tw = cell.constant dense<[[[[3.0, 3.0], [-3.0, -2.0]]]]> : tensor<1x1x2x2xf64>
  %0:3 = cell.vjp @plain(%x, %w) cotangents(%ct) of [0] wrt [0, 1] : (tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>, tensor<1x1x2x2xf64>) -> (tensor<1x1x2x2xf64>, tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>)
  %1:2 = cell.jvp @plain(%x, %w) tangents(%tx, %tw) wrt [0, 1] of [0] : (tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>, tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>) -> (tensor<1x1x2x2xf64>, tensor<1x1x2x2xf64>)
  return %0#0, %0#1, %0#2, %1#1 : tensor<1x1x2x2xf64>, tensor<1x1x3x3xf64>, tensor<1x1x2x2xf64>, tensor<1x1x2x2xf64>
}

// As many images as channels as filters, so that an exchange of dimensions that is left out is another number.
func.func private @square(%x: tensor<2x2x3xf64>, %w: tensor<2x2x2xf64>) -> tensor<2x2x2xf64> {
  %0 = cell.conv %x, %w strides [1] dilations [1] groups 1 : (tensor<2x2x3xf64>, tensor<2x2x2xf64>) -> tensor<2x2x2xf64>
  return %0 : tensor<2x2x2xf64>
}

// SQUARE:      result 0: tensor<2x2x2xf64> {{\[\[\[-3.0, -5.0\], \[2.0, 2.0\]\], \[\[-9.0, 0.0\], \[6.0, 1.0\]\]\]}}
// SQUARE-NEXT: result 1: tensor<2x2x3xf64> {{\[\[\[-5.0, 6.0, -1.0\], \[-2.0, 2.0, 0.0\]\], \[\[-4.0, 2.0, 2.0\], \[-3.0, 2.0, 1.0\]\]\]}}
// SQUARE-NEXT: result 2: tensor<2x2x2xf64> {{\[\[\[6.0, 4.0\], \[0.0, -9.0\]\], \[\[-5.0, 3.0\], \[-3.0, 1.0\]\]\]}}
// SQUARE-NEXT: result 3: tensor<2x2x2xf64> {{\[\[\[10.0, 8.0\], \[-8.0, -6.0\]\], \[\[-4.0, -5.0\], \[12.0, -6.0\]\]\]}}
func.func @square_values() -> (tensor<2x2x2xf64>, tensor<2x2x3xf64>, tensor<2x2x2xf64>, tensor<2x2x2xf64>) {
  %x = cell.constant dense<[[[1.0, 0.0, -3.0], [-1.0, -2.0, -1.0]], [[3.0, 0.0, 1.0], [2.0, -1.0, -3.0]]]> : tensor<2x2x3xf64>
  %w = cell.constant dense<[[[-2.0, 2.0], [-1.0, 1.0]], [[1.0, -1.0], [1.0, -1.0]]]> : tensor<2x2x2xf64>
  %ct = cell.constant dense<[[[3.0, -1.0], [1.0, -1.0]], [[1.0, 1.0], [-2.0, 0.0]]]> : tensor<2x2x2xf64>
  %tx = cell.constant dense<[[[-2.0, 1.0, -2.0], [-3.0, 1.0, 2.0]], [[0.0, 1.0, 0.0], [-1.0, -2.0, 1.0]]]> : tensor<2x2x3xf64>
  %tw = cell.constant dense<[[[1.0, -3.0], [-3.0, 2.0]], [[3.0, 1.0], [2.0, 1.0]]]> : tensor<2x2x2xf64>
  %0:3 = cell.vjp @square(%x, %w) cotangents(%ct) of [0] wrt [0, 1] : (tensor<2x2x3xf64>, tensor<2x2x2xf64>, tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2x2x3xf64>, tensor<2x2x2xf64>)
  %1:2 = cell.jvp @square(%x, %w) tangents(%tx, %tw) wrt [0, 1] of [0] : (tensor<2x2x3xf64>, tensor<2x2x2xf64>, tensor<2x2x3xf64>, tensor<2x2x2xf64>) -> (tensor<2x2x2xf64>, tensor<2x2x2xf64>)
  return %0#0, %0#1, %0#2, %1#1 : tensor<2x2x2xf64>, tensor<2x2x3xf64>, tensor<2x2x2xf64>, tensor<2x2x2xf64>
}

// FORWARD-LABEL: @groups(
// FORWARD: cell.conv %{{.*}}, %{{.*}} strides [2] dilations [3] groups 2
func.func private @groups(%x: tensor<2x4x7xf64>, %w: tensor<4x2x2xf64>) -> tensor<2x4x2xf64> {
  %0 = cell.conv %x, %w strides [2] dilations [3] groups 2 : (tensor<2x4x7xf64>, tensor<4x2x2xf64>) -> tensor<2x4x2xf64>
  return %0 : tensor<2x4x2xf64>
}

// The last element of x is out of every window's reach; strides and dilations change places.
// ADJOINT-LABEL: func.func @groups_vjp(
// ADJOINT: %[[P:.*]] = cell.pad %{{.*}} low [0, 0, 3] high [0, 0, 4] interior [0, 0, 1]
// ADJOINT: cell.conv %[[P]], %{{.*}} strides [1] dilations [3] groups 2 : (tensor<2x4x10xf64>, tensor<4x2x2xf64>) -> tensor<2x4x7xf64>
// ADJOINT: cell.slice %{{.*}} from [0, 0, 0] to [2, 4, 6]
// ADJOINT: cell.conv %{{.*}}, %{{.*}} strides [3] dilations [2] groups 2 : (tensor<2x4x6xf64>, tensor<4x2x2xf64>) -> tensor<2x4x2xf64>
func.func @groups_vjp(%x: tensor<2x4x7xf64>, %w: tensor<4x2x2xf64>, %ct: tensor<2x4x2xf64>) -> (tensor<2x4x7xf64>, tensor<4x2x2xf64>) {
  %0:3 = cell.vjp @groups(%x, %w) cotangents(%ct) of [0] wrt [0, 1] : (tensor<2x4x7xf64>, tensor<4x2x2xf64>, tensor<2x4x2xf64>) -> (tensor<2x4x2xf64>, tensor<2x4x7xf64>, tensor<4x2x2xf64>)
  return %0#1, %0#2 : tensor<2x4x7xf64>, tensor<4x2x2xf64>
}

// GROUPS:      result 0: tensor<2x4x2xf64> {{\[\[\[6.0, -14.0\], \[-3.0, 10.0\], \[11.0, -2.0\], \[4.0, -13.0\]\], \[\[11.0, 10.0\], \[-4.0, -3.0\], \[-17.0, 4.0\], \[-6.0, 4.0\]\]\]}}
// GROUPS-NEXT: result 1: tensor<2x4x7xf64> {{\[\[\[6.0, 0.0, 0.0, -9.0, 0.0, 0.0, 0.0\], \[1.0, 0.0, -3.0, -7.0, 0.0, -6.0, 0.0\], \[5.0, 0.0, -5.0, 0.0, 0.0, -5.0, 0.0\], \[8.0, 0.0, -1.0, 1.0, 0.0, -2.0, 0.0\]\], \[\[-4.0, 0.0, 4.0, 6.0, 0.0, -6.0, 0.0\], \[-1.0, 0.0, 2.0, 4.0, 0.0, -2.0, 0.0\], \[12.0, 0.0, 8.0, 13.0, 0.0, 7.0, 0.0\], \[1.0, 0.0, 3.0, 5.0, 0.0, 3.0, 0.0\]\]\]}}
// GROUPS-NEXT: result 2: tensor<4x2x2xf64> {{\[\[\[10.0, -12.0\], \[8.0, 7.0\]\], \[\[8.0, -9.0\], \[3.0, 5.0\]\], \[\[10.0, -2.0\], \[-8.0, -1.0\]\], \[\[-11.0, 2.0\], \[-15.0, -8.0\]\]\]}}
// GROUPS-NEXT: result 3: tensor<2x4x2xf64> {{\[\[\[6.0, 3.0\], \[-18.0, 24.0\], \[2.0, -1.0\], \[-6.0, -12.0\]\], \[\[-21.0, 0.0\], \[-3.0, -14.0\], \[6.0, 14.0\], \[5.0, 5.0\]\]\]}}
func.func @groups_values() -> (tensor<2x4x2xf64>, tensor<2x4x7xf64>, tensor<4x2x2xf64>, tensor<2x4x2xf64>) {
  %x = cell.constant dense<[[[0.0, 0.0, -2.0, -1.0, 2.0, 3.0, -1.0], [3.0, -1.0, -2.0, 0.0, -1.0, -1.0, 1.0], [-3.0, 3.0, 1.0, 1.0, 1.0, 3.0, -1.0], [-1.0, 0.0, -3.0, -2.0, 3.0, -1.0, -3.0]], [[2.0, 2.0, 3.0, -2.0, 0.0, -2.0, -1.0], [3.0, 1.0, 1.0, 2.0, 1.0, 3.0, 3.0], [3.0, -2.0, -3.0, 1.0, 3.0, 0.0, 2.0], [3.0, -1.0, 1.0, 0.0, -2.0, 3.0, -2.0]]]> : tensor<2x4x7xf64>
  %w = cell.constant dense<[[[2.0, -3.0], [1.0, -1.0]], [[-2.0, 3.0], [0.0, 3.0]], [[-3.0, -2.0], [-2.0, -1.0]], [[-2.0, -3.0], [1.0, -1.0]]]> : tensor<4x2x2xf64>
  %ct = cell.constant dense<[[[1.0, -3.0], [-2.0, -3.0], [-3.0, 1.0], [2.0, 1.0]], [[-1.0, 2.0], [1.0, 0.0], [-2.0, -2.0], [-3.0, -1.0]]]> : tensor<2x4x2xf64>
  %tx = cell.constant dense<[[[0.0, 0.0, 2.0, -1.0, 0.0, 3.0, 3.0], [3.0, -1.0, 2.0, -1.0, 1.0, 3.0, 2.0], [-2.0, 2.0, -2.0, 0.0, 2.0, 1.0, -1.0], [-1.0, -3.0, 2.0, 1.0, 1.0, 1.0, 3.0]], [[-3.0, 2.0, 1.0, 3.0, 2.0, -2.0, -1.0], [-1.0, 1.0, 1.0, -3.0, -2.0, -2.0, 1.0], [2.0, -2.0, -2.0, -1.0, -2.0, -1.0, -3.0], [-1.0, -1.0, -2.0, 3.0, 2.0, 0.0, 2.0]]]> : tensor<2x4x7xf64>
  %tw = cell.constant dense<[[[-3.0, 1.0], [0.0, 0.0]], [[2.0, 3.0], [-3.0, 1.0]], [[1.0, 2.0], [2.0, 1.0]], [[1.0, -2.0], [3.0, 0.0]]]> : tensor<4x2x2xf64>
  %0:3 = cell.vjp @groups(%x, %w) cotangents(%ct) of [0] wrt [0, 1] : (tensor<2x4x7xf64>, tensor<4x2x2xf64>, tensor<2x4x2xf64>) -> (tensor<2x4x2xf64>, tensor<2x4x7xf64>, tensor<4x2x2xf64>)
  %1:2 = cell.jvp @groups(%x, %w) tangents(%tx, %tw) wrt [0, 1] of [0] : (tensor<2x4x7xf64>, tensor<4x2x2xf64>, tensor<2x4x7xf64>, tensor<4x2x2xf64>) -> (tensor<2x4x2xf64>, tensor<2x4x2xf64>)
  return %0#0, %0#1, %0#2, %1#1 : tensor<2x4x2xf64>, tensor<2x4x7xf64>, tensor<4x2x2xf64>, tensor<2x4x2xf64>
}

// Second order of sum(conv(x, w)^2): reverse over reverse and forward over reverse agree.
func.func private @energy(%x: tensor<1x1x4xf64>, %w: tensor<1x1x2xf64>) -> tensor<f64> {
  %0 = cell.conv %x, %w strides [2] dilations [1] groups 1 : (tensor<1x1x4xf64>, tensor<1x1x2xf64>) -> tensor<1x1x2xf64>
  %1 = cell.square %0 : tensor<1x1x2xf64>
  %2 = cell.reduce_sum %1 over [0, 1, 2] : tensor<1x1x2xf64> -> tensor<f64>
  return %2 : tensor<f64>
}
func.func private @gradient(%x: tensor<1x1x4xf64>, %w: tensor<1x1x2xf64>) -> (tensor<1x1x4xf64>, tensor<1x1x2xf64>) {
  %one = cell.constant dense<1.0> : tensor<f64>
  %0:3 = cell.vjp @energy(%x, %w) cotangents(%one) of [0] wrt [0, 1] : (tensor<1x1x4xf64>, tensor<1x1x2xf64>, tensor<f64>) -> (tensor<f64>, tensor<1x1x4xf64>, tensor<1x1x2xf64>)
  return %0#1, %0#2 : tensor<1x1x4xf64>, tensor<1x1x2xf64>
}
// SECOND:      result 0: tensor<1x1x4xf64> {{\[\[\[0.0, 0.0, -20.0, 10.0\]\]\]}}
// SECOND-NEXT: result 1: tensor<1x1x2xf64> {{\[\[\[10.0, -30.0\]\]\]}}
// SECOND-NEXT: result 2: tensor<1x1x4xf64> {{\[\[\[20.0, -10.0, -18.0, -6.0\]\]\]}}
// SECOND-NEXT: result 3: tensor<1x1x2xf64> {{\[\[\[24.0, -12.0\]\]\]}}
// SECOND-NEXT: result 4: tensor<1x1x4xf64> {{\[\[\[20.0, -10.0, -18.0, -6.0\]\]\]}}
// SECOND-NEXT: result 5: tensor<1x1x2xf64> {{\[\[\[24.0, -12.0\]\]\]}}
func.func @second() -> (tensor<1x1x4xf64>, tensor<1x1x2xf64>, tensor<1x1x4xf64>, tensor<1x1x2xf64>, tensor<1x1x4xf64>, tensor<1x1x2xf64>) {
  %x = cell.constant dense<[[[1.0, 2.0, -1.0, 3.0]]]> : tensor<1x1x4xf64>
  %w = cell.constant dense<[[[2.0, -1.0]]]> : tensor<1x1x2xf64>
  %vx = cell.constant dense<[[[1.0, 0.0, -1.0, 2.0]]]> : tensor<1x1x4xf64>
  %vw = cell.constant dense<1.0> : tensor<1x1x2xf64>
  %0:4 = cell.vjp @gradient(%x, %w) cotangents(%vx, %vw) of [0, 1] wrt [0, 1] : (tensor<1x1x4xf64>, tensor<1x1x2xf64>, tensor<1x1x4xf64>, tensor<1x1x2xf64>) -> (tensor<1x1x4xf64>, tensor<1x1x2xf64>, tensor<1x1x4xf64>, tensor<1x1x2xf64>)
  %1:4 = cell.jvp @gradient(%x, %w) tangents(%vx, %vw) wrt [0, 1] of [0, 1] : (tensor<1x1x4xf64>, tensor<1x1x2xf64>, tensor<1x1x4xf64>, tensor<1x1x2xf64>) -> (tensor<1x1x4xf64>, tensor<1x1x2xf64>, tensor<1x1x4xf64>, tensor<1x1x2xf64>)
  return %0#0, %0#1, %0#2, %0#3, %1#2, %1#3 : tensor<1x1x4xf64>, tensor<1x1x2xf64>, tensor<1x1x4xf64>, tensor<1x1x2xf64>, tensor<1x1x4xf64>, tensor<1x1x2xf64>
}
