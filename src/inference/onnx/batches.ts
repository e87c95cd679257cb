import type { Feed, Feeds, TensorInfo } from './onnx-runtime.ts';

/** Rows that run together, each filled up to `length` tokens. */
interface Batch {
  /** Positions in the list that was planned. */
  readonly rows: readonly number[];
  readonly length: number;
}

/**
 * Groups rows of similar length, the longest first (so that a batch that does not fit into memory fails at
 * once), at most `tokens` tokens in a batch, padding included; a longer row is a batch of its own.
 */
export function planBatches(lengths: readonly number[], tokens: number): Batch[] {
  const order = lengths.map((_, row) => row).sort((a, b) => lengths[b]! - lengths[a]! || a - b);
  const batches: Batch[] = [];
  for (let start = 0; start < order.length; ) {
    const length = Math.max(1, lengths[order[start]!]!);
    const rows = order.slice(start, start + Math.max(1, Math.floor(tokens / length)));
    batches.push({ rows, length });
    start += rows.length;
  }
  return batches;
}

/** One row of a batch, special tokens included. */
export interface Encoding {
  readonly ids: readonly number[];
  /** 0 for the first text of a pair, 1 for the second. */
  readonly types: readonly number[];
}

/** A row's own tokens in a padded row: from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

interface PaddedBatch {
  readonly feeds: Feeds;
  readonly spans: readonly Span[];
}

/**
 * Fills exactly the inputs that the graph declares: exports of one architecture differ in them. Decoders
 * exported for generation get an empty past.
 *
 * @returns the name of an unknown input, if there is one.
 */
export function padBatch(
  inputs: readonly TensorInfo[],
  encodings: readonly Encoding[],
  padding: { readonly side: 'left' | 'right'; readonly id: number },
): PaddedBatch | string {
  const length = Math.max(...encodings.map(({ ids }) => ids.length));
  const spans = encodings.map(({ ids }) => {
    const start = padding.side === 'left' ? length - ids.length : 0;
    return { start, end: start + ids.length };
  });
  const feeds: Record<string, Feed> = {};
  for (const input of inputs) {
    const feed = feedFor(input, { encodings, spans, length, padId: padding.id });
    if (feed === null) return input.name;
    feeds[input.name] = feed;
  }
  return { feeds, spans };
}

interface Rows {
  readonly encodings: readonly Encoding[];
  readonly spans: readonly Span[];
  readonly length: number;
  readonly padId: number;
}

function feedFor(input: TensorInfo, rows: Rows): Feed | null {
  switch (input.name) {
    case 'input_ids':
      return fill(rows, rows.padId, ({ ids }, at) => ids[at]!);
    case 'attention_mask':
      return fill(rows, 0, () => 1);
    case 'token_type_ids':
      return fill(rows, 0, ({ types }, at) => types[at]!);
    case 'position_ids':
      return fill(rows, 0, (_, at) => at);
    case 'num_logits_to_keep':
      return { type: 'int64', data: BigInt64Array.of(1n), dimensions: [] };
    default:
      return input.name.startsWith('past_key_values.') ? emptyPast(input, rows.encodings.length) : null;
  }
}

function fill(rows: Rows, filler: number, valueAt: (row: Encoding, at: number) => number): Feed {
  const { encodings, spans, length } = rows;
  const data = new BigInt64Array(encodings.length * length);
  // A token's number fits the low half of its 64 bits, and setting that creates no BigInt; all platforms with
  // ONNX here are little-endian.
  const halves = new Int32Array(data.buffer);
  if (filler !== 0) for (let at = 0; at < data.length; at++) halves[at * 2] = filler;
  for (const [row, encoding] of encodings.entries())
    for (let at = 0, to = row * length + spans[row]!.start; at < encoding.ids.length; at++, to++)
      halves[to * 2] = valueAt(encoding, at);
  return { type: 'int64', data, dimensions: [encodings.length, length] };
}

/** Rows × heads × 0 tokens × width: the first named size is the number of rows, another is the past's length. */
function emptyPast({ type, shape }: TensorInfo, rows: number): Feed | null {
  if (type !== 'float32' && type !== 'float16') return null;
  const dimensions = shape.map((size, at) => (typeof size === 'number' ? size : at === 0 ? rows : 0));
  if (!dimensions.includes(0)) return null;
  return { type, data: type === 'float32' ? new Float32Array(0) : new Uint16Array(0), dimensions };
}
