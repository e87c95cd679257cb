import type { EntityId, EpisodeId, FactId } from '../../model/ids.ts';
import type { Episode, Fact } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import type { JudgedFact } from './superseder.ts';

const LONGEST_SAID = 600;

/** All names that an entity goes by, of memory or of the batch. */
export type NamesOf = (entity: EntityId) => readonly string[];

/** What the relationships of a batch say of its facts. */
export class BatchEdges {
  readonly #entities = new Map<string, Set<EntityId>>();
  readonly #turns = new Map<string, EpisodeId[]>();

  constructor(relationships: readonly Relationship[]) {
    for (const { kind, fromKind, from, to } of relationships) {
      if (kind === 'ABOUT')
        this.#entities.set(from, (this.#entities.get(from) ?? new Set()).add(to as EntityId));
      if (kind === 'EVIDENCED_BY' && fromKind === 'fact')
        this.#turns.set(from, [...(this.#turns.get(from) ?? []), to as EpisodeId]);
    }
  }

  entitiesOf(fact: string): ReadonlySet<EntityId> {
    return this.#entities.get(fact) ?? new Set();
  }

  /** Turns of the batch that the fact rests on. */
  turnsOf(fact: string): readonly EpisodeId[] {
    return this.#turns.get(fact) ?? [];
  }
}

/** Of turns of one moment so many are told apart. */
const LONGEST_MOMENT = 4_096;

/** When a turn was said, as a number: by its time, then by its place in the session. */
function placeIn({ validAt, index }: Pick<Episode, 'validAt' | 'index'>): number {
  return validAt + Math.min(index, LONGEST_MOMENT - 1) / LONGEST_MOMENT;
}

/** When a fact of memory was first said, on the scale of `TurnOrder`; 0 if no turn of it is left. */
export function firstSaid(fact: string, index: ScopeIndex): number {
  const { ids, timeline } = index.episodes;
  const places = index.evidenceOf(fact).map((turn) => {
    const ordinal = ids.ordinalOf(turn)!;
    return placeIn({ validAt: timeline.validAt.at(ordinal), index: timeline.index.at(ordinal) });
  });
  return places.length === 0 ? 0 : Math.min(...places);
}

/** The turns of a batch in the order in which they were said, whatever the order in which memory hears of them. */
export class TurnOrder {
  readonly #episodes: ReadonlyMap<string, Episode>;

  constructor(episodes: readonly Episode[]) {
    this.#episodes = new Map(episodes.map((episode) => [episode.id, episode]));
  }

  placeOf(turn: EpisodeId): number {
    const episode = this.#episodes.get(turn);
    return episode === undefined ? 0 : placeIn(episode);
  }

  validAt(turn: EpisodeId): number {
    return this.#episodes.get(turn)?.validAt ?? 0;
  }

  textOf(turn: EpisodeId): string {
    return this.#episodes.get(turn)?.content ?? '';
  }

  sorted(turns: readonly EpisodeId[]): EpisodeId[] {
    return turns.toSorted((a, b) => this.placeOf(a) - this.placeOf(b));
  }
}

export function viewNew(
  fact: Fact,
  { edges, turns, namesOf }: { edges: BatchEdges; turns: TurnOrder; namesOf: NamesOf },
): JudgedFact {
  const cited = turns.sorted(edges.turnsOf(fact.id));
  return {
    ...judged(fact),
    order: cited.length === 0 ? 0 : turns.placeOf(cited[0]!),
    names: named(edges.entitiesOf(fact.id), namesOf),
    said: cited
      .map((turn) => turns.textOf(turn))
      .join('\n')
      .slice(0, LONGEST_SAID),
  };
}

export function viewKnown(
  fact: Fact,
  { index, namesOf }: { index: ScopeIndex; namesOf: NamesOf },
): JudgedFact {
  const names = named(index.entitiesOf(fact.id), namesOf);
  return { ...judged(fact), order: firstSaid(fact.id, index), names, said: '' };
}

function judged({ id, statement, validAt, invalidAt, event, confidence }: Fact) {
  return { id: id as FactId, statement, validAt, invalidAt, event, confidence };
}

function named(entities: Iterable<EntityId>, namesOf: NamesOf): JudgedFact['names'] {
  return new Map(Array.from(entities, (id) => [id, namesOf(id)] as const));
}
