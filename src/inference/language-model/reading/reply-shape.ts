import { z } from 'zod';
import { InvalidInputError } from '../../../errors/index.ts';

/** A prompt's schema as providers accept it. */
export interface ReplyShape {
  /** Letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  /** JSON Schema of an object. */
  readonly schema: Readonly<Record<string, unknown>> & {
    readonly properties?: Readonly<Record<string, unknown>>;
  };
  /** Whether providers can enforce the schema: it has no open records and no untyped values. */
  readonly strict: boolean;
  /** The names of all properties at any depth. */
  readonly properties: ReadonlySet<string>;
  /** The JSON Schema before it was changed for providers; it states what may be null. */
  readonly original: JsonSchema;
}

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly additionalProperties?: JsonSchema | boolean;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly $ref?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly description?: string;
  /** Other names that models give the property. */
  readonly aliases?: readonly string[];
  /** Whether an entry that is only a text is this property. */
  readonly isMain?: boolean;
}

interface Findings {
  strict: boolean;
  readonly properties: Set<string>;
}

/**
 * Providers enforce a part of JSON Schema only: every property is required, so an optional one becomes
 * nullable, and bounds are checked afterwards.
 *
 * @throws InvalidInputError unless the schema is an object's: providers enforce no other.
 */
export function replyShape({
  name,
  schema,
}: {
  readonly name: string;
  readonly schema: z.ZodType;
}): ReplyShape {
  const converted = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema;
  if (converted.type !== 'object' || converted.properties === undefined)
    throw new InvalidInputError(`The schema of the prompt ${JSON.stringify(name)} must be an object's`);
  const findings: Findings = { strict: true, properties: new Set() };
  return {
    schema: simplify(converted, findings),
    name: name.replace(/[^\w-]/g, '_').slice(0, 64),
    strict: findings.strict,
    properties: findings.properties,
    original: converted,
  };
}

function simplify(schema: JsonSchema, findings: Findings): Record<string, unknown> {
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (schema.allOf !== undefined || isOpen(schema)) findings.strict = false;
  return {
    ...pick(schema, ['type', 'enum', 'const', 'description', '$ref']),
    ...(schema.properties === undefined ? {} : objectOf(schema, findings)),
    ...(schema.items === undefined ? {} : { items: simplify(schema.items, findings) }),
    ...(alternatives === undefined ? {} : { anyOf: alternatives.map((each) => simplify(each, findings)) }),
    ...(schema.allOf === undefined ? {} : { allOf: schema.allOf.map((each) => simplify(each, findings)) }),
    ...(typeof schema.additionalProperties === 'object'
      ? { additionalProperties: simplify(schema.additionalProperties, findings) }
      : {}),
    ...(schema.$defs === undefined ? {} : { $defs: eachOf(schema.$defs, findings) }),
  };
}

function isOpen(schema: JsonSchema): boolean {
  if (schema.type === 'object') return schema.properties === undefined;
  return [schema.type, schema.anyOf, schema.oneOf, schema.enum, schema.const, schema.$ref].every(
    (part) => part === undefined,
  );
}

function objectOf({ properties = {}, required = [] }: JsonSchema, findings: Findings) {
  for (const name of Object.keys(properties)) findings.properties.add(name);
  const simplified = Object.entries(eachOf(properties, findings)).map(([name, schema]) => [
    name,
    required.includes(name) ? schema : nullable(schema),
  ]);
  return {
    properties: Object.fromEntries(simplified),
    required: Object.keys(properties),
    additionalProperties: false,
  };
}

function eachOf(schemas: Readonly<Record<string, JsonSchema>>, findings: Findings) {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, simplify(schema, findings)]),
  );
}

function nullable(schema: Record<string, unknown>): Record<string, unknown> {
  const { description, ...rest } = schema;
  const options = Array.isArray(rest.anyOf) ? rest.anyOf : [rest];
  const hasNull = options.some((option: JsonSchema) => [option.type].flat().includes('null'));
  return {
    ...(description === undefined ? {} : { description }),
    anyOf: hasNull ? options : [...options, { type: 'null' }],
  };
}

function pick(schema: JsonSchema, names: readonly (keyof JsonSchema)[]): Record<string, unknown> {
  return Object.fromEntries(names.filter((name) => name in schema).map((name) => [name, schema[name]]));
}
