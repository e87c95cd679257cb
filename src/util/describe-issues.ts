import type { z } from 'zod';

/**
 * Describes a schema's issues in one sentence that quotes only the schema. Our own messages start in lower case and
 * are used unchanged. Zod's messages start with a capital and are reworded, because unknown keys are user text and
 * must not be named; if given, the known `fields` of the whole value are listed instead. With `namesKeys` an unknown key
 * that looks like a name in a program is named: for options and objects that programs write.
 */
export function describeIssues(
  error: z.ZodError,
  fields: readonly string[] = [],
  { namesKeys = false } = {},
): string {
  return error.issues
    .slice(0, 3)
    .map((issue) =>
      [
        ...(issue.path.length === 0 ? [] : [issue.path.join('.')]),
        describeIssue(issue, { fields, namesKeys }),
      ].join(': '),
    )
    .join('; ');
}

const KEY_OF_A_PROGRAM = /^[A-Za-z_]\w{0,39}$/;

function describeIssue(
  issue: z.core.$ZodIssue,
  { fields, namesKeys }: { readonly fields: readonly string[]; readonly namesKeys: boolean },
): string {
  if (!/^[A-Z]/.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return describeKind(issue);
    case 'invalid_union':
      return 'is missing or of the wrong kind';
    case 'invalid_value':
      return `is none of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return describeLimit(issue, issue.minimum, ['at least', 'more than']);
    case 'too_big':
      return describeLimit(issue, issue.maximum, ['at most', 'less than']);
    case 'unrecognized_keys': {
      const key = namesKeys ? issue.keys.find((each) => KEY_OF_A_PROGRAM.test(each)) : undefined;
      if (issue.path.length > 0 || fields.length === 0)
        return key === undefined ? 'has an unknown field' : `has an unknown field "${key}"`;
      const known = fields.join(', ');
      return key === undefined
        ? `has a field that is none of ${known}`
        : `has no field "${key}"; its fields are ${known}`;
    }
    default:
      return 'is not valid';
  }
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  date: 'a date',
};

function describeKind({ expected, path }: z.core.$ZodIssueInvalidType): string {
  const kind = KINDS[expected];
  if (kind === undefined) return 'is missing or of the wrong kind';
  return path.length === 0 ? `is not ${kind}` : `is missing or not ${kind}`;
}

const UNITS: Readonly<Record<string, string>> = { string: 'characters', array: 'entries', set: 'entries' };

function describeLimit(
  { origin, inclusive, code }: z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig,
  limit: number | bigint,
  [reaching, beyond]: readonly [string, string],
): string {
  const unit = UNITS[origin];
  if (unit === undefined) return `must be ${inclusive === false ? beyond : reaching} ${limit}`;
  if (code === 'too_small' && Number(limit) === 1) return 'is empty';
  return `must have ${reaching} ${limit} ${unit}`;
}

/** Type and location of a foreign error, for a log. Its message is left out because it may contain user text. */
export function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return `something of the type ${typeof error} was thrown`;
  const { name, message, stack = '' } = error;
  // The stack begins with the message, whose lines may look like a location.
  const start = stack.indexOf(message);
  const [frame = ''] = start < 0 ? [] : (/^ {4}at .*$/m.exec(stack.slice(start + message.length)) ?? []);
  return [name, frame.trim()].filter((part) => part !== '').join(' ');
}
