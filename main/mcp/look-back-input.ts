import { z } from 'zod';

const time = z.string().min(1).max(100).optional();

export const lookBackInput = {
  as_of: time.describe('A date such as 2026-03-01: what was so then. Leave out for the present.'),
  known_at: time.describe('A date: only what memory had been told by then. Leave out for all of it.'),
};

export function lookBackOf({
  as_of: asOf,
  known_at: knownAt,
}: {
  readonly as_of?: string | undefined;
  readonly known_at?: string | undefined;
}): { readonly asOf: string | undefined; readonly knownAt: string | undefined } {
  return { asOf, knownAt };
}
