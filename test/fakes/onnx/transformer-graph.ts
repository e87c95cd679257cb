import { type Dimension, GraphWriter } from './graph-writer.ts';
import { Float } from './protobuf.ts';
import {
  headWidth,
  type LayerWeights,
  type Linear,
  type Norm,
  type TransformerShape,
  type TransformerWeights,
} from './transformer-weights.ts';

export const NORM_EPSILON = 1e-5;
/** Added to the attention of what must not be seen: nothing is left of it after the softmax. */
const HIDDEN = -1e9;
const FLOAT = 1;
const ROWS: readonly Dimension[] = ['batch', 'sequence'];

export interface GraphOptions {
  /** Ask for the inputs that exports of decoders for generation ask for: positions and an (empty) past. */
  readonly withPast?: boolean;
  /** The past's element type; the graph itself calculates in float32. */
  readonly pastType?: 'float32' | 'float16';
  /** Ask for token types, as BERT does and its descendants do not. Default: when not causal. */
  readonly withTypes?: boolean;
  /** Another name for the output. */
  readonly output?: string;
}

/** Writes a transformer as exports of real ones look: same inputs, same outputs. */
export function transformerGraph(
  shape: TransformerShape,
  weights: TransformerWeights,
  options: GraphOptions = {},
): Uint8Array {
  return new TransformerGraph(shape, options).write(weights);
}

class TransformerGraph {
  readonly #writer = new GraphWriter();
  readonly #shape: TransformerShape;
  readonly #options: GraphOptions;

  constructor(shape: TransformerShape, options: GraphOptions) {
    this.#shape = shape;
    this.#options = options;
  }

  write(weights: TransformerWeights): Uint8Array {
    const writer = this.#writer;
    const ids = writer.input('input_ids', { type: 'int64', dimensions: ROWS });
    const seen = writer.input('attention_mask', { type: 'int64', dimensions: ['batch', 'total'] });
    let states = this.#normalize(this.#embed(ids, weights), weights.norm);
    const hidden = this.#hidden(ids, seen);
    for (const [index, layer] of weights.layers.entries())
      states = this.#layer(states, layer, { index, hidden });
    this.#head(states, weights.head);
    return writer.toBytes();
  }

  #embed(ids: string, weights: TransformerWeights): string {
    const { width, vocabulary, positions } = this.#shape;
    const writer = this.#writer;
    const words = writer.node('Gather', [writer.floats(weights.words, [vocabulary, width]), ids]);
    const places = writer.node('Gather', [
      writer.floats(weights.places, [positions, width]),
      this.#positions(ids),
    ]);
    const sum = writer.node('Add', [words, places]);
    if (!(this.#options.withTypes ?? !this.#shape.causal)) return sum;
    const typeIds = writer.input('token_type_ids', { type: 'int64', dimensions: ROWS });
    return writer.node('Add', [
      sum,
      writer.node('Gather', [writer.floats(weights.types, [2, width]), typeIds]),
    ]);
  }

  #positions(ids: string): string {
    if (this.#options.withPast)
      return this.#writer.input('position_ids', { type: 'int64', dimensions: ROWS });
    return this.#range(this.#integer(0), this.#size(ids, 1));
  }

  /** Rows × 1 × (1 or tokens) × tokens: zero where a token may look, and as good as minus infinity elsewhere. */
  #hidden(ids: string, seen: string): string {
    const writer = this.#writer;
    const floats = writer.node('Cast', [seen], { attributes: { to: FLOAT } });
    let visible = writer.node('Unsqueeze', [floats, writer.integers([1, 2])]);
    if (this.#shape.causal) visible = writer.node('Mul', [visible, this.#before(ids, seen)]);
    const invisible = writer.node('Sub', [writer.floats([1], [1]), visible]);
    return writer.node('Mul', [invisible, writer.floats([HIDDEN], [1])]);
  }

  /** Tokens × tokens: one on and below the diagonal, which a past would move. */
  #before(ids: string, seen: string): string {
    const writer = this.#writer;
    const total = this.#size(seen, 1);
    const past = writer.node('Sub', [total, this.#size(ids, 1)]);
    const columns = this.#range(this.#integer(0), total);
    const rows = writer.node('Unsqueeze', [this.#range(past, total), writer.integers([1])]);
    return writer.node('Cast', [writer.node('LessOrEqual', [columns, rows])], { attributes: { to: FLOAT } });
  }

  #layer(states: string, layer: LayerWeights, { index, hidden }: LayerPlace): string {
    const { width, feedForward } = this.#shape;
    const writer = this.#writer;
    const attended = this.#linear(this.#attend(states, layer, { index, hidden }), layer.output, [
      width,
      width,
    ]);
    const middle = this.#normalize(writer.node('Add', [states, attended]), layer.attentionNorm);
    const wide = this.#gelu(this.#linear(middle, layer.up, [width, feedForward]));
    const narrow = this.#linear(wide, layer.down, [feedForward, width]);
    return this.#normalize(writer.node('Add', [middle, narrow]), layer.feedForwardNorm);
  }

  #attend(states: string, layer: LayerWeights, { index, hidden }: LayerPlace): string {
    const { width, heads } = this.#shape;
    const writer = this.#writer;
    const query = this.#split(states, layer.query);
    const key = this.#withPast(this.#split(states, layer.key), `past_key_values.${index}.key`);
    const value = this.#withPast(this.#split(states, layer.value), `past_key_values.${index}.value`);
    const turned = writer.node('Transpose', [key], { attributes: { perm: [0, 1, 3, 2] } });
    const products = writer.node('MatMul', [query, turned]);
    const scaled = writer.node('Mul', [products, writer.floats([1 / Math.sqrt(width / heads)], [1])]);
    const shares = writer.node('Softmax', [writer.node('Add', [scaled, hidden])], {
      attributes: { axis: -1 },
    });
    const mixed = writer.node('Transpose', [writer.node('MatMul', [shares, value])], {
      attributes: { perm: [0, 2, 1, 3] },
    });
    return writer.node('Reshape', [mixed, writer.integers([0, 0, width])]);
  }

  /** Rows × heads × tokens × width of a head. */
  #split(states: string, weights: Linear): string {
    const { width, heads } = this.#shape;
    const flat = this.#linear(states, weights, [width, width]);
    const split = this.#writer.node('Reshape', [flat, this.#writer.integers([0, 0, heads, width / heads])]);
    return this.#writer.node('Transpose', [split], { attributes: { perm: [0, 2, 1, 3] } });
  }

  #withPast(states: string, name: string): string {
    if (!this.#options.withPast) return states;
    const { width, heads } = this.#shape;
    const past = this.#writer.input(name, {
      type: this.#options.pastType ?? 'float32',
      dimensions: ['batch', heads, 'past', width / heads],
    });
    const floats = this.#writer.node('Cast', [past], { attributes: { to: FLOAT } });
    return this.#writer.node('Concat', [floats, states], { attributes: { axis: 2 } });
  }

  #head(states: string, weights: Linear): void {
    const { head, width } = this.#shape;
    const writer = this.#writer;
    const size: [number, number] = [width, headWidth(this.#shape)];
    if (head === 'states') {
      this.#give(states, 'last_hidden_state', ['batch', 'sequence', width]);
    } else if (head === 'vocabulary') {
      this.#give(this.#linear(states, weights, size), 'logits', ['batch', 'sequence', size[1]]);
    } else {
      const first = writer.node('Gather', [states, this.#integer(0)], { attributes: { axis: 1 } });
      const name = head === 'vector' ? 'sentence_embedding' : 'logits';
      this.#give(this.#linear(first, weights, size), name, ['batch', size[1]]);
    }
  }

  #give(value: string, name: string, dimensions: readonly Dimension[]): void {
    const output = this.#options.output ?? name;
    this.#writer.node('Identity', [value], { output });
    this.#writer.output(output, { type: 'float32', dimensions });
  }

  #linear(states: string, { matrix, bias }: Linear, [from, to]: readonly [number, number]): string {
    const product = this.#writer.node('MatMul', [states, this.#writer.floats(matrix, [from, to])]);
    return this.#writer.node('Add', [product, this.#writer.floats(bias, [to])]);
  }

  #normalize(states: string, { scale, shift }: Norm): string {
    const size = [this.#shape.width];
    return this.#writer.node(
      'LayerNormalization',
      [states, this.#writer.floats(scale, size), this.#writer.floats(shift, size)],
      { attributes: { axis: -1, epsilon: new Float(NORM_EPSILON) } },
    );
  }

  /** x/2 · (1 + erf(x/√2)). */
  #gelu(states: string): string {
    const writer = this.#writer;
    const error = writer.node('Erf', [writer.node('Div', [states, writer.floats([Math.SQRT2], [1])])]);
    const gate = writer.node('Add', [error, writer.floats([1], [1])]);
    const half = writer.node('Mul', [states, writer.floats([0.5], [1])]);
    return writer.node('Mul', [half, gate]);
  }

  #size(tensor: string, axis: number): string {
    return this.#writer.node('Gather', [this.#writer.node('Shape', [tensor]), this.#integer(axis)]);
  }

  #range(from: string, to: string): string {
    return this.#writer.node('Range', [from, to, this.#integer(1)]);
  }

  #integer(value: number): string {
    return this.#writer.integers([value], []);
  }
}

interface LayerPlace {
  readonly index: number;
  readonly hidden: string;
}
