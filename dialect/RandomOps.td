//===- RandomOps.td - random numbers from keys ----------------------------===//

#ifndef CELLGRAD_RANDOMOPS_TD
#define CELLGRAD_RANDOMOPS_TD

include "dialect/CellBase.td"

def Cell_RandomBitsOp : Cell_Op<"random_bits", [Pure]> {
  let summary = "Random bits: a function of the key and the position of the element";
  let description = [{
    Threefry-2x32 with 20 rounds (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011), a counter-based
    generator without state. The last dimension of `key` holds the two words of a key, those before it are leading
    dimensions of the result: each key has its own stream. Element i of a stream, counted in row-major order, is made of
    the two words of the block of counter i: their exclusive or for i32, both for i64, the first one on top. These are the
    numbers of JAX's `threefry_partitionable`. A key may have two more words, the lower and the upper half of a number
    that counters begin with, modulo 2^64: so a part of a stream is drawn by itself.

    ```mlir
    %bits = cell.random_bits %key : tensor<2xi32> -> tensor<3x4xi32>
    ```
  }];
  let arguments = (ins Cell_TensorOf<[I32]>:$key);
  let results = (outs Cell_TensorOf<[I32, I64]>:$result);
  let assemblyFormat = "$key attr-dict `:` type($key) `->` type($result)";
  let derivative = ZeroDerivative<"integers carry no derivative">;
  let batch = BatchAlike<[]>;
  let hasVerifier = 1;
}

#endif
