import { z } from 'zod';
import { InvalidInputError } from '../errors/invalid-input-error.ts';
import { describeIssues } from '../util/describe-issues.ts';

export const DATE_ORDERS = ['auto', 'day-first', 'month-first', 'year-first'] as const;
export const BRANCHES = ['active', 'all'] as const;

/** How chats from elsewhere are read. */
export const importSettingsSchema = z.strictObject({
  /** Of a chat whose messages were edited or answered anew: the path shown last, or all paths. */
  branches: z.enum(BRANCHES).default('active'),
  /** The name of the person whose chats these are. */
  me: z.string().trim().min(1).max(200).optional(),
  /** Of times that are written without a zone, as IANA names it ("Europe/Oslo"). */
  timeZone: z.string().refine(isTimeZone, 'is no time zone such as "Europe/Oslo"').default('UTC'),
  /** How dates such as 03/04/24 are to be read; `auto` goes by all dates of the file. */
  dateOrder: z.enum(DATE_ORDERS).default('auto'),
  /** What a chat is called whose file does not say it, and documents' session. */
  conversation: z.string().trim().min(1).max(200).optional(),
});

/** How chats from elsewhere are read, for what their files leave open; each has a default. */
export type ImportSettings = z.input<typeof importSettingsSchema>;
export type ReadSettings = z.output<typeof importSettingsSchema>;

/** Throws InvalidInputError. */
export function readSettings(settings: ImportSettings | undefined): ReadSettings {
  const parsed = importSettingsSchema.safeParse(settings ?? {});
  if (parsed.success) return parsed.data;
  const fields = Object.keys(importSettingsSchema.shape);
  throw new InvalidInputError(
    `The settings of the import are not valid: ${describeIssues(parsed.error, fields)}`,
  );
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
