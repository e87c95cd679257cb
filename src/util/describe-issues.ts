import type { z } from 'zod';

/**
 * What a schema has against a value, in one sentence. Zod's own messages quote the schema only, except that they
 * list unknown keys, which are the user's text: instead, the known ones of the whole value are named, if given.
 */
export function describeIssues(error: z.ZodError, fields: readonly string[] = []): string {
  return error.issues
    .slice(0, 3)
    .map((issue) =>
      [...(issue.path.length === 0 ? [] : [issue.path.join('.')]), describeIssue(issue, fields)].join(': '),
    )
    .join('; ');
}

function describeIssue({ code, message, path }: z.core.$ZodIssue, fields: readonly string[]): string {
  if (code === 'invalid_union') return 'is missing or of the wrong kind';
  if (code !== 'unrecognized_keys') return message;
  return path.length === 0 && fields.length > 0
    ? `has a field that is none of ${fields.join(', ')}`
    : 'has an unknown field';
}
