import { measureShape } from './measure.ts';

/** Prints the costs of a shape of the lengths named, one JSON object per line; no shape is prose. */
const [shape, ...lengths] = process.argv.slice(2);
await measureShape(shape === '' ? null : shape!, lengths.map(Number), (cost) =>
  process.stdout.write(`${JSON.stringify(cost)}\n`),
);
