/** The environment variable of a setting: `llmModel` is MNEMIS_LLM_MODEL. */
export const environmentName = (key: string): string =>
  `MNEMIS_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;

/** A model in all its variants, such as `bge-m3` and `bge-m3:int8`; `local:NAME` has none. */
export interface ModelGroup<Entry> {
  readonly name: string;
  readonly variants: readonly (Entry & { readonly precision: string | null })[];
}

export function groupModels<Entry extends { readonly name: string }>(
  entries: readonly Entry[],
): ModelGroup<Entry>[] {
  const groups = new Map<string, (Entry & { precision: string | null })[]>();
  for (const entry of entries) {
    const [name = entry.name, precision = null] = entry.name.startsWith('local:')
      ? [entry.name]
      : entry.name.split(':');
    groups.set(name, [...(groups.get(name) ?? []), { ...entry, precision }]);
  }
  return Array.from(groups, ([name, variants]) => ({ name, variants }));
}
