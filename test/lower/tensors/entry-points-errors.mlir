// RUN: cell-opt %s --cell-convert-entry-points --split-input-file --verify-diagnostics

// expected-error @+1 {{argument #0 must be a ranked tensor of static shape with a bool, integer (8 to 64 bits), f16, bf16, f32 or f64 element type, but is 'tensor<?xf32>'}}
func.func @dynamic(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// -----

// expected-error @+1 {{result #0 must be a ranked tensor of static shape}}
func.func @scalar(%x: tensor<f32>) -> f32 {
  %0 = tensor.extract %x[] : tensor<f32>
  return %0 : f32
}

// -----

// expected-error @+1 {{argument #0 is donated to result #3, but the function has 1 results}}
func.func @range(%x: tensor<4xf32> {cell.donate = 3 : i64}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{result #0 has two donated arguments, #0 and #1; donate one}}
func.func @twice(%x: tensor<4xf32> {cell.donate = 0 : i64}, %y: tensor<4xf32> {cell.donate = 0 : i64}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument #0 of type 'tensor<4xf32>' is donated to result #0 of type 'tensor<5xf32>'; the types must be equal}}
func.func @types(%x: tensor<4xf32> {cell.donate = 0 : i64}, %y: tensor<5xf32>) -> tensor<5xf32> {
  return %y : tensor<5xf32>
}

// -----

// expected-error @+1 {{result #0 has cell.skipped and must be tensor<i1>, but is 'tensor<1xi1>'}}
func.func @not_scalar(%x: tensor<1xi1>) -> (tensor<1xi1> {cell.skipped}) {
  return %x : tensor<1xi1>
}

// -----

// expected-error @+1 {{results #0 and #1 both have cell.skipped; mark one}}
func.func @two(%x: tensor<i1>) -> (tensor<i1> {cell.skipped}, tensor<i1> {cell.skipped}) {
  return %x, %x : tensor<i1>, tensor<i1>
}

// -----

// expected-error @+1 {{is private and was not inlined; inline calls before lowering entry points}}
func.func private @helper(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{must have one block; control flow is written with scf}}
func.func @blocks(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^bb1
^bb1:
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument #0 is 'tensor<4294967296x4294967296xf32>', which is larger than the 2^47 bytes that a process can address}}
func.func @size(%x: tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32> {
  return %x : tensor<4294967296x4294967296xf32>
}

// -----

func.func @recursive(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{calls @recursive, which was not inlined: recursion cannot be compiled; write it as a loop}}
  %0 = call @recursive(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func private @elsewhere(tensor<4xf32>) -> tensor<4xf32>
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{calls @elsewhere, which has no body: a model contains all that it calls; give it one}}
  %0 = call @elsewhere(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @+1 {{'func.func' op must end in func.return}}
func.func @endless(%x: tensor<f32>) -> tensor<f32> {
  llvm.unreachable
}
