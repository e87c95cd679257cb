import { type Field, Float, message } from './protobuf.ts';

const ELEMENT_TYPES = { float32: 1, int64: 7, float16: 10 } as const;
const OPERATOR_SET = 17;
/** Of ONNX 1.12, the first with operator set 17. */
const FORMAT_VERSION = 8;

/** A number is a fixed size, a name a size that each call chooses. */
export type Dimension = number | string;
export type Attribute = number | Float | readonly number[];

export interface TensorType {
  readonly type: keyof typeof ELEMENT_TYPES;
  readonly dimensions: readonly Dimension[];
}

/** Writes an ONNX model node by node (the schema is `onnx.proto` of the ONNX project, format version 8). */
export class GraphWriter {
  readonly #nodes: Field[] = [];
  readonly #initializers: Field[] = [];
  readonly #inputs: Field[] = [];
  readonly #outputs: Field[] = [];
  #names = 0;

  input(name: string, type: TensorType): string {
    this.#inputs.push([11, valueInfo(name, type)]);
    return name;
  }

  output(name: string, type: TensorType): void {
    this.#outputs.push([12, valueInfo(name, type)]);
  }

  /** Appends a node and gives the name of its one output. */
  node(operator: string, inputs: readonly string[], options: NodeOptions = {}): string {
    const output = options.output ?? `${operator.toLowerCase()}_${this.#names++}`;
    this.#nodes.push([
      1,
      [
        ...inputs.map((name): Field => [1, name]),
        [2, output],
        [4, operator],
        ...Object.entries(options.attributes ?? {}).map(
          ([name, value]): Field => [5, attribute(name, value)],
        ),
      ],
    ]);
    return output;
  }

  /** Weights, row by row. */
  floats(values: ArrayLike<number>, dimensions: readonly number[]): string {
    return this.#initializer(new Uint8Array(Float32Array.from(values).buffer), dimensions, 'float32');
  }

  integers(values: readonly number[], dimensions: readonly number[] = [values.length]): string {
    const bytes = new Uint8Array(BigInt64Array.from(values.map(BigInt)).buffer);
    return this.#initializer(bytes, dimensions, 'int64');
  }

  toBytes(): Uint8Array {
    const graph = [
      ...this.#nodes,
      [2, 'graph'] as const,
      ...this.#initializers,
      ...this.#inputs,
      ...this.#outputs,
    ];
    return message([
      [1, FORMAT_VERSION],
      [7, graph],
      [8, [[2, OPERATOR_SET]]],
    ]);
  }

  #initializer(raw: Uint8Array, dimensions: readonly number[], type: TensorType['type']): string {
    const name = `constant_${this.#names++}`;
    this.#initializers.push([
      5,
      [...dimensions.map((size): Field => [1, size]), [2, ELEMENT_TYPES[type]], [8, name], [9, raw]],
    ]);
    return name;
  }
}

export interface NodeOptions {
  readonly output?: string;
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

function valueInfo(name: string, { type, dimensions }: TensorType): Field[] {
  const shape = dimensions.map((size): Field => [1, [typeof size === 'number' ? [1, size] : [2, size]]]);
  const tensor: Field[] = [
    [1, ELEMENT_TYPES[type]],
    [2, shape],
  ];
  return [
    [1, name],
    [2, [[1, tensor]]],
  ];
}

/** An attribute says its kind (field 20): 1 a float, 2 an integer, 7 integers. */
function attribute(name: string, value: Attribute): Field[] {
  if (value instanceof Float)
    return [
      [1, name],
      [2, value],
      [20, 1],
    ];
  if (typeof value === 'number')
    return [
      [1, name],
      [3, value],
      [20, 2],
    ];
  return [[1, name], ...value.map((item): Field => [8, item]), [20, 7]];
}
