import type { z } from 'zod';
import type { ReplyShape } from './reply-shape.ts';

const MOST_ISSUES = 8;

/**
 * What a schema has against a reply, one sentence per place. Names that are not the schema's own are what the
 * model wrote, which may be the user's words: they become `*`.
 */
export function describeReplyIssues(error: z.ZodError, shape: ReplyShape): readonly string[] {
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
