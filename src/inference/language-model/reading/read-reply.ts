import type { z } from 'zod';
import type { ChatReply } from '../backends/chat-backend.ts';
import { type JsonReading, readJson } from './read-json.ts';
import type { JsonSchema, ReplyShape } from './reply-shape.ts';

export type ReplyReading<Output> =
  | { readonly fits: true; readonly value: Output; readonly truncated: boolean }
  | {
      readonly fits: false;
      readonly issues: readonly string[];
      /** Syntax: it cannot be parsed as JSON; content: its JSON does not fit; nothing: it contains no JSON. */
      readonly fault: 'nothing' | 'syntax' | 'content';
    };

/** Parses a reply by the schema: the first of its JSON readings that fits. */
export function readReply<Output>(
  schema: z.ZodType<Output>,
  reply: ChatReply,
  shape: ReplyShape,
): ReplyReading<Output> {
  const { toolArguments, text } = reply;
  const readings =
    typeof toolArguments === 'object'
      ? [{ value: toolArguments, truncated: false }]
      : readJson(toolArguments ?? text);
  let issues: readonly string[] | undefined;
  for (const reading of readings) {
    const accepted = accept(schema, reading, shape);
    if (accepted.fits) return { ...accepted, truncated: reading.truncated };
    issues ??= accepted.issues;
  }
  if (issues !== undefined) return { fits: false, issues, fault: 'content' };
  const fault = /[{[]/.test(String(toolArguments ?? text)) ? 'syntax' : 'nothing';
  return { fits: false, issues: [fault === 'syntax' ? 'it is no valid JSON' : 'it has no JSON'], fault };
}

type Accepted<Output> =
  | { readonly fits: true; readonly value: Output }
  | { readonly fits: false; readonly issues: readonly string[] };

/**
 * Parses a value by the schema, allowing for common deviations: null for an optional property, the object
 * wrapped as a tool call or in a property, a bare list without its object. Issues describe the value as
 * received.
 */
function accept<Output>(
  schema: z.ZodType<Output>,
  { value, truncated }: JsonReading,
  shape: ReplyShape,
): Accepted<Output> {
  // Without this check, a schema of defaults would accept any object as an empty reply.
  const known = [value, ...unwrapped(value, shape)].filter(
    (each) => hasKnownProperty(each, shape) || (isEmpty(each) && !truncated),
  );
  let issues: readonly string[] | undefined;
  for (const each of known) {
    const parsed = schema.safeParse(dropNulls(each, shape.original));
    if (parsed.success) return { fits: true, value: parsed.data };
    issues ??= describeReplyIssues(parsed.error, shape);
  }
  return { fits: false, issues: issues ?? ['it is no object with the properties of the schema'] };
}

function unwrapped(value: unknown, { schema }: ReplyShape): unknown[] {
  if (Array.isArray(value)) {
    const [property, ...others] = Object.entries(schema.properties ?? {});
    return property !== undefined && others.length === 0 && isList(property[1])
      ? [{ [property[0]]: value }]
      : [];
  }
  if (!isRecord(value)) return [];
  const inner = Object.keys(value).length === 1 ? Object.values(value) : [];
  return [...inner, value.arguments, value.parameters].filter(isRecord);
}

function hasKnownProperty(value: unknown, { schema }: ReplyShape): boolean {
  return isRecord(value) && Object.keys(value).some((name) => Object.hasOwn(schema.properties ?? {}, name));
}

const isEmpty = (value: unknown): boolean => isRecord(value) && Object.keys(value).length === 0;

function isList(schema: unknown): boolean {
  if (!isRecord(schema)) return false;
  return schema.type === 'array' || (Array.isArray(schema.anyOf) && schema.anyOf.some(isList));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Drops properties that are null where the schema allows no null: models write null for optional properties,
 * and a schema that coerces would read it as zero or as the word "null".
 */
function dropNulls(value: unknown, schema: JsonSchema, definitions = schema.$defs ?? {}): unknown {
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

/** The schemas that a value may follow: the options of a union, or the target of a reference. */
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

const MOST_ISSUES = 8;

/**
 * The schema's issues with a reply, one sentence per place. Names that are not the schema's may be the user's
 * words: they become `*`.
 */
function describeReplyIssues(error: z.ZodError, shape: ReplyShape): readonly string[] {
  return error.issues
    .slice(0, MOST_ISSUES)
    .map((issue) => [...place(issue.path, shape), describe(issue)].join(': '));
}

function place(path: readonly PropertyKey[], { properties }: ReplyShape): string[] {
  if (path.length === 0) return [];
  const names = path.map((part) =>
    typeof part === 'number' || properties.has(String(part)) ? String(part) : '*',
  );
  return [names.join('.')];
}

function describe({ code, message }: z.core.$ZodIssue): string {
  if (code === 'unrecognized_keys') return 'has a property that the schema does not know';
  return code === 'invalid_union' ? 'is missing or of the wrong kind' : message;
}
