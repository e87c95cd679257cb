import { z } from 'zod';
import { jsonTime, options } from '../../src/model/options.ts';

/** Id of a thing of the app: a conversation, message, folder, upload or job. Clients create ids as UUIDs. */
export const appId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
export const atMilliseconds = z.number();
export const { scope } = options;
export const inScope = z.strictObject({ scope });
export const optionalScope = scope.optional();
export const boundedCount = (most: number) => z.number().int().min(1).max(most);
export const time = jsonTime;

/** Why a language model's server did not do what it was asked, among errors of one code. */
export const errorReasonSchema = z.enum([
  ...(['unreachable', 'late', 'protocol', 'fault', 'long'] as const),
  ...(['rate-limited', 'server-error', 'timeout', 'broken-reply'] as const),
  ...(['missing', 'refused'] as const),
]);
export type ErrorReason = z.infer<typeof errorReasonSchema>;
