// Calls a model in WebAssembly through its ES module: `node call.mjs model.wasm name`, as call.c does on other machines.
import { readFileSync, writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { load, ModelError } = await import(pathToFileURL(process.argv[2].replace(/\.wasm$/, ".mjs")));
const model = await load();
const input = readFileSync(0);
let at = 0;
const take = (count) => input.subarray(at, (at += count));
const output = [];
while (at < input.length) {
  const symbol = take(take(4).readInt32LE()).toString();
  const buffers = Array.from({ length: take(4).readInt32LE() }, () => take(Number(take(8).readBigInt64LE())));
  const entry = model.signature.entries.find((entry) => entry.symbol === symbol);
  const typed = (bytes, dtype) => {
    const named = { bool: "Uint8", float16: "Uint16", bfloat16: "Uint16", int64: "BigInt64", uint64: "BigUint64" };
    const array = globalThis[(named[dtype] ?? dtype[0].toUpperCase() + dtype.slice(1)) + "Array"];
    return new array(Uint8Array.from(bytes).buffer);
  };
  const args = Object.fromEntries(entry.args.map((arg, i) => [arg.name, typed(buffers[i], arg.dtype)]));
  let status = 0;
  try {
    const results = model.entries[entry.name](args);
    if (model.skipped) status = -1;
    entry.args.forEach((arg, i) => (buffers[i] = args[arg.name]));
    const own = entry.results.filter((result) => result.donated_arg === undefined);
    own.forEach((result, i) => (buffers[entry.args.length + i] = results[result.name]));
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    status = error.status;
  }
  const head = Buffer.alloc(4);
  head.writeInt32LE(status);
  output.push(head, ...buffers.map((b) => Buffer.from(b.buffer, b.byteOffset, b.byteLength)));
}
const sent = input.length ? Buffer.concat(output) : Buffer.from(JSON.stringify(model.signature));
for (let done = 0; done < sent.length; ) done += writeSync(1, sent, done);
