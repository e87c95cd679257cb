/** The three wire types that ONNX files use, enough to write one (protobuf.dev/programming-guides/encoding). */
export type Field = readonly [number: number, value: FieldValue];
export type FieldValue = number | string | Uint8Array | Float | readonly Field[];

/** A 32-bit float field, which a plain number (a varint) is not. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** One message, its fields in the order given; a repeated field is given repeatedly. */
export function message(fields: readonly Field[]): Uint8Array {
  return Buffer.concat(fields.flatMap(([number, value]) => encode(number, value)));
}

function encode(number: number, value: FieldValue): Uint8Array[] {
  if (typeof value === 'number') return [varint(number * 8), varint(value)];
  if (value instanceof Float)
    return [varint(number * 8 + 5), new Uint8Array(Float32Array.of(value.value).buffer)];
  const bytes =
    typeof value === 'string' ? Buffer.from(value) : value instanceof Uint8Array ? value : message(value);
  return [varint(number * 8 + 2), varint(bytes.length), bytes];
}

/** Seven bits a byte, lowest first; a negative number takes ten bytes, as its 64-bit two's complement. */
function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest > 0n ? low | 0x80 : low);
  } while (rest > 0n);
  return Uint8Array.from(bytes);
}
