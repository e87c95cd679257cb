import { z } from 'zod';

/** An identifier; exports write some as numbers. */
export const idSchema = z
  .union([z.string(), z.number()])
  .transform((id) => String(id).trim())
  .pipe(z.string().min(1));

/** A whole session shares one time: a second per turn keeps their order. */
export function secondsAfter(start: number, index: number): Date {
  return new Date(start + index * 1000);
}
