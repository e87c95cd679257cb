import { z } from 'zod';

/** A time as callers write it: see `parseTimestamp`. */
export type TimeInput = Date | number | string;

/** A time as text, such as "2023-05-08". */
export const timeText = z.string().min(1).max(100);

/** Checks only the type; the caller that parses the text checks whether it names a time. */
export const timeInputSchema: z.ZodType<TimeInput, TimeInput> = z.union([z.date(), z.number(), timeText]);
