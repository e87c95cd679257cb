/** Every string inside a value of rows or JSON, however deep; keys too, for they may be a user's. */
export function* stringsIn(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) for (const each of value) yield* stringsIn(each);
  else if (typeof value === 'object' && value !== null && !ArrayBuffer.isView(value))
    for (const [key, each] of Object.entries(value)) {
      yield key;
      yield* stringsIn(each);
    }
}
