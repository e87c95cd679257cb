import type { JsonSchema } from './reply-shape.ts';

type Json = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const DEEPEST_WRAPPER = 3;
const MOST_WRAPPED = 20;

/**
 * The objects in a value that may be the reply, with their parts where the schema has them; the one with the most
 * properties of the schema first, the outermost of several. Models wrap the object (a tool call, `result`, a list of
 * one, JSON in a string, the schema that they were shown), and change the case and the names of properties. Only what
 * has one reading is moved; text and numbers are never changed.
 */
export function fitShape(value: unknown, schema: JsonSchema): Json[] {
  const definitions = schema.$defs ?? {};
  const fitted = wrapped(value, schema).map((each) => new Fitting(definitions).object(each, schema));
  const known = (each: Json) =>
    Object.keys(schema.properties ?? {}).filter((name) => Object.hasOwn(each, name)).length;
  return fitted
    .map((object) => ({ object, count: known(object) }))
    .sort((a, b) => b.count - a.count)
    .map(({ object }) => object);
}

/** Whether a value has a list, if only an empty one. Numbers may stand in a text. */
export function hasList(value: Json, name: string, schema: JsonSchema): boolean {
  const definitions = schema.$defs ?? {};
  const list = listSchema(schema.properties?.[name] ?? {}, definitions);
  const said = value[name] ?? null;
  return Array.isArray(said) || (said !== null && objectSchema(list?.items, definitions) === null);
}

/** The value and what it wraps, the outermost first. */
function wrapped(value: unknown, schema: JsonSchema): Json[] {
  const found: Json[] = [];
  let level: unknown[] = [value];
  for (let depth = 0; depth <= DEEPEST_WRAPPER && level.length > 0; depth++) {
    const inner: unknown[] = [];
    for (const each of level.slice(0, MOST_WRAPPED).map(parsed)) {
      if (Array.isArray(each)) {
        const list = asOnlyList(each, schema, depth);
        if (list !== null) found.push(list);
        if (each.length === 1) inner.push(each[0]);
      } else if (isRecord(each)) {
        found.push(each);
        inner.push(...Object.values(each));
      }
    }
    level = inner;
  }
  return found;
}

/** A list without its object: that of the only property, or of the one list whose entries have such properties. */
function asOnlyList(list: readonly unknown[], schema: JsonSchema, depth: number): Json | null {
  const definitions = schema.$defs ?? {};
  const properties = Object.entries(schema.properties ?? {});
  const lists = properties.filter(([, each]) => listSchema(each, definitions) !== null);
  if (depth === 0 && properties.length === 1 && lists.length === 1) return { [lists[0]![0]]: list };
  const name = listOf(list, lists, definitions);
  return name === null ? null : { [name]: list };
}

/** The list property that a list of objects is, by the properties of its entries; null unless one is the likeliest. */
function listOf(
  value: unknown,
  lists: readonly (readonly [string, JsonSchema])[],
  definitions: NonNullable<JsonSchema['$defs']>,
): string | null {
  const entries = Array.isArray(value) ? value.filter(isRecord) : [];
  if (entries.length === 0) return null;
  const ranked = lists
    .map(([name, schema]) => {
      const item = objectSchema(listSchema(schema, definitions)?.items, definitions);
      const count = item === null ? 0 : Math.min(...entries.map((entry) => knownKeys(entry, item)));
      return { name, count };
    })
    .sort((a, b) => b.count - a.count);
  const [best, next] = ranked;
  return best !== undefined && best.count >= 2 && best.count > (next?.count ?? 0) ? best.name : null;
}

class Fitting {
  readonly #definitions: NonNullable<JsonSchema['$defs']>;

  constructor(definitions: NonNullable<JsonSchema['$defs']>) {
    this.#definitions = definitions;
  }

  object(value: Json, schema: JsonSchema): Json {
    const { properties } = schema;
    if (properties === undefined) return value;
    const keys = claimedKeys(value, schema);
    const claimed = new Set(keys.values());
    const rest = new Map(Object.entries(value).filter(([key]) => !claimed.has(key)));
    const fitted = new Map<string, unknown>();
    for (const [name, own] of Object.entries(properties)) {
      const key = keys.get(name);
      if (key !== undefined) fitted.set(name, this.#value(value[key], own));
    }
    const missing = Object.entries(properties).filter(
      ([name, own]) => !fitted.has(name) && listSchema(own, this.#definitions) !== null,
    );
    for (const [key, entries] of rest) {
      const list = parsed(entries);
      const name = listOf(list, missing, this.#definitions);
      if (name === null || fitted.has(name)) continue;
      fitted.set(name, this.#value(list, properties[name]!));
      rest.delete(key);
    }
    for (const [name, own] of missing) {
      const inner = fitted.has(name) ? [] : fromEntries(value, name);
      if (inner.length > 0) fitted.set(name, this.#value(inner, own));
    }
    return Object.fromEntries([...rest, ...fitted]);
  }

  #value(value: unknown, schema: JsonSchema): unknown {
    const list = listSchema(schema, this.#definitions);
    if (list !== null) return this.#list(value, list);
    const object = objectSchema(schema, this.#definitions);
    if (object === null) return value;
    const whole = parsed(value);
    const one = Array.isArray(whole) && whole.length === 1 ? whole[0] : whole;
    return isRecord(one) ? this.object(one, object) : value;
  }

  #list(value: unknown, { items }: JsonSchema): unknown {
    if (items === undefined) return value;
    const item = objectSchema(items, this.#definitions);
    const entries = entriesOf(parsed(value), item);
    if (entries === null) return value;
    return entries.map((entry) => {
      const whole = item !== null && typeof entry === 'string' ? asEntry(entry, item) : entry;
      return this.#value(whole, items);
    });
  }
}

/** The entries of a list that may be one entry, an object of entries, or wrapped in an object. */
function entriesOf(value: unknown, item: JsonSchema | null): readonly unknown[] | null {
  if (Array.isArray(value)) return item !== null && value.every(Array.isArray) ? value.flat() : value;
  if (!isRecord(value)) return null;
  if (item !== null && knownKeys(value, item) > 0) return [value];
  const values = Object.values(value);
  if (values.length === 0) return null;
  const [only] = values;
  if (values.length === 1 && Array.isArray(only)) return only;
  const isNumbered = Object.keys(value).every((key) => /^\W*\d+\W*$/.test(key));
  const areEntries = item !== null && values.every((each) => isRecord(each) && knownKeys(each, item) > 0);
  return isNumbered || areEntries ? values : null;
}

/** An entry that is a text is its main property, or JSON. */
function asEntry(text: string, item: JsonSchema): unknown {
  const whole = parsed(text);
  if (isRecord(whole)) return whole;
  const main = Object.entries(item.properties ?? {}).find(([, { isMain }]) => isMain === true);
  return main === undefined ? text : { [main[0]]: text };
}

/** A list that stands in the entries of another list. */
function fromEntries(value: Json, name: string): unknown[] {
  for (const list of Object.values(value)) {
    const entries = Array.isArray(list) ? list.filter(isRecord) : [];
    const inner = entries.flatMap((entry) => {
      const key = Object.keys(entry).find((each) => folded(each) === folded(name));
      return key !== undefined && Array.isArray(entry[key]) ? entry[key] : [];
    });
    if (inner.length > 0) return inner;
  }
  return [];
}

/** By property, the key of the value that is it: the same, else in another case, else another name for it. */
function claimedKeys(value: Json, { properties = {} }: JsonSchema): Map<string, string> {
  const claimed = new Map<string, string>();
  const free = new Set(Object.keys(value));
  const claim = (matches: (key: string, name: string, schema: JsonSchema) => boolean) => {
    for (const [name, schema] of Object.entries(properties)) {
      const key = claimed.has(name) ? undefined : [...free].find((each) => matches(each, name, schema));
      if (key === undefined) continue;
      claimed.set(name, key);
      free.delete(key);
    }
  };
  claim((key, name) => key === name);
  claim((key, name) => folded(key) === folded(name));
  claim((key, _name, { aliases = [] }) => aliases.some((alias) => folded(alias) === folded(key)));
  return claimed;
}

function knownKeys(value: Json, schema: JsonSchema): number {
  return claimedKeys(value, schema).size;
}

const folded = (name: string): string => name.replace(/[^\p{L}\p{N}]/gu, '').toLowerCase();

/** The list or object that a text is as JSON; else the value. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*[[{"]/.test(value)) return value;
  try {
    const inner: unknown = JSON.parse(value);
    return typeof inner === 'string' ? parsed(inner) : inner;
  } catch {
    return value; // a text that begins with a bracket
  }
}

function listSchema(schema: JsonSchema, definitions: NonNullable<JsonSchema['$defs']>): JsonSchema | null {
  const lists = alternatives(schema, definitions).filter(({ type }) => type === 'array');
  return lists.length === 1 ? lists[0]! : null;
}

/** Null for several: a union is left as it is. */
function objectSchema(
  schema: JsonSchema | undefined,
  definitions: NonNullable<JsonSchema['$defs']>,
): JsonSchema | null {
  const objects =
    schema === undefined ? [] : alternatives(schema, definitions).filter(({ type }) => type === 'object');
  return objects.length === 1 && objects[0]!.properties !== undefined ? objects[0]! : null;
}

/** The schemas that a value may follow: the options of a union, or the target of a reference. */
export function alternatives(
  schema: JsonSchema,
  definitions: NonNullable<JsonSchema['$defs']>,
): JsonSchema[] {
  const target = schema.$ref === undefined ? undefined : definitions[schema.$ref.replace('#/$defs/', '')];
  const options = [
    ...(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []),
    ...(target === undefined ? [] : [target]),
  ];
  return options.length === 0 ? [schema] : options.flatMap((option) => alternatives(option, definitions));
}
