import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { Embedder } from '../../../src/inference/embedder.ts';
import { NOTHING_STALE } from '../../../src/ingest/admit/superseded-turns.ts';
import { refreshProfiles } from '../../../src/ingest/describe/refresh-profiles.ts';
import { EntityResolution, type SegmentToResolve } from '../../../src/ingest/resolve/entity-resolution.ts';
import { LocalResolutionJudge } from '../../../src/ingest/resolve/local-resolution-judge.ts';
import type { ResolutionJudge } from '../../../src/ingest/resolve/resolution-judge.ts';
import { embedNodes } from '../../../src/ingest/write/embed-nodes.ts';
import type { GraphChanges } from '../../../src/model/graph-changes.ts';
import type { Relationship } from '../../../src/model/relationships.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { ScopeIndex } from '../../../src/search/scope-index.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { edge, episode, fact, scopeOf } from '../../contract/graph-rows.ts';

type Kind = 'person' | 'place' | 'organisation' | 'thing' | 'date';

/** "Alex:person" by name; a bare name is a person. Each statement mentions the entities whose names it contains. */
export function said(session: string, names: readonly string[], ...statements: string[]): SegmentToResolve {
  const entities = names.map((each) => {
    const [name, kind = 'person'] = each.split(':');
    return { name: name!, kind: kind as Kind, aliases: [], turns: [0], tags: [], description: '' };
  });
  const facts = statements.map((statement) => ({
    kind: 'proposition' as const,
    statement,
    subject: null,
    relation: '',
    object: null,
    participants: entities.map(({ name }) => name).filter((name) => statement.includes(name)),
    validAt: 0,
    invalidAt: null,
    event: null,
    origin: 'read',
    statedEnd: null,
    confidence: 1,
    turns: [0],
  }));
  return { session, speakers: ['Nora', 'Ben'], extraction: { entities, facts } };
}

/** A scope to which segments of one turn are added, one batch at a time. */
export class ResolvingMemory {
  readonly index = ScopeIndex.empty(64);
  readonly store = new InMemoryStore();
  readonly scope = scopeOf('a');
  readonly #embedder: Embedder | null;
  readonly #judge: ResolutionJudge | null;
  #count = 0;

  constructor({
    judge = new LocalResolutionJudge(),
    embedder = new HashingEmbedder({ analyze, dimension: 64 }),
  }: { judge?: ResolutionJudge | null; embedder?: Embedder | null } = {}) {
    this.#judge = judge;
    this.#embedder = embedder;
  }

  readonly newId = () => `id ${String(++this.#count).padStart(6, '0')}`;

  resolve(segments: readonly SegmentToResolve[]) {
    const { index, store, scope, newId } = this;
    const judge = this.#judge;
    return new EntityResolution({ index, store, scope, newId, judge, embedder: this.#embedder }).resolve(
      segments,
    );
  }

  async add(...segments: SegmentToResolve[]) {
    const resolved = await this.resolve(segments);
    const now = ++this.#count;
    const nodes = {
      episode: segments.map(({ session, speakers }) =>
        episode(this.newId(), { session, speaker: speakers[0]!, index: now, createdAt: now }),
      ),
      entity: resolved.entities.filter(({ isNew }) => isNew).map(({ id }) => ({ id, createdAt: now })),
      fact: segments.flatMap(({ extraction }) =>
        extraction.facts.map(({ statement }) => fact(this.newId(), { statement, createdAt: now })),
      ),
    };
    const edges = new Map<string, Relationship>();
    const put = (row: Relationship) => edges.set([row.kind, row.from, row.to].join(' '), row);
    let next = 0;
    for (const [at, { extraction }] of segments.entries()) {
      const turn = nodes.episode[at]!.id;
      for (const { name } of extraction.entities) {
        const to = resolved.entityOf(at, name);
        if (to !== undefined) put(edge('MENTIONS', turn, to));
      }
      for (const { participants } of extraction.facts) {
        const { id } = nodes.fact[next++]!;
        put(edge('EVIDENCED_BY', id, turn));
        for (const name of participants)
          put(edge('ABOUT', id, resolved.entityOf(at, name)!, { role: 'participant' }));
      }
    }
    await this.#commit({ resolved, now, nodes, relationships: [...edges.values()] });
    return resolved;
  }

  async #commit({
    resolved,
    now,
    nodes,
    relationships,
  }: {
    resolved: Awaited<ReturnType<ResolvingMemory['resolve']>>;
    now: number;
    nodes: Pick<Required<NonNullable<GraphChanges['nodes']>>, 'episode' | 'entity' | 'fact'>;
    relationships: readonly Relationship[];
  }): Promise<void> {
    const embedder = this.#embedder ?? new HashingEmbedder({ analyze, dimension: 64 });
    const { index, store, scope, newId } = this;
    const admission = { redactsSecrets: false, neverRemember: null };
    const context = { index, store, scope, newId, embedder, admission, clock: () => now };
    const profiles = await refreshProfiles(context, {
      entities: resolved.entities,
      facts: nodes.fact,
      relationships,
      now,
      grownBy: 'MENTIONS',
      stale: NOTHING_STALE,
    });
    const embedding =
      this.#embedder === null ? [] : await embedNodes(context, { profile: profiles.created }, undefined);
    const changes = {
      nodes: { ...nodes, profile: profiles.created, embedding },
      relationships,
      updates: profiles.expired,
    };
    await store.commit(scope, changes);
    index.apply(changes);
  }
}
