import type { z } from 'zod';
import { describeReplyIssues } from './describe-reply-issues.ts';
import { dropNulls } from './drop-nulls.ts';
import type { JsonReading } from './read-json.ts';
import type { ReplyShape } from './reply-shape.ts';

export type Accepted<Output> =
  | { readonly fits: true; readonly value: Output }
  | { readonly fits: false; readonly issues: readonly string[] };

/**
 * The schema's view of a value, allowing for what models do with any schema: null for a property that may
 * be missing, the object wrapped as a tool call or in a property of its own, a list bare without the object
 * around it. Issues are those of the value as it came.
 */
export function accept<Output>(
  schema: z.ZodType<Output>,
  { value, truncated }: JsonReading,
  shape: ReplyShape,
): Accepted<Output> {
  // Without a property of the schema's, a schema of defaults would take anything for an empty reply.
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
