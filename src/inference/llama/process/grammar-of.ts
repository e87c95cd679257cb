/** Entries and characters without a bound: a model that does not stop would write until the limit of tokens. */
const MOST_ENTRIES = 64;
/** The runtime refuses grammars that repeat much more often. */
const MOST_CHARACTERS = 1_000;

/** The parts of JSON Schema that replies are described in. */
interface Schema {
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string | readonly string[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly maxLength?: number;
}

const SIMPLE: Readonly<Record<string, string>> = {
  char: String.raw`[^"\\\x7F\x00-\x1F] | "\\" ( ["\\/bfnrt] | "u" [0-9a-fA-F]{4} )`,
  string: stringOf(MOST_CHARACTERS),
  integer: '"-"? ( "0" | [1-9] [0-9]{0,15} )',
  number: '"-"? ( "0" | [1-9] [0-9]{0,15} ) ( "." [0-9]{1,16} )?',
  boolean: '"true" | "false"',
  null: '"null"',
  object: '"{" ( string ":" " "? value ( "," " "? string ":" " "? value )* )? "}"',
  array: '"[" ( value ( "," " "? value )* )? "]"',
  value: 'object | array | string | number | boolean | null',
};
/** The rules that a rule of `SIMPLE` names. */
const PARTS = Object.keys(SIMPLE);

/**
 * A JSON Schema as a grammar of llama.cpp (GBNF) that allows no line breaks and at most one space after a colon or a
 * comma: white space is a third of what a small model writes otherwise.
 *
 * @throws RangeError for a type or a reference that does not exist.
 */
export function grammarOf(schema: object): string {
  const rules = new Map<string, string>();
  const define = (name: string, body: string): string => {
    rules.set(name, body);
    return name;
  };
  const named = (part: Schema): string => {
    const body = bodyOf(part);
    return /^[a-z0-9-]+$/.test(body) ? body : define(`r${rules.size}`, body);
  };
  const bodyOf = (part: Schema): string => {
    Object.assign($defs, part.$defs);
    const alternatives = part.anyOf ?? part.oneOf;
    if (alternatives !== undefined) return alternatives.map(named).join(' | ');
    if (part.$ref !== undefined) return defined(part.$ref.split('/').at(-1)!);
    if (part.enum !== undefined) return part.enum.map(literal).join(' | ');
    if (part.const !== undefined) return literal(part.const);
    if (part.properties !== undefined && Object.keys(part.properties).length > 0) {
      const members = Object.entries(part.properties).map(
        ([name, value]) => `${literal(name)} ":" " "? ${named(value)}`,
      );
      return `"{" ${members.join(' "," " "? ')} "}"`;
    }
    if (part.items !== undefined) return listOf(named(part.items), part);
    const types = [part.type ?? 'value'].flat();
    if (types.some((type) => SIMPLE[type] === undefined)) throw new RangeError('no grammar for this type');
    return types.map((type) => (type === 'string' ? textOf(part) : simple(type))).join(' | ');
  };
  const textOf = ({ maxLength = MOST_CHARACTERS }: Schema): string => {
    if (maxLength >= MOST_CHARACTERS) return simple('string');
    simple('char');
    const name = `string-${maxLength}`;
    return rules.has(name) ? name : define(name, stringOf(maxLength));
  };
  const simple = (name: string): string => {
    if (rules.has(name)) return name;
    define(name, SIMPLE[name]!);
    if (name === 'string') simple('char');
    if (name === 'object' || name === 'array' || name === 'value') PARTS.forEach(simple);
    return name;
  };
  const $defs: Record<string, Schema> = {};
  const begun = new Set<string>();
  const defined = (name: string): string => {
    const rule = `def-${name.toLowerCase().replace(/[^a-z0-9]/g, '-')}`;
    const part = $defs[name];
    if (part === undefined) throw new RangeError('no grammar for a reference to nothing');
    if (!begun.has(name)) {
      begun.add(name);
      define(rule, bodyOf(part));
    }
    return rule;
  };
  define('root', bodyOf(schema as Schema));
  return [...rules].map(([name, body]) => `${name} ::= ${body}`).join('\n');
}

function listOf(item: string, { items, minItems = 0, ...part }: Schema): string {
  const maxItems = part.maxItems ?? items?.enum?.length ?? MOST_ENTRIES;
  if (maxItems === 0) return '"[" "]"';
  const more = `( "," " "? ${item} ){${Math.max(0, minItems - 1)},${maxItems - 1}}`;
  return minItems > 0 ? `"[" ${item} ${more} "]"` : `"[" ( ${item} ${more} )? "]"`;
}

/** A JSON string of at most so many characters. */
function stringOf(most: number): string {
  return String.raw`"\"" char{0,${most}} "\""`;
}

/** A value as JSON, in the quotation marks of a grammar. */
function literal(value: unknown): string {
  return JSON.stringify(JSON.stringify(value));
}
