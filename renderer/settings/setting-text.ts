/** The environment variable of a setting: `llmModel` is MNEMIS_LLM_MODEL. */
export const environmentName = (key: string): string =>
  `MNEMIS_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** The number in a field, null if it is empty; undefined if it is none. */
export function numberIn(typed: string): number | null | undefined {
  const plain = typed.trim().replace(/[\s,_’']/g, '');
  if (plain === '') return null;
  const value = Number(plain);
  return Number.isFinite(value) && value >= 0 ? value : undefined;
}

export interface RetentionRule {
  /** Such as `365d`; null: for ever. */
  readonly olderThan: string | null;
  readonly keepFacts: boolean;
}

/** The retention as the settings tell it: an object, or null. */
export function retentionIn(value: unknown): RetentionRule {
  const turns = (value as { turns?: { olderThan?: unknown; keepFacts?: unknown } } | null)?.turns;
  return typeof turns?.olderThan === 'string'
    ? { olderThan: turns.olderThan, keepFacts: turns.keepFacts === true }
    : { olderThan: null, keepFacts: false };
}

/** The value to save for a rule. */
export function retentionValue({ olderThan, keepFacts }: RetentionRule): Record<string, unknown> | null {
  return olderThan === null ? null : { turns: { olderThan, keepFacts } };
}

/** A model in all its variants, such as `bge-m3` and `bge-m3:int8`. */
export interface ModelGroup<Entry> {
  readonly name: string;
  readonly variants: readonly (Entry & { readonly precision: string | null })[];
}

export function groupModels<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
): ModelGroup<Entry>[] {
  const groups = new Map<string, (Entry & { precision: string | null })[]>();
  for (const entry of entries) {
    const [name = entry.name, precision = null] = entry.name.split(':');
    groups.set(name, [...(groups.get(name) ?? []), { ...entry, precision }]);
  }
  return Array.from(groups, ([name, variants]) => ({ name, variants }));
}
