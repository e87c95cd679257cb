import type { ReplyShape } from './reply-shape.ts';

/** Values that one schema may enumerate; providers refuse more than a thousand. */
const MOST_VALUES = 500;

type Schema = Readonly<Record<string, unknown>>;

/** Up to this many, numbers are enumerated in steps. */
const MOST_STEPPED = 256;
const FIRST_STEP = 8;

/**
 * A shape whose properties hold only numbers that the prompt shows, so that a reply under its schema cannot name what
 * was not there. Unchanged where these are too many.
 *
 * @param shown - How many entries the prompt shows, numbered from 1, by the name of the property that holds a number or
 *   a list of numbers of them.
 * @param isCached - Whether the schema is prepared once for all its requests, as servers do: numbers then go up to 8,
 *   16, 32 and so on, so that there are few schemas; the reader of the reply refuses those that were not shown.
 */
export function withShownNumbers(
  shape: ReplyShape,
  shown: Readonly<Record<string, number>> | undefined,
  isCached = false,
): ReplyShape {
  if (shown === undefined) return shape;
  let values = 0;
  const enumerated = (part: Schema, most: number): Schema => {
    if (part.type === 'array') return { ...part, items: enumerated(part.items as Schema, most) };
    if (part.type !== 'number' && part.type !== 'integer' && part.type !== 'string') return part;
    values += most;
    const numbers = Array.from({ length: most }, (_, at) => at + 1);
    return { ...part, enum: part.type === 'string' ? numbers.map(String) : numbers };
  };
  const within = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(within);
    if (typeof part !== 'object' || part === null) return part;
    const { properties, ...rest } = part as { readonly properties?: Readonly<Record<string, Schema>> };
    const inner = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, within(value)]));
    if (properties === undefined) return inner;
    const named = Object.entries(properties).map(([name, value]) => {
      const entries = Object.hasOwn(shown, name) ? shown[name]! : 0;
      const most = isCached ? stepOf(entries) : entries;
      return [name, most > 0 ? enumerated(value, most) : within(value)];
    });
    return { ...inner, properties: Object.fromEntries(named) };
  };
  const schema = within(shape.schema) as ReplyShape['schema'];
  return values > MOST_VALUES ? shape : { ...shape, schema };
}

function stepOf(entries: number): number {
  if (entries < 1 || entries > MOST_STEPPED) return entries;
  return Math.max(FIRST_STEP, 2 ** Math.ceil(Math.log2(entries)));
}
