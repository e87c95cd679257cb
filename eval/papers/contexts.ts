import { UnknownNameError } from '../../src/errors/index.ts';
import type { ContextForm } from '../../src/model/context-form.ts';

/** A context as a paper gives it to the model that answers. */
interface NamedContext {
  readonly name: string;
  readonly description: string;
  /** The paper's size; null: it has none. */
  readonly k: number | null;
  readonly form: (k: number) => ContextForm;
}

/** What answers are composed from, by name. A counted context shows the best items of each kind, whole. */
export const CONTEXTS: readonly NamedContext[] = [
  {
    name: 'filled',
    description: 'by rank and length, until 4,000 tokens are used (this project)',
    k: null,
    form: () => 'filled',
  },
  {
    name: 'mnemis',
    description: 'k turns, 2k facts, 2k entities and categories (Mnemis §3.1)',
    k: 10,
    form: (k) => ({ turns: k, facts: 2 * k, entities: 2 * k }),
  },
  {
    name: 'graph',
    description: '2k facts, 2k entities and categories, no turns (Mnemis, Table 4)',
    k: 10,
    form: (k) => ({ turns: 0, facts: 2 * k, entities: 2 * k }),
  },
  {
    name: 'memorai',
    description: 'the first k turns and every triplet that cites them (MemORAI §3.3.2)',
    k: 3,
    form: (k) => ({ turns: k, facts: 'citing', entities: 0 }),
  },
  {
    name: 'turns',
    description: 'k turns alone (MemORAI, Table 8; GAM §4.1 with k = 10)',
    k: 10,
    form: (k) => ({ turns: k, facts: 0, entities: 0 }),
  },
  {
    name: 'personalai',
    description: 'what the traversals return, at most k of each kind (PersonalAI, "Retrieve Algorithms")',
    k: 50,
    form: (k) => ({ turns: k, facts: k, entities: 0 }),
  },
];

/** The form of a named context of a size. @throws UnknownNameError, which lists the names. */
export function contextNamed(name: string, k?: number): ContextForm {
  const found = CONTEXTS.find((each) => each.name === name);
  if (found === undefined)
    throw new UnknownNameError(
      'context',
      name,
      CONTEXTS.map((each) => each.name),
    );
  return found.form(k ?? found.k ?? 10);
}
