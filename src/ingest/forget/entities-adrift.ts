import type { EntityId } from '../../model/ids.ts';
import type { IngestContext } from '../ingest-context.ts';
import type { Going } from './going.ts';
import { Texts, wordsOfTurn } from './names-left.ts';

/**
 * Entities that lost their mentions when an earlier forgetting sent turns back to be read again, and that none of those
 * turns names any more. Without an edge to a turn, nothing else would find them when the last such turn is forgotten.
 * One that a correction ties to a waiting turn stays, whatever it is called.
 */
export async function entitiesAdrift(
  { store, scope, index }: Pick<IngestContext, 'store' | 'scope' | 'index'>,
  { turns, allTurns }: Pick<Going, 'turns' | 'allTurns'>,
): Promise<readonly string[]> {
  if (turns.size === 0) return [];
  const adrift = index.entities
    .current()
    .filter(({ owner }) => index.mentionCount(owner) + index.factsAbout(owner as EntityId).length === 0);
  if (adrift.length === 0) return [];
  const waiting = new Map<string, readonly string[]>();
  const columns = ['id', 'status', 'content', 'speaker', 'attachments'] as const;
  for await (const rows of store.scan(scope, 'episode', columns))
    for (const row of rows)
      if (row.status !== 'extracted' && !allTurns.has(row.id)) waiting.set(row.id, wordsOfTurn(row));
  const texts = new Texts([...waiting.values()].flat());
  const bound = new Set(
    index.rulings.corrections.flatMap(({ targets }) =>
      targets.some((id) => waiting.has(id)) ? targets : [],
    ),
  );
  return adrift.flatMap(({ owner, name, aliases }) =>
    bound.has(owner) || [name, ...aliases].some((each) => texts.say(each)) ? [] : [owner],
  );
}
