import { z } from 'zod';

/** Id of a thing of the app: a conversation, message, folder, upload or job. Clients create ids as UUIDs. */
export const appId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/);
export const atMilliseconds = z.number();
/** Name of the scope. */
export const scope = z.string().min(1).max(200);
export const inScope = z.strictObject({ scope });
export const optionalScope = scope.optional();
export const boundedCount = (most: number) => z.number().int().min(1).max(most);
/** Milliseconds since 1970, or text such as "2023-05-08". */
export const time = z.union([z.number(), z.string().min(1).max(100)]);
