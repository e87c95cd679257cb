import type { EntityId } from '../../model/ids.ts';
import type { EntityIndex } from '../../search/entity-index.ts';
import type { CorrectionBook, RuledName } from '../correct/correction-book.ts';
import type { Mention } from './batch-mention.ts';
import type { KnownEntities } from './known-entities.ts';

interface Rulings {
  readonly book: CorrectionBook;
  readonly known: KnownEntities;
  readonly entities: EntityIndex;
}

/** Whom mentions are of because somebody said so; the others are not in it. */
export function ruledMentions(
  mentions: readonly Mention[],
  rulings: Rulings,
): ReadonlyMap<Mention, EntityId> {
  const ruled = new Map<Mention, EntityId>();
  for (const mention of mentions) {
    const id = ruledEntity(mention, rulings);
    if (id !== null && rulings.entities.ids.ordinalOf(id) !== undefined) ruled.set(mention, id);
  }
  return ruled;
}

function ruledEntity(mention: Mention, rulings: Rulings): EntityId | null {
  const { book, entities } = rulings;
  const { key } = mention.form;
  for (const ruled of book.ruledNames(key)) if (holds(ruled, mention, rulings)) return ruled.entity;
  // Who has lost all turns for a while is the same when they are read again.
  const anchored = book.anchored(key, mention.episodes);
  return anchored !== undefined && entities.profileOf(anchored) === undefined ? anchored : null;
}

function holds(ruled: RuledName, mention: Mention, { entities, known }: Rulings): boolean {
  if (ruled.because === 'split') return isMostlyIn(mention, ruled.episodes);
  const others = entities.idsOfName(mention.form.key).filter((id) => id !== ruled.entity);
  if (others.length === 0) return true;
  if (ruled.because === 'former') return false;
  // Of two Alexes, one of them merged into Alexander, the session tells who is meant.
  const isHere = (id: EntityId) => known.isInSession(id, mention.session);
  return isHere(ruled.entity) || !others.some(isHere);
}

/** A segment gives a name one entity. */
function isMostlyIn({ episodes }: Mention, turns: ReadonlySet<string>): boolean {
  return 2 * episodes.filter((turn) => turns.has(turn)).length > episodes.length;
}
