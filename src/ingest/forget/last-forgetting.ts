import type { ScopeIndex } from '../../search/scope-index.ts';

/**
 * Which forgetting was begun or ended last; null when none was. What was read before it may speak of what is gone,
 * even of turns that stay: whatever reads turns for a while compares it before it writes.
 */
export function lastForgetting({ rulings }: Pick<ScopeIndex, 'rulings'>): string | null {
  return rulings.corrections.findLast(({ kind }) => kind === 'forget')?.id ?? null;
}
