import { NORM_EPSILON } from './transformer-graph.ts';
import type {
  LayerWeights,
  Linear,
  Norm,
  TransformerShape,
  TransformerWeights,
} from './transformer-weights.ts';

type Vector = readonly number[];
type Rows = readonly Vector[];

/**
 * The same transformer, written down from its formulas in float64 and one sequence at a time: there are no fillers
 * and no batches, so it says what a vector must be whatever it was batched with.
 *
 * @returns the state of each token.
 */
export function statesOf(
  ids: readonly number[],
  shape: TransformerShape,
  weights: TransformerWeights,
  types: readonly number[] | null = shape.causal ? null : ids.map(() => 0),
): Rows {
  const { width } = shape;
  let states: Rows = ids.map((id, place) => {
    const sum = add(row(weights.words, id, width), row(weights.places, place, width));
    return normalize(types === null ? sum : add(sum, row(weights.types, types[place]!, width)), weights.norm);
  });
  for (const layer of weights.layers) states = forwardLayer(states, layer, shape);
  return states;
}

/** What the graph's head makes of a state: of the first token's, or of any for a vocabulary. */
export function headOf(state: Vector, { head }: TransformerWeights): Vector {
  return apply(state, head);
}

export function meanOf(states: Rows): Vector {
  const sum = states.reduce((total, state) => add(total, state));
  return sum.map((value) => value / states.length);
}

export function unit(vector: Vector): Vector {
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

export function sigmoid(logit: number): number {
  return 1 / (1 + Math.exp(-logit));
}

function forwardLayer(states: Rows, layer: LayerWeights, shape: TransformerShape): Rows {
  const attended = attend(states, layer, shape);
  return states.map((state, place) => {
    const middle = normalize(add(state, apply(attended[place]!, layer.output)), layer.attentionNorm);
    const wide = apply(middle, layer.up).map(gelu);
    return normalize(add(middle, apply(wide, layer.down)), layer.feedForwardNorm);
  });
}

function attend(states: Rows, layer: LayerWeights, { width, heads, causal }: TransformerShape): Rows {
  const project = (linear: Linear): Rows => states.map((state) => apply(state, linear));
  const [queries, keys, values] = [project(layer.query), project(layer.key), project(layer.value)];
  const size = width / heads;
  return queries.map((query, place) => {
    const reach = causal ? place + 1 : states.length;
    return Array.from({ length: width }, (_, column) => {
      const start = Math.floor(column / size) * size;
      const scores = keys.slice(0, reach).map((key) => {
        let product = 0;
        for (let at = start; at < start + size; at++) product += query[at]! * key[at]!;
        return Math.exp(product / Math.sqrt(size));
      });
      const total = scores.reduce((sum, score) => sum + score, 0);
      return scores.reduce((sum, score, at) => sum + (score / total) * values[at]![column]!, 0);
    });
  });
}

function apply(vector: Vector, { matrix, bias }: Linear): Vector {
  return Array.from(bias, (start, column) =>
    vector.reduce((sum, value, at) => sum + value * matrix[at * bias.length + column]!, start),
  );
}

function normalize(vector: Vector, { scale, shift }: Norm): Vector {
  const mean = vector.reduce((sum, value) => sum + value, 0) / vector.length;
  const variance = vector.reduce((sum, value) => sum + (value - mean) ** 2, 0) / vector.length;
  return vector.map(
    (value, at) => ((value - mean) / Math.sqrt(variance + NORM_EPSILON)) * scale[at]! + shift[at]!,
  );
}

function gelu(value: number): number {
  return (value / 2) * (1 + erf(value / Math.SQRT2));
}

/** Maclaurin series; the arguments here are small, and it converges everywhere. */
function erf(value: number): number {
  if (Math.abs(value) > 5) return Math.sign(value);
  let sum = 0;
  let term = value;
  for (let order = 0; order < 120; order++) {
    sum += term / (2 * order + 1);
    term *= -(value * value) / (order + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

function row(table: Float32Array, index: number, width: number): Vector {
  return Array.from(table.subarray(index * width, (index + 1) * width));
}

function add(a: Vector, b: Vector): Vector {
  return a.map((value, at) => value + b[at]!);
}
