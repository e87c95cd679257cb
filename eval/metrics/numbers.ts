import { NO_USAGE, type Usage } from '../../src/model/retrieved-item.ts';

/**
 * The value below which `percent` of the values lie, interpolated between neighbours (as NumPy's default); null
 * of no values.
 */
export function percentile(values: readonly number[], percent: number): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const place = (Math.min(100, Math.max(0, percent)) / 100) * (sorted.length - 1);
  const below = sorted[Math.floor(place)]!;
  const above = sorted[Math.ceil(place)]!;
  return below + (above - below) * (place - Math.floor(place));
}

/** To 2 decimals. */
export function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** To 2 decimals; null stays null. */
export function roundOrNull(value: number | null): number | null {
  return value === null ? null : round(value);
}

export function sumOfUsages(usages: readonly Usage[]): Usage {
  return usages.reduce(
    (sum, { calls, promptTokens, completionTokens }) => ({
      calls: sum.calls + calls,
      promptTokens: sum.promptTokens + promptTokens,
      completionTokens: sum.completionTokens + completionTokens,
    }),
    NO_USAGE,
  );
}
