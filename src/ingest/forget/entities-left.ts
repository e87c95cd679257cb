import { groupBy } from '../../util/group-by.ts';
import type { IngestContext } from '../ingest-context.ts';
import { collect } from './collect.ts';
import type { Going } from './going.ts';

/** What is left of an entity once a step of forgetting is done. */
export interface EntityLeft {
  /** Turns that still are known to mention it. */
  readonly mentions: readonly string[];
  /** Turns that stay and mentioned it: those of `mentions`, and those that are to be read again. */
  readonly mentionedIn: readonly string[];
  /** Facts of any age. */
  readonly facts: readonly string[];
  readonly descriptions: number;
}

export function isNothing({ mentions, facts, descriptions }: EntityLeft): boolean {
  return mentions.length + facts.length + descriptions === 0;
}

export async function entitiesLeft(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
  entities: readonly string[],
  going: Going,
): Promise<ReadonlyMap<string, EntityLeft>> {
  if (entities.length === 0) return new Map();
  const unlinked = new Set(
    going.unlinks.flatMap(({ kind, from, to }) => (kind === 'MENTIONS' ? [`${from} ${to}`] : [])),
  );
  const mentions = await collect(store.relationships(scope, 'MENTIONS', { to: entities }));
  const about = await collect(store.relationships(scope, 'ABOUT', { to: entities }));
  const staying = mentions.filter(({ from }) => !going.allTurns.has(from));
  const mentionedIn = groupBy(staying, ({ to }) => to);
  const facts = groupBy(
    about.filter(({ from }) => !going.facts.has(from)),
    ({ to }) => to,
  );
  const gone = new Set(going.descriptions.map(({ id }) => id));
  const described = groupBy(
    going.allDescriptions.filter(({ id }) => !gone.has(id)),
    ({ entity }) => entity as string,
  );
  return new Map(
    entities.map((id) => {
      const turns = (mentionedIn.get(id) ?? []).map(({ from }) => from);
      const left: EntityLeft = {
        mentions: turns.filter((turn) => !unlinked.has(`${turn} ${id}`)),
        mentionedIn: turns,
        facts: [...new Set((facts.get(id) ?? []).map(({ from }) => from))],
        descriptions: described.get(id)?.length ?? 0,
      };
      return [id, left];
    }),
  );
}
