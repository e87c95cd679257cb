import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isEmpty } from '../../../src/edit/rederive/graph-difference.ts';
import { rederive } from '../../../src/edit/rederive/rederive.ts';
import { scopeBefore } from '../../../src/edit/rederive/scope-history.ts';
import { readScopeRows, type ScopeRows } from '../../../src/edit/rederive/scope-rows.ts';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { canonical } from './canonical-graph.ts';
import { embedder, ingest, localMemory, SCOPE } from './local-memory.ts';

const DAY = 86_400_000;

function fresh() {
  const store = new InMemoryStore();
  const time = { now: 1_700_000_000_000 };
  let ids = 0;
  const newId = () => `${String(++ids).padStart(9, '0')}`;
  const memory = localMemory(store, { clock: () => ++time.now, newId });
  return { store, time, newId, memory };
}

type Fresh = ReturnType<typeof fresh>;

const rederived = async ({ store, newId }: Fresh, since: number | null = null) => {
  const given = { store, scope: SCOPE, embedder, newId, ...ingest, former: [], since, tombstones: [] };
  return (await rederive(given)).changes;
};

const says = (session: string, contents: readonly string[], day = 0): TurnInput[] =>
  contents.map((content, index) => ({
    session,
    index,
    speaker: index % 2 === 0 ? 'Ann' : 'Bob',
    at: 1_600_000_000_000 + day * DAY + index * 60_000,
    content,
  }));

async function remember(memory: MemoryScope, turns: readonly TurnInput[]): Promise<void> {
  await memory.add(turns);
  await memory.flush();
}

const idsOf = ({ nodes }: ScopeRows) => ({
  entity: [...nodes.entity.keys()],
  fact: [...nodes.fact.keys()],
  segment: [...nodes.segment.keys()],
});

/** Segments of two topics; the second session has nothing to do with the first. */
async function twoSessions(): Promise<Fresh> {
  const world = fresh();
  await remember(
    world.memory,
    says('monday', ['I live in Ghent.', 'I work at Acme.', 'My sister is called Mia.']),
  );
  world.time.now += DAY;
  await remember(world.memory, says('tuesday', ['I adopted a dog named Rex.', 'Rex loves the park.'], 1));
  return world;
}

describe('re-derivation', () => {
  it('leaves a memory unchanged', async () => {
    const world = await twoSessions();
    await world.memory.addFacts([
      {
        statement: 'Ann plays chess.',
        subject: 'Ann',
        relation: 'plays',
        object: 'chess',
        evidence: [{ session: 'monday', index: 0 }],
      },
    ]);
    world.time.now += DAY;
    await remember(world.memory, [{ ...says('monday', ['I live in Bruges.'])[0]! }]); // a corrected turn
    expect(isEmpty(await rederived(world))).toBe(true);
  });

  it('leaves a memory with manual corrections and undos unchanged', async () => {
    const world = await twoSessions();
    const rows = await readScopeRows(world.store, SCOPE);
    const fact = [...rows.nodes.fact.values()].find(({ statement }) => statement.includes('Acme'))!;
    const { correction } = await world.memory.corrections.editFact(fact.id, {
      statement: 'Bob works at Globex.',
    });
    await world.memory.corrections.undo(correction);
    await world.memory.corrections.editFact(fact.id, { statement: 'Bob works at Initech.' });
    expect(isEmpty(await rederived(world))).toBe(true);
  });

  const file = new URL('../../../../shared/data/locomo/locomo5-dev.json', import.meta.url);
  it.skipIf(!existsSync(file))(
    'leaves a conversation of LoCoMo unchanged, from any start (skipped without the data)',
    async () => {
      const [{ conversation }] = JSON.parse(readFileSync(file, 'utf8'));
      const world = fresh();
      for (let day = 1; day <= 8; day++) {
        world.time.now += DAY;
        const turns = conversation[`session_${day}`].map(
          ({ speaker, text }: { speaker: string; text: string }, index: number) => ({
            session: `session ${day}`,
            index,
            speaker,
            content: text || '(a photo)',
            at: 1_600_000_000_000 + day * DAY + index * 60_000,
          }),
        );
        await world.memory.add(turns);
        if (day % 2 === 0) await world.memory.flush();
      }
      const times = [...(await readScopeRows(world.store, SCOPE)).nodes.episode.values()].map(
        (turn) => turn.createdAt,
      );
      for (const since of [null, times[20]!, times[60]!, times.at(-1)!])
        expect(isEmpty(await rederived(world, since))).toBe(true);
    },
  );
});

describe('re-derivation after forgetting', () => {
  it('reads only the segments of the session of the turn; what the others gave was kept', async () => {
    const time = { now: 1_700_000_000_000 };
    let [ids, read] = [0, 0];
    const { reader } = ingest.stages;
    const memory = localMemory(new InMemoryStore(), {
      clock: () => ++time.now,
      newId: () => `${String(++ids).padStart(9, '0')}`,
      reader: {
        read: (segments, options) => {
          read += segments.length;
          return reader.read(segments, options);
        },
      },
    });
    for (let day = 0; day < 10; day++) {
      time.now += DAY;
      const own = [`I bought tent number ${day}.`, 'My sister is called Mia.', `I live in house ${day}.`];
      await remember(memory, says(`day ${day}`, own, day));
    }
    expect(read).toBeGreaterThanOrEqual(10);
    for (const [session, most] of [
      ['day 0', 2],
      ['day 1', 2],
    ] as const) {
      read = 0;
      const { episodes } = await memory.previewForget({ session });
      await memory.forget({ episode: episodes[0]! });
      await memory.settle();
      expect(read).toBeGreaterThan(0);
      expect(read).toBeLessThanOrEqual(most);
    }
  });

  it('keeps the rows that do not depend on the turn, and the entities of turns that are read again', async () => {
    const { memory, store } = await twoSessions();
    const before = await readScopeRows(store, SCOPE);
    const nameOf = (name: string) =>
      [...before.nodes.profile.values()].find((each) => each.name === name)!.owner;
    await memory.forget({ episodes: (await turnsSaying(store, 'Acme')).map(({ id }) => id) });
    await memory.settle();
    const after = idsOf(await readScopeRows(store, SCOPE));
    for (const name of ['Ann', 'Mia', 'Ghent', 'Rex']) expect(after.entity).toContain(nameOf(name));
    expect(after.entity).not.toContain(nameOf('Acme'));
    const rex = [...before.nodes.fact.values()].filter(({ statement }) => statement.includes('Rex'));
    expect(rex.length).toBeGreaterThan(0);
    for (const { id } of rex) expect(after.fact).toContain(id);
  });

  it('gives rows the times at which they were learned', async () => {
    const { memory, store } = await twoSessions();
    const lived = [...(await readScopeRows(store, SCOPE)).nodes.fact.values()].find(({ statement }) =>
      statement.includes('Ghent'),
    )!;
    await memory.forget({ episodes: (await turnsSaying(store, 'Acme')).map(({ id }) => id) });
    await memory.settle();
    const again = [...(await readScopeRows(store, SCOPE)).nodes.fact.values()].find(({ statement }) =>
      statement.includes('Ghent'),
    )!;
    expect(again.createdAt).toBe(lived.createdAt);
    expect((await memory.stats({ knownAt: lived.createdAt + 1 })).fact).toBeGreaterThan(0);
    expect((await memory.stats({ knownAt: lived.createdAt - 1 })).fact).toBe(0);
  });

  it('removes an end that only the forgotten turn gave, and restores the end that a fact came with', async () => {
    const world = fresh();
    await remember(world.memory, says('monday', ['I live in Ghent.', 'Nice.']));
    world.time.now += DAY;
    await remember(world.memory, says('tuesday', ['I moved to Lisbon yesterday.', 'Oh!'], 30));
    const lives = async () =>
      [...(await readScopeRows(world.store, SCOPE)).nodes.fact.values()].find(({ statement }) =>
        /Ghent/.test(statement),
      )!;
    expect((await lives()).invalidAt).not.toBeNull();
    await world.memory.forget({ session: 'tuesday' });
    expect((await lives()).invalidAt).toBeNull();
  });

  it('gives what the other turns alone would have given', async () => {
    const [lived, other] = [await twoSessions(), fresh()];
    await lived.memory.forget({ session: 'monday' });
    await remember(other.memory, says('tuesday', ['I adopted a dog named Rex.', 'Rex loves the park.'], 1));
    expect(canonical(await readScopeRows(lived.store, SCOPE))).toEqual(
      canonical(await readScopeRows(other.store, SCOPE)),
    );
  });
});

async function turnsSaying(store: InMemoryStore, word: string) {
  return [...(await readScopeRows(store, SCOPE)).nodes.episode.values()].filter(({ content }) =>
    content.includes(word),
  );
}

describe('memory as it was at a time', () => {
  it('has no edge to an entity that was younger then than its row is, as after a forgetting', async () => {
    const world = fresh();
    const said = (session: string, index: number, speaker: string, content: string) => ({
      ...{ session, index, speaker, content, at: 1_600_000_000_000 },
    });
    const { memory } = world;
    await memory.add(said('s0', 0, 'Carla', 'My sister Yusuf works at the library in Bruges.'));
    const { outcomes } = await memory.add(
      said('s1', 0, 'Tomas', 'I started chess yesterday; my teacher Yusuf recommended the Najdorf method.'),
    );
    await memory.flush();
    const since = world.time.now + 1;
    await memory.add([
      said('s1', 1, 'Nora', 'Carla said "rowing is the best" when I told her that I live in Bruges.'),
      said('s1', 2, 'Yusuf', 'I started bouldering; my teacher Yusuf recommended the Kilter method.'),
    ]);
    await memory.flush();
    await memory.forget({ episode: (outcomes[0] as { id: string }).id });
    await memory.settle();
    const before = scopeBefore(await readScopeRows(world.store, SCOPE), since)!;
    const ids = new Set(Object.values(before.rows.nodes).flatMap((rows) => [...rows.keys()]));
    const edges = Object.values(before.rows.edges).flat();
    expect(edges.length).toBeGreaterThan(0);
    expect(edges.filter(({ from, to }) => !ids.has(from) || !ids.has(to))).toEqual([]);
    await expect(rederived(world, since)).resolves.toBeDefined();
  });
});
