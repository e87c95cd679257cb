import type { ScopeIndex } from '../search/scope-index.ts';
import type { Question } from './question.ts';
import type { RouteCondition } from './route-settings.ts';

/** Whether a route is worth its time for a question to a memory, and why, for its trace. */
export interface Choice {
  readonly runs: boolean;
  /** Empty where the recipe sets no condition: then there is nothing to say. */
  readonly reason: string;
}

/** Goes by what the recipe says of a route: the type of the question, and what memory holds. */
export function chooseRoute(
  when: RouteCondition | undefined,
  { question, index }: { readonly question: Question; readonly index: ScopeIndex },
): Choice {
  if (when === undefined) return { runs: true, reason: '' };
  const type = question.enumerates ? 'all' : 'one';
  const asked = type === 'all' ? 'the question is for all of something' : 'the question is for one thing';
  if (when.asks !== undefined && when.asks !== type) return { runs: false, reason: asked };
  const held = rowsHeld(index);
  for (const [kind, needed] of Object.entries(when.holds ?? {}) as [keyof typeof held, number][])
    if (held[kind] < needed)
      return { runs: false, reason: `memory holds ${held[kind]} ${kind}, and it needs ${needed}` };
  return { runs: true, reason: when.asks === undefined ? 'memory holds what it needs' : asked };
}

function rowsHeld({ hierarchy, segments, facts, entities }: ScopeIndex) {
  return {
    categories: hierarchy.size,
    segments: segments.lexical.size,
    facts: facts.lexical.size,
    entities: entities.size,
  };
}
