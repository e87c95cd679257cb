import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../../src/browse/feed/change-event.ts';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { freshPath, graphOf, open, remember, turn, using } from '../../engine/memory-fixture.ts';

const MOVES: readonly TurnInput[] = [
  turn('I live in Oslo.', { speaker: 'Ann', session: 's1', at: '2023-05-08T10:00:00Z' }),
  turn('I moved to Ghent.', { speaker: 'Ann', session: 's2', at: '2023-07-01T10:00:00Z' }),
];

async function taken(events: AsyncIterable<ChangeEvent>): Promise<ChangeEvent[]> {
  const all: ChangeEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

const historyOf = (memory: MemoryScope, since?: number) => taken(memory.changes({ since, follow: false }));
/** Without the times, which are those of the clock. */
const plain = (events: readonly ChangeEvent[]) => events.map(({ at: _, ...event }) => event);

/** A clock by which no two commits happen at the same time. */
function ticking(): { clock: () => number } {
  let now = Date.UTC(2024, 0, 1);
  return { clock: () => ++now };
}

describe('changes', () => {
  it('reports turns, entities, facts and supersessions, each once, in the order of commits', async () => {
    const engine = await open(':memory:', { automatic: false, ...ticking() });
    const memory = engine.scope('a');
    const changes = memory.changes();
    for (const each of MOVES) await remember(memory, each);
    const { nodes, relationships } = await graphOf(memory);
    await engine.close();
    const events = await taken(changes);
    const ofType = (type: ChangeEvent['type']) => events.filter((event) => event.type === type);
    const statementOf = new Map(nodes.fact.map(({ id, statement }) => [id as string, statement]));

    expect(plain(ofType('stored'))).toEqual(
      nodes.episode.map(({ id, session, index, version, speaker }) => ({
        ...{ type: 'stored', episode: id, session, index, version, speaker },
      })),
    );
    const learned = plain(ofType('learned')).map((event) => JSON.stringify(event));
    expect(learned.sort()).toEqual(
      [
        ...nodes.fact.map(({ id, statement }) => ({ type: 'learned', what: 'fact', fact: id, statement })),
        ...nodes.entity.map(({ id }) => {
          const [first] = nodes.profile.filter(({ owner }) => owner === id);
          return { type: 'learned', what: 'entity', entity: id, name: first?.name };
        }),
      ]
        .map((event) => JSON.stringify(event))
        .sort(),
    );
    const superseding = relationships.filter(({ kind }) => kind === 'SUPERSEDES');
    expect(superseding).toHaveLength(1);
    expect(plain(ofType('superseded'))).toEqual(
      superseding.map(({ from, to }) => ({
        type: 'superseded',
        fact: from,
        statement: statementOf.get(from),
        superseded: to,
        supersededStatement: statementOf.get(to),
      })),
    );
    // In the order of the commits: a turn, what was read from it, the next turn.
    const kinds = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1]);
    expect(kinds).toEqual(['stored', 'learned', 'stored', 'learned', 'superseded']);
    expect(events.map(({ at }) => at)).toEqual(events.map(({ at }) => at).sort((a, b) => a - b));
  });

  it('reports the same from the graph as live', async () => {
    const path = freshPath();
    const engine = await open(path, { automatic: false, ...ticking() });
    const memory = engine.scope('a');
    const changes = memory.changes();
    for (const each of MOVES) await remember(memory, each);
    await remember(memory, turn('I live in Bergen.', { speaker: 'Ann', session: 's1', index: 0 }));
    const history = await historyOf(memory);
    await engine.close();
    const live = await taken(changes);
    const set = (events: readonly ChangeEvent[]) => events.map((event) => JSON.stringify(event)).sort();
    expect(set(history)).toEqual(set(live));
    expect(live.filter(({ type }) => type === 'withdrawn').length).toBeGreaterThan(0);
    await using(path, async (again) => expect(set(await historyOf(again.scope('a')))).toEqual(set(live)));
  });

  it('continues from history to live events, without a gap or a repetition', async () => {
    const engine = await open(':memory:', { automatic: false });
    const memory = engine.scope('a');
    const add = (from: number, count: number) =>
      Promise.all(
        Array.from({ length: count }, (_, at) =>
          memory.add(turn(`Turn ${from + at}.`, { session: `s${from + at}` })),
        ),
      );
    await add(0, 5);
    const adding = add(5, 30);
    const changes = memory.changes({ since: 0 });
    await adding;
    await add(35, 5);
    await engine.close();
    const sessions = (await taken(changes)).flatMap((event) =>
      event.type === 'stored' ? event.session : [],
    );
    expect(sessions.toSorted()).toEqual(Array.from({ length: 40 }, (_, at) => `s${at}`).sort());
  });

  it('begins at the given time', async () => {
    let now = 1000;
    await using engine = await open(':memory:', { automatic: false, clock: () => now });
    const memory = engine.scope('a');
    for (now of [1000, 2000, 3000]) await memory.add(turn(`At ${now}.`, { session: `s${now}` }));
    const sessions = async (since: number | Date | string) =>
      (await taken(memory.changes({ since, follow: false }))).map(
        (event) => 'session' in event && event.session,
      );
    expect(await sessions(2000)).toEqual(['s2000', 's3000']);
    expect(await sessions(new Date(2001))).toEqual(['s3000']);
    expect(await sessions('1970-01-02')).toEqual([]);
    expect(() => memory.changes({ since: 'some day' })).toThrow(/since is not a time/);
  });

  it('reports nothing of other scopes', async () => {
    const engine = await open(':memory:', { automatic: false });
    const changes = engine.scope('a').changes();
    await engine.scope('b').add(turn('Nobody else hears this.'));
    await engine.close();
    expect(await taken(changes)).toEqual([]);
  });

  it('ends with its signal, with return, and for a waiting reader', async () => {
    const engine = await open(':memory:', { automatic: false });
    const memory = engine.scope('a');
    const controller = new AbortController();
    const [stopped, left, waiting] = [
      memory.changes({ signal: controller.signal }),
      memory.changes(),
      memory.changes(),
    ];
    await memory.add(turn('One.'));
    const first = await left.next();
    expect(first.value).toMatchObject({ type: 'stored' });
    await left.return?.();
    controller.abort();
    expect(await stopped.next()).toEqual({ done: true, value: undefined });
    expect(await left.next()).toEqual({ done: true, value: undefined });
    expect(await taken(memory.changes({ signal: AbortSignal.abort() }))).toEqual([]);
    await waiting.next();
    const last = waiting.next();
    await engine.close();
    expect(await last).toEqual({ done: true, value: undefined });
  });

  it('blocks nobody: a slow reader is told where to restart, and misses nothing then', async () => {
    let now = 0;
    await using engine = await open(':memory:', {
      automatic: false,
      clock: () => ++now,
      redactSecrets: false,
    });
    const memory = engine.scope('a');
    const changes = memory.changes();
    const turns = (batch: number) =>
      Array.from({ length: 1_000 }, (_, at) => turn('Hm.', { session: `s${batch}`, index: at }));
    for (let batch = 0; batch < 11; batch++) await memory.add(turns(batch));
    const events = await taken(changes);
    expect(events).toHaveLength(10_001);
    const last = events.at(-1)!;
    if (last.type !== 'missed') throw new Error('it was not told');
    const told = new Set(events.flatMap((event) => (event.type === 'stored' ? event.episode : [])));
    for (const event of await historyOf(memory, last.since))
      if (event.type === 'stored') told.add(event.episode);
    expect(told.size).toBe(11_000);
  });

  it('reports the import of an export as one event', async () => {
    const file = freshPath('.jsonl');
    const engine = await open(':memory:', { automatic: false });
    for (const each of MOVES) await remember(engine.scope('a'), each);
    await engine.scope('a').exportTo(file);
    const changes = engine.scope('b').changes();
    await engine.scope('b').importFrom(file, { newIds: true });
    const { nodes } = await graphOf(engine.scope('b'));
    await engine.close();
    const { embedding: _, ...others } = nodes;
    const rowsAdded = Object.values(others).reduce((sum, rows) => sum + rows.length, 0);
    expect(plain(await taken(changes))).toEqual([
      {
        type: 'restored',
        counts: { rowsAdded, rowsRemoved: 0, factsLearned: nodes.fact.length, factsWithdrawn: 0 },
      },
    ]);
  });
});
