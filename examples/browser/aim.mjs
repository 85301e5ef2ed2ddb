// Aims a throw by its gradient. The page imports it; `node aim.mjs` reads where to begin from its input, as JSON,
// and writes every step.

/** A step of gradient descent on the square of the miss: moves `velocity`, and returns that square and its gradient. */
export function step(model, velocity, wind, target, rate = 0.2) {
  const { value, grad_velocity: gradient } = model.entries.value_and_grad({ velocity, wind, target });
  velocity.forEach((_, i) => (velocity[i] -= rate * gradient[i]));
  return { value: value[0], gradient };
}

/** The positions of the flight, x and y in turn. */
export function flight(model, velocity, wind) {
  return model.entries.forward({ velocity, wind }).out0;
}

async function inNode() {
  const { readFileSync } = await import("node:fs");
  const { load } = await import("./throw.mjs");
  const model = await load();
  const start = JSON.parse(readFileSync(0, "utf8"));
  const velocity = Float64Array.from(start.velocity);
  const wind = Float64Array.of(start.wind);
  const target = Float64Array.from(start.target);
  const steps = [];
  for (let value = Infinity; value > 1e-7 && steps.length < 100; ) {
    const begin = { velocity: [...velocity], path: [...flight(model, velocity, wind)] };
    const taken = step(model, velocity, wind, target);
    value = taken.value;
    steps.push({ ...begin, value, gradient: [...taken.gradient] });
  }
  console.log(JSON.stringify(steps));
}

if (typeof process !== "undefined" && import.meta.url.endsWith(process.argv[1] ?? "-")) await inNode();
