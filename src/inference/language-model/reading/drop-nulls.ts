import type { JsonSchema } from './reply-shape.ts';

/**
 * A value without the properties that are null where the schema knows no null: models write null for what may be
 * missing, and a schema that coerces would read a zero or the word "null" from it.
 */
export function dropNulls(value: unknown, schema: JsonSchema, definitions = schema.$defs ?? {}): unknown {
  if (value === null || typeof value !== 'object') return value;
  const schemas = alternatives(schema, definitions);
  if (Array.isArray(value)) {
    const items = merged(schemas.flatMap((each) => each.items ?? []));
    return items === null ? value : value.map((item) => dropNulls(item, items, definitions));
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]: [string, unknown]) => {
      const known = merged(schemas.flatMap((each) => propertyOf(each, name)));
      if (known === null) return [[name, inner]];
      return inner === null && !takesNull(known, definitions)
        ? []
        : [[name, dropNulls(inner, known, definitions)]];
    }),
  );
}

/** The schemas that a value may follow: the options of a union, or what a reference points at. */
function alternatives(schema: JsonSchema, definitions: NonNullable<JsonSchema['$defs']>): JsonSchema[] {
  const target = schema.$ref === undefined ? undefined : definitions[schema.$ref.replace('#/$defs/', '')];
  const options = [
    ...(schema.anyOf ?? schema.oneOf ?? schema.allOf ?? []),
    ...(target === undefined ? [] : [target]),
  ];
  return options.length === 0 ? [schema] : options.flatMap((option) => alternatives(option, definitions));
}

function takesNull(schema: JsonSchema, definitions: NonNullable<JsonSchema['$defs']>): boolean {
  return alternatives(schema, definitions).some(
    ({ type, enum: values, const: constant }) =>
      [type].flat().includes('null') ||
      values?.includes(null) ||
      constant === null ||
      (type === undefined && values === undefined && constant === undefined),
  );
}

function propertyOf({ properties, additionalProperties }: JsonSchema, name: string): JsonSchema[] {
  const own = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return own === undefined ? [additionalProperties].filter((each) => typeof each === 'object') : [own];
}

function merged(schemas: readonly JsonSchema[]): JsonSchema | null {
  return schemas.length > 1 ? { anyOf: schemas } : (schemas[0] ?? null);
}
