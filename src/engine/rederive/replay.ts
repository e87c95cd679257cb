import { CancelledError } from '../../errors/index.ts';
import type { FormerSegment } from '../../ingest/forget/touched-segments.ts';
import type { FactInput } from '../../model/fact-input.ts';
import type { Milliseconds } from '../../model/ids.ts';
import type { Embedding, Fact, Profile, Tombstone } from '../../model/nodes.ts';
import type { Relationship } from '../../model/relationships.ts';
import { groupBy } from '../../util/collections.ts';
import { scopeBefore } from './scope-before.ts';
import { scopeEvents } from './scope-events.ts';
import { DERIVED_FROM_TURNS, type ScopeRows } from './scope-rows.ts';
import { Shadow, type ShadowOptions } from './shadow.ts';

export interface ReplayOptions extends ShadowOptions {
  readonly former: readonly FormerSegment[];
  /** What comes before this time is not gone through again; null: everything is. */
  readonly since: Milliseconds | null;
  /** Vectors of the rows of the scope. */
  readonly vectors: () => Promise<readonly Embedding[]>;
  readonly tombstones: readonly Tombstone[];
}

/** Ingests what a scope holds once more, everything in its turn (DESIGN §8.1). @throws CancelledError */
export async function replay(rows: ScopeRows, options: ReplayOptions): Promise<Shadow> {
  const shadow = new Shadow(options);
  await shadow.bury(options.tombstones);
  const named = new Names(rows);
  const before = options.since === null ? null : scopeBefore(rows, options.since);
  if (before !== null) await shadow.seed(before.rows, await vectorsOf(before.rows, options));
  const events = scopeEvents(rows, options.former).filter(({ at }) => before === null || at >= before.since);
  for (const event of events) {
    if (options.signal?.aborted)
      throw new CancelledError('what was forgotten is gone', options.signal.reason);
    shadow.setTime(event.at);
    if (event.type === 'arrived') await shadow.arrive(event.episodes);
    else if (event.type === 'given') await shadow.give(event.facts.flatMap((fact) => named.inputOf(fact)));
    else if (event.type === 'consolidated') await shadow.consolidate(event.turns);
    else await shadow.correct(event.correction);
  }
  return shadow;
}

async function vectorsOf({ nodes }: ScopeRows, { vectors }: ReplayOptions): Promise<readonly Embedding[]> {
  const kinds = ['episode', ...DERIVED_FROM_TURNS] as const;
  const has = (owner: string) => kinds.some((kind) => nodes[kind].has(owner));
  return (await vectors()).filter(({ owner }) => has(owner));
}

/** Given facts in the words in which they were given: memory keeps whom they are about, not what was said. */
class Names {
  readonly #about: ReadonlyMap<string, readonly Relationship[]>;
  readonly #evidence: ReadonlyMap<string, readonly Relationship[]>;
  readonly #profiles: ReadonlyMap<string, readonly Profile[]>;
  readonly #ended: ReadonlySet<string>;
  readonly #arrived: ReadonlyMap<string, Milliseconds>;

  constructor({ nodes, edges }: ScopeRows) {
    this.#about = groupBy(edges.ABOUT, ({ from }) => from);
    this.#evidence = groupBy(edges.EVIDENCED_BY, ({ from }) => from);
    this.#profiles = groupBy([...nodes.profile.values()], ({ owner }) => owner);
    this.#arrived = new Map([...nodes.episode.values()].map(({ id, createdAt }) => [id, createdAt]));
    this.#ended = new Set(edges.SUPERSEDES.map(({ to }) => to));
  }

  inputOf(fact: Fact): FactInput[] {
    const evidence = (this.#evidence.get(fact.id) ?? [])
      .filter(({ to }) => (this.#arrived.get(to) ?? Infinity) <= fact.createdAt) // others bore it out since
      .map(({ to }) => ({ id: to }));
    if (evidence.length === 0) return [];
    const about = this.#about.get(fact.id) ?? [];
    const nameOf = (role: string) =>
      about.flatMap((edge) => (edge.role === role ? this.#nameOf(edge, fact) : []));
    const [subject] = nameOf('subject');
    const [object] = nameOf('object');
    const ends = fact.invalidAt === null || this.#ended.has(fact.id) ? {} : { invalidAt: fact.invalidAt };
    return [
      {
        statement: fact.statement,
        relation: fact.relation,
        ...(subject === undefined ? {} : { subject }),
        ...(object === undefined ? {} : { object }),
        participants: nameOf('participant'),
        validAt: fact.validAt,
        ...ends,
        confidence: fact.confidence,
        evidence,
      },
    ];
  }

  /** As it was called when the fact was given. */
  #nameOf({ to }: Relationship, { createdAt }: Fact): string[] {
    const profiles = this.#profiles.get(to) ?? [];
    const then = profiles.findLast((profile) => profile.createdAt <= createdAt) ?? profiles[0];
    return then === undefined ? [] : [then.name];
  }
}
