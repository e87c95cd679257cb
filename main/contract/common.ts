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
