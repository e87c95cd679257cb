import type { EntityId, FactId } from '../../model/ids.ts';
import type { Relationship } from '../../model/relationships.ts';
import { entityNameKey } from '../../util/tidy.ts';
import type { IngestContext } from '../ingest-context.ts';
import { evidencedBy } from '../write/fact-edges.ts';
import { edgesOf } from './change-facts.ts';
import { CorrectionBook, type RuledFact } from './correction-book.ts';

/** A fact that a program gives, as far as rulings look at it. */
export interface FactToRule {
  readonly statement: string;
  readonly subject: string | null;
  readonly object: string | null;
  readonly participants: readonly string[];
  readonly evidence: readonly string[];
}

export interface RuledInputs<Given> {
  /** Facts that stand where somebody edited or rejected what is given. */
  readonly known: ReadonlyMap<Given, FactId>;
  /** What they rest on now as well. */
  readonly relationships: readonly Relationship[];
}

/** Which of the given facts somebody has edited or rejected before: they rest on one of its turns or name its entities. */
export async function ruledInputs<Given extends FactToRule>(
  context: IngestContext,
  given: readonly Given[],
): Promise<RuledInputs<Given>> {
  const book = CorrectionBook.of(context.index.rulings);
  const known = new Map<Given, FactId>();
  for (const fact of given) {
    const ruled = book.ruledFacts(fact.statement).find((each) => isMeant(fact, each, { context, book }));
    if (ruled !== undefined) known.set(fact, ruled.fact);
  }
  const there = await edgesOf(context, 'EVIDENCED_BY', { from: [...new Set(known.values())] });
  const seen = new Set(there.map(({ from, to }) => `${from} ${to}`));
  const relationships: Relationship[] = [];
  for (const [{ evidence }, id] of known)
    for (const turn of evidence) {
      if (seen.has(`${id} ${turn}`)) continue;
      seen.add(`${id} ${turn}`);
      relationships.push(evidencedBy(id, turn));
    }
  return { known, relationships };
}

function isMeant(
  given: FactToRule,
  { said, fact, isRejected }: RuledFact,
  { context: { index }, book }: { context: IngestContext; book: CorrectionBook },
): boolean {
  if (given.evidence.some((turn) => (said.evidence as readonly string[]).includes(turn))) return true;
  const names = [given.subject, given.object, ...given.participants].filter((name) => name !== null);
  const about = new Set<EntityId>(
    isRejected ? said.about.map((id) => book.canonical(id)) : index.entitiesOf(fact),
  );
  const bears = (name: string) => index.entities.idsOfName(entityNameKey(name)).some((id) => about.has(id));
  return said.event === null && names.length > 0 && names.every(bears);
}
