/**
 * How much a run of the tests does; `TEST_TIER` says which. `MNEMIS_TIER` is a setting of the product.
 *
 * - `fast`: `npm test`. Files named `*.slow.test.ts` are left out, counted checks do a handful.
 * - `slow`: `npm run test:slow`. Those files, and the counted checks with their full counts.
 * - `long`: `npm run test:long`. The counted checks with counts that take the better part of an hour.
 */
export const TIERS = ['fast', 'slow', 'long'] as const;
export type Tier = (typeof TIERS)[number];

/** @throws RangeError when `TEST_TIER` names no tier. */
export function currentTier(): Tier {
  const named = process.env.TEST_TIER ?? 'fast';
  const tier = TIERS.find((each) => each === named);
  if (tier === undefined) throw new RangeError(`TEST_TIER must be one of ${TIERS.join(', ')}, not ${named}`);
  return tier;
}

/**
 * What a counted check does in this tier: how many kills, how many histories, which rows of a table. A file that calls
 * this runs in every tier; `vitest.config.ts` finds it by its import.
 *
 * @param counts - `long` is left out where more would show nothing new; it is as `slow` then.
 */
export function inTier<T>(counts: { readonly fast: T; readonly slow: T; readonly long?: T }): T {
  const { fast, slow, long = slow } = counts;
  return { fast, slow, long }[currentTier()];
}
