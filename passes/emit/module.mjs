
// What follows is the same for all models.

/** The functions of C's libm that JavaScript has; others are no part of a model in WebAssembly. */
const libm = {
  acos: Math.acos,
  acosh: Math.acosh,
  asin: Math.asin,
  asinh: Math.asinh,
  atan: Math.atan,
  atan2: Math.atan2,
  atanh: Math.atanh,
  cbrt: Math.cbrt,
  cos: Math.cos,
  cosh: Math.cosh,
  exp: Math.exp,
  expm1: Math.expm1,
  fmod: (x, y) => x % y,
  log: Math.log,
  log10: Math.log10,
  log1p: Math.log1p,
  log2: Math.log2,
  // JavaScript says NaN where C says 1.
  pow: (x, y) => (x === 1 || (x === -1 && (y === Infinity || y === -Infinity)) ? 1 : Math.pow(x, y)),
  sin: Math.sin,
  sinh: Math.sinh,
  tan: Math.tan,
  tanh: Math.tanh,
};

/** Arrays of each dtype; float16 and bfloat16 by their bits. */
const arrays = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
};
const dtypes = ["bool", "int8", "int16", "int32", "int64", "uint8", "float16", "bfloat16", "float32", "float64"];
dtypes.push("uint16", "uint32", "uint64");

/** An entry returned an error: `status` is its code, as in cellgrad's C header. */
export class ModelError extends Error {
  constructor(message, status) {
    super(message);
    this.name = "ModelError";
    this.status = status;
  }
}

/**
 * Loads the model: by default the .wasm file beside this module, else its bytes or a WebAssembly.Module. `print` gets
 * each line that the model prints; without it they go to the console.
 *
 * `entries` of the result has a function for each entry. It takes the arguments by name, typed arrays of the elements in row-major
 * order, and returns the results in the same way: new arrays, except those of arguments that the entry updates in
 * place. It throws TypeError or RangeError where a name, a type or a number of elements is wrong, and ModelError where
 * the entry reports an error: no argument is changed then. `skipped` is whether the last call left its update out,
 * because a gradient was not finite.
 */
export async function load(source, { print = console.log } = {}) {
  let wasm;
  let line = "";
  const view = () => new DataView(wasm.memory.buffer);
  const bytes = (at, count) => new Uint8Array(wasm.memory.buffer, at, count);
  const text = (at) => {
    const rest = new Uint8Array(wasm.memory.buffer, at);
    return new TextDecoder().decode(rest.slice(0, rest.indexOf(0)));
  };
  const printPiece = (at, dtype, rank, shapeAt, data) => {
    line += text(at);
    if (data) {
      const shape = Array.from({ length: rank }, (_, i) => Number(view().getBigInt64(shapeAt + 8 * i, true)));
      const type = arrays[dtypes[dtype]];
      const count = shape.reduce((n, extent) => n * extent, 1);
      const all = new type(bytes(data, count * type.BYTES_PER_ELEMENT).slice().buffer);
      const nested = (at, dim, size) =>
        dim === rank
          ? String(all[at])
          : `[${Array.from({ length: shape[dim] }, (_, i) =>
              nested(at + (i * size) / shape[dim], dim + 1, size / shape[dim]),
            ).join(dim === rank - 1 ? " " : "\n" + " ".repeat(dim + 1))}]`;
      line += nested(0, 0, count);
    }
    if (line.endsWith("\n")) {
      print(line.slice(0, -1));
      line = "";
    }
  };
  const env = { print: printPiece };
  for (const [name, compute] of Object.entries(libm)) {
    env[name] = compute;
    env[name + "f"] = compute; // WebAssembly rounds what it gets
  }
  wasm = await instantiate(source, { env });

  const signature = JSON.parse(text(wasm[`cg_${modelName}_signature`]()));
  const model = { signature, entries: {}, skipped: false };
  for (const entry of signature.entries)
    model.entries[entry.name] = (given = {}) => {
      const batch = check(entry, given);
      const shapeOf = (spec) => spec.shape.map((extent) => extent ?? batch);
      const count = (spec) => shapeOf(spec).reduce((n, extent) => n * extent, 1);
      const own = entry.results.filter((result) => result.donated_arg === undefined);
      const buffers = [...entry.args.filter((arg) => arg.role !== "batch"), ...own];
      const taken = [];
      const take = (size) => {
        const at = wasm.cg_alloc(size) >>> 0;
        if (!at) throw new ModelError(`'${entry.name}' needs more memory than WebAssembly has`, 6);
        taken.push(at);
        return at;
      };
      try {
        // A slot of 8 bytes for each, as on other machines.
        const open = entry.args.length + own.length > buffers.length;
        const slots = take(8 * (buffers.length + 1));
        const places = buffers.map((spec) => take(count(spec) * arrays[spec.dtype].BYTES_PER_ELEMENT));
        if (open) view().setBigInt64(slots, BigInt(batch), true);
        places.forEach((at, i) => view().setBigUint64(slots + 8 * (i + (open ? 1 : 0)), BigInt(at), true));
        buffers.forEach((spec, i) => {
          const array = given[spec.name];
          if (spec.role !== "result") bytes(places[i], array.byteLength).set(raw(array));
        });
        const status = wasm[entry.symbol](slots, 0);
        if (status > 0) throw new ModelError(text(wasm[`cg_${modelName}_status_message`](status)), status);
        model.skipped = status < 0;
        const results = {};
        for (const result of entry.results) {
          const donated = entry.args[result.donated_arg];
          const array = donated ? given[donated.name] : new arrays[result.dtype](count(result));
          raw(array).set(bytes(places[buffers.indexOf(donated ?? result)], array.byteLength));
          results[result.name] = array;
        }
        return results;
      } finally {
        taken.forEach((at) => wasm.cg_free(at));
      }
    };
  return model;
}

const raw = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

async function instantiate(source, imports) {
  if (source === undefined) {
    const url = new URL(wasmFile, import.meta.url);
    source =
      url.protocol === "file:"
        ? await (await import("node:fs/promises")).readFile(url)
        : await (await fetch(url)).arrayBuffer();
  }
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  return (await WebAssembly.instantiate(module, imports)).exports;
}

/** Throws where `given` does not fit the entry; returns the batch where that is open. */
function check(entry, given) {
  const args = entry.args.filter((arg) => arg.role !== "batch");
  for (const name of Object.keys(given))
    if (!args.some((arg) => arg.name === name))
      throw new TypeError(
        `'${entry.name}' has no argument '${name}': expected ${args.map((arg) => `'${arg.name}'`).join(", ")}`,
      );
  let batch;
  for (const arg of args) {
    const array = given[arg.name];
    const type = arrays[arg.dtype];
    const size = arg.shape.reduce((n, extent) => n * (extent ?? 1), 1);
    const shape = `${arg.dtype}[${arg.shape.map((extent) => extent ?? "batch").join(", ")}]`;
    if (!(array instanceof type))
      throw new TypeError(
        `'${entry.name}' needs '${arg.name}': expected ${shape} as ${type.name}, got ${array?.constructor?.name ?? array}`,
      );
    const open = arg.shape.includes(null);
    if (open) batch ??= array.length / size;
    if (array.length !== (open ? size * batch : size) || (open && (!Number.isInteger(batch) || batch < 1)))
      throw new RangeError(
        `'${entry.name}', argument '${arg.name}': expected the elements of ${shape}, got ${array.length}`,
      );
  }
  return batch;
}

/** The arrays of a .safetensors file by name, such as the weights that ms.export writes. */
export function readSafetensors(contents) {
  const data = ArrayBuffer.isView(contents) ? raw(contents) : new Uint8Array(contents);
  const size = Number(new DataView(data.buffer, data.byteOffset).getBigUint64(0, true));
  const header = JSON.parse(new TextDecoder().decode(data.subarray(8, 8 + size)));
  const names = { F64: "float64", F32: "float32", F16: "float16", BF16: "bfloat16", BOOL: "bool" };
  for (const n of [8, 16, 32, 64]) Object.assign(names, { [`I${n}`]: `int${n}`, [`U${n}`]: `uint${n}` });
  const tensors = {};
  delete header.__metadata__;
  for (const [name, { dtype, data_offsets: [begin, end] }] of Object.entries(header))
    tensors[name] = new arrays[names[dtype]](data.slice(8 + size + begin, 8 + size + end).buffer);
  return tensors;
}
