/** A post-norm transformer: BERT's architecture, or the same with a causal mask. */
export interface TransformerShape {
  readonly vocabulary: number;
  readonly positions: number;
  readonly width: number;
  readonly heads: number;
  readonly layers: number;
  readonly feedForward: number;
  readonly causal: boolean;
  /**
   * What the graph gives: every token's state; one logit from the first token's; the next token's logits at every
   * place; or the first token's state through one more layer, as a vector.
   */
  readonly head: 'states' | 'pair-logit' | 'vocabulary' | 'vector';
  readonly seed: number;
}

export interface LayerWeights {
  readonly query: Linear;
  readonly key: Linear;
  readonly value: Linear;
  readonly output: Linear;
  readonly attentionNorm: Norm;
  readonly up: Linear;
  readonly down: Linear;
  readonly feedForwardNorm: Norm;
}

/** Row by row, inputs × outputs. */
export interface Linear {
  readonly matrix: Float32Array;
  readonly bias: Float32Array;
}

export interface Norm {
  readonly scale: Float32Array;
  readonly shift: Float32Array;
}

export interface TransformerWeights {
  readonly words: Float32Array;
  readonly places: Float32Array;
  readonly types: Float32Array;
  readonly norm: Norm;
  readonly layers: readonly LayerWeights[];
  readonly head: Linear;
}

/** The same seed gives the same numbers on every machine. */
export function makeWeights(shape: TransformerShape): TransformerWeights {
  const { width, feedForward } = shape;
  const random = generator(shape.seed);
  const numbers = (count: number, spread: number) =>
    Float32Array.from({ length: count }, () => random() * spread);
  const linear = (from: number, to: number): Linear => ({
    matrix: numbers(from * to, 1 / Math.sqrt(from)),
    bias: numbers(to, 0.1),
  });
  const norm = (): Norm => ({
    scale: numbers(width, 0.1).map((value) => 1 + value),
    shift: numbers(width, 0.1),
  });
  return {
    words: numbers(shape.vocabulary * width, 1),
    places: numbers(shape.positions * width, 0.1),
    types: numbers(2 * width, 0.1),
    norm: norm(),
    layers: Array.from({ length: shape.layers }, () => ({
      query: linear(width, width),
      key: linear(width, width),
      value: linear(width, width),
      output: linear(width, width),
      attentionNorm: norm(),
      up: linear(width, feedForward),
      down: linear(feedForward, width),
      feedForwardNorm: norm(),
    })),
    head: linear(width, headWidth(shape)),
  };
}

export function headWidth({ head, vocabulary, width }: TransformerShape): number {
  return { states: 0, 'pair-logit': 1, vocabulary, vector: width }[head];
}

/** From -1 to 1, by xorshift (Marsaglia 2003). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 31 - 1;
  };
}
