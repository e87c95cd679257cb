import type { z } from 'zod';
import type { ChatReply } from '../backends/chat-backend.ts';
import { alternatives, fitShape, hasList } from './fit-shape.ts';
import { withoutLoops } from './loops.ts';
import { type JsonReading, readJson } from './read-json.ts';
import type { JsonSchema, ReplyShape } from './reply-shape.ts';

export type ReplyReading<Output> =
  | { readonly fits: true; readonly value: Output; readonly truncated: boolean }
  | {
      readonly fits: false;
      readonly issues: readonly string[];
      /** Syntax: it cannot be parsed as JSON; content: its JSON does not fit; nothing: it contains no JSON. */
      readonly fault: 'nothing' | 'syntax' | 'content';
      /** It was cut short, so that less input may help. */
      readonly truncated: boolean;
    };

interface ReplyRules<Output> {
  readonly schema: z.ZodType<Output>;
  /** Lists that a complete reply has, if only empty. */
  readonly needs: readonly string[];
}

/** Parses a reply by the schema: the first of its JSON readings that fits. */
export function readReply<Output>(
  { schema, needs = [] }: { readonly schema: z.ZodType<Output>; readonly needs?: readonly string[] },
  reply: ChatReply,
  shape: ReplyShape,
): ReplyReading<Output> {
  const { toolArguments } = reply;
  const text = saidIn(reply);
  const readings =
    typeof toolArguments === 'object' ? [{ value: toolArguments, truncated: false }] : readJson(text);
  let issues: readonly string[] | undefined;
  for (const { value, truncated } of readings) {
    const whole = withoutLoops(value);
    const reading = { value: whole.value, truncated: truncated || whole.loops };
    const accepted = accept({ schema, needs }, reading, shape);
    if (accepted.fits) return { ...accepted, truncated: reading.truncated };
    issues ??= accepted.issues;
  }
  const truncated = reply.truncated || (readings.length > 0 && readings.every((each) => each.truncated));
  if (issues !== undefined) return { fits: false, issues, fault: 'content', truncated };
  const fault = /[{[]/.test(text) ? 'syntax' : 'nothing';
  return {
    fits: false,
    issues: [fault === 'syntax' ? 'it is no valid JSON' : 'it has no JSON'],
    fault,
    truncated,
  };
}

/** Some servers put all that a model writes where its reasoning belongs. */
function saidIn({ toolArguments, text, reasoning }: ChatReply): string {
  if (typeof toolArguments === 'string') return toolArguments;
  return text.trim() === '' ? (reasoning ?? '') : text;
}

type Accepted<Output> =
  | { readonly fits: true; readonly value: Output }
  | { readonly fits: false; readonly issues: readonly string[] };

/**
 * Parses a value by the schema, allowing for common deviations: what `fitShape` moves, and null for an optional
 * property. Issues describe the value as received.
 */
function accept<Output>(
  { schema, needs }: ReplyRules<Output>,
  { value, truncated }: JsonReading,
  shape: ReplyShape,
): Accepted<Output> {
  // Without this check, a schema of defaults would accept any object as an empty reply.
  const known = fitShape(value, shape.original).filter(
    (each) => hasKnownProperty(each, shape) || (isEmpty(each) && !truncated),
  );
  let issues: readonly string[] | undefined;
  for (const each of known) {
    const parsed = schema.safeParse(dropNulls(each, shape.original));
    // The rest of a reply that was cut is asked for again anyway.
    const missing = truncated ? [] : needs.filter((name) => !hasList(each, name, shape.original));
    if (parsed.success && missing.length === 0) return { fits: true, value: parsed.data };
    issues ??= [
      ...missing.map((name) => `${name}: the list is missing`),
      ...(parsed.success ? [] : describeReplyIssues(parsed.error, shape)),
    ];
  }
  return { fits: false, issues: issues ?? ['it is no object with the properties of the schema'] };
}

function hasKnownProperty(value: Readonly<Record<string, unknown>>, { schema }: ReplyShape): boolean {
  return Object.keys(value).some((name) => Object.hasOwn(schema.properties ?? {}, name));
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

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
