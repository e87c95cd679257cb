import { groupBy } from '../../util/collections.ts';
import type { IngestContext } from '../ingest-context.ts';
import { collect } from './collect.ts';
import type { Going } from './going.ts';

/** What is left of an entity once a step of forgetting is done. */
export interface EntityLeft {
  /** Turns that stay and mention it, those that are to be read again among them. */
  readonly mentionedIn: readonly string[];
  /** Facts of any age. */
  readonly facts: readonly string[];
  readonly descriptions: number;
}

/** One of turns that are to be read again stays, so that it is the same one then. */
export function isNothing({ mentionedIn, facts, descriptions }: EntityLeft): boolean {
  return mentionedIn.length + facts.length + descriptions === 0;
}

export async function entitiesLeft(
  { store, scope }: Pick<IngestContext, 'store' | 'scope'>,
  entities: readonly string[],
  going: Going,
): Promise<ReadonlyMap<string, EntityLeft>> {
  if (entities.length === 0) return new Map();
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
        mentionedIn: turns,
        facts: [...new Set((facts.get(id) ?? []).map(({ from }) => from))],
        descriptions: described.get(id)?.length ?? 0,
      };
      return [id, left];
    }),
  );
}
