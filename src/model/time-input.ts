import { z } from 'zod';

/** A time as callers write it: see `parseTimestamp`. */
export type TimeInput = Date | number | string;

/** Checks the type alone; whether a text names a time is found out where it is parsed. */
export const timeInputSchema: z.ZodType<TimeInput, TimeInput> = z.union([
  z.date(),
  z.number(),
  z.string().min(1).max(100),
]);
