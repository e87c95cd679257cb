import { describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../../src/browse/feed/change-event.ts';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../../src/engine.ts';
import type { Scope } from '../../../src/model/ids.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { InMemoryStore } from '../../../src/store/in-memory/in-memory-store.ts';
import { correction } from '../../contract/graph-rows.ts';
import { memoryOver } from '../ingestion/memory-over.ts';
import {
  asSet,
  contents,
  edges,
  freshPath,
  type Graph,
  graphOf,
  open,
  QUERIES,
  remember,
  turn,
} from '../memory-fixture.ts';

const DAY = 86_400_000;
const NOW = Date.UTC(2024, 5, 1);
const KEEP = { turns: { olderThan: '365d', keepFacts: true } };

const ann = (content: string, at: string, more: Partial<TurnInput> = {}) =>
  turn(content, { speaker: 'Ann', at: `${at}T10:00:00Z`, session: at, ...more });
/** Four turns older than a year, one of them in two versions, and two that are not. */
const TALK: readonly (readonly TurnInput[])[] = [
  [
    ann('I adopted a beagle called Rex from the shelter.', '2022-03-01'),
    ann('Rex loves the parks of Oslo.', '2022-03-01'),
    ann('What a lovely day it is.', '2022-03-01'),
  ],
  [ann('I moved to Osslo.', '2023-05-01', { sourceId: 'move' })],
  [ann('I moved to Oslo.', '2023-05-01', { sourceId: 'move' })],
  [
    ann('I started piano lessons.', '2024-05-20', {
      attachments: [{ kind: 'photo', description: 'a grand piano in a hall' }],
    }),
    ann('I moved to Ghent.', '2024-05-20'),
  ],
];
const OLD_TEXTS = TALK.slice(0, 3).flatMap((turns) => turns.map(({ content }) => content));

async function talked(path = ':memory:', clock: () => number = () => NOW): Promise<[Mnemis, MemoryScope]> {
  const engine = await open(path, { automatic: false, clock });
  const memory = engine.scope('a');
  for (const turns of TALK) await remember(memory, turns);
  return [engine, memory];
}

/** A graph in which turns go by their key and version: ids of turns change, and nothing else of them may. */
function byTurns({ nodes, relationships }: Graph): { rows: string[]; edges: string[] } {
  const names = new Map(
    nodes.episode.map(({ id, key, version }) => [id as string, JSON.stringify([key, version])]),
  );
  const nameOf = (id: string) => names.get(id) ?? id;
  const { embedding, episode, correction, ...others } = nodes;
  return {
    rows: asSet({
      nodes: { ...others, embedding: [], correction: [], episode: [] },
      relationships: [],
    } as unknown as Graph),
    edges: relationships
      .map((edge) => JSON.stringify({ ...edge, from: nameOf(edge.from), to: nameOf(edge.to) }))
      .sort(),
  };
}

describe('retention that keeps facts', () => {
  it('removes the text of old turns, in every version, and keeps everything derived from them', async () => {
    const [engine, memory] = await talked();
    const before = await graphOf(memory);
    const report = await memory.maintain({ retention: KEEP });
    const after = await graphOf(memory);
    const bytes = OLD_TEXTS.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    const dimension = engine.describe().fingerprint!.dimension;
    expect(report).toEqual({
      dryRun: false,
      finishedForgetting: 0,
      unfinishedForgetting: null,
      retention: {
        before: NOW - 365 * DAY,
        keepFacts: true,
        turns: 5,
        bytes: bytes + 5 * dimension * 4,
        waiting: 0,
      },
    });
    expect(byTurns(after)).toEqual(byTurns(before));
    const wanted = before.nodes.episode.map(({ id: _, ...row }) =>
      row.validAt < NOW - 365 * DAY ? { ...row, content: '', attachments: [] } : row,
    );
    const found = after.nodes.episode.map(({ id: _, ...row }) => row);
    const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(sorted(found)).toEqual(sorted(wanted));
    const owners = new Set(after.nodes.embedding.map(({ owner }) => owner));
    for (const { id, content } of after.nodes.episode) expect(owners.has(id)).toBe(content !== '');
    expect(after.nodes.embedding).toHaveLength(before.nodes.embedding.length - 5);
    expect(await engine.verify()).toMatchObject({ sound: true, findings: [] });
    expect((await engine.verify()).scopes[0]?.withoutVector).toBe(0);
    await engine.close();
  });

  it('records and reports its changes, and has nothing to do a second time', async () => {
    const [engine, memory] = await talked();
    const changes = memory.changes();
    await memory.maintain({ retention: KEEP });
    const again = await memory.maintain({ retention: KEEP });
    expect(again.retention).toMatchObject({ turns: 0, bytes: 0, waiting: 0 });
    const { nodes } = await graphOf(memory);
    const removed = nodes.episode.filter(({ content }) => content === '').map(({ id }) => id);
    expect(nodes.correction).toEqual([
      expect.objectContaining({ kind: 'retain', author: 'retention', createdAt: NOW, finishedAt: NOW }),
    ]);
    expect([...nodes.correction[0]!.targets].sort()).toEqual(removed.sort());
    await engine.close();
    const events: ChangeEvent[] = [];
    for await (const event of changes) events.push(event);
    expect(events).toEqual([
      {
        type: 'retained',
        at: NOW,
        correction: nodes.correction[0]!.id,
        author: 'retention',
        counts: { turns: 5, bytes: expect.any(Number) },
      },
    ]);
  });

  it('leaves no text of the turns, and facts that still name their sources', async () => {
    const path = freshPath();
    let now = NOW;
    const [engine, memory] = await talked(path, () => now);
    const facts = (await memory.search('Which pet did Ann adopt?')).facts.map(({ statement }) => statement);
    now += 1_000;
    await memory.maintain({ retention: KEEP });
    const check = async (from: MemoryScope) => {
      for (const query of [...QUERIES, ...OLD_TEXTS, 'What did Ann say in March 2022?']) {
        const result = await from.search(query, { k: 50 });
        expect(contents(result).filter((content) => content === '' || OLD_TEXTS.includes(content))).toEqual(
          [],
        );
        expect(result.ranked.episodes.length).toBe(result.episodes.length);
      }
      const result = await from.search('Which pet did Ann adopt?');
      expect(result.facts.map(({ statement }) => statement)).toEqual(facts);
      const pet = result.facts.find(({ statement }) => /beagle/.test(statement))!;
      expect(pet.sources).toEqual([
        expect.objectContaining({ session: '2022-03-01', index: 0, removed: true }),
      ]);
      const { citations } = await from.ask('What is the name of the beagle of Ann?');
      expect(citations.filter(({ item }) => item.kind === 'episode')).toEqual([]);
      const then = await from.search('Rex', { knownAt: NOW, asOf: '2022-06-01', k: 50 });
      expect(contents(then)).not.toContain('');
    };
    await check(memory);
    await engine.close();
    await using again = await open(path, { automatic: false });
    await check(again.scope('a'));
  });

  it('recognises the same turn as known', async () => {
    const [engine, memory] = await talked();
    await memory.maintain({ retention: KEEP });
    const result = await memory.add(TALK[0]!.map((each, index) => ({ ...each, index })));
    expect(result).toMatchObject({ added: 0, known: 3, superseding: 0 });
    expect(await memory.add(TALK[2]!)).toMatchObject({ known: 1 });
    await engine.close();
  });

  it('keeps turns that were not yet consolidated, and counts them', async () => {
    await using engine = await open(':memory:', { automatic: false, clock: () => NOW });
    const memory = engine.scope('a');
    await memory.add(TALK[0]!);
    expect((await memory.maintain({ retention: KEEP })).retention).toMatchObject({ turns: 0, waiting: 3 });
    await memory.flush();
    expect((await memory.maintain({ retention: KEEP })).retention).toMatchObject({ turns: 3, waiting: 0 });
  });

  it('only reports in a dry run', async () => {
    const [engine, memory] = await talked();
    const before = asSet(await graphOf(memory));
    const report = await memory.maintain({ retention: KEEP, dryRun: true });
    expect(report).toMatchObject({ dryRun: true, retention: { turns: 5, waiting: 0 } });
    expect(asSet(await graphOf(memory))).toEqual(before);
    await engine.close();
  });

  it('continues after an interruption, in chunks of 500', async () => {
    await using engine = await open(':memory:', { automatic: false, clock: () => NOW });
    const memory = engine.scope('a');
    const many = Array.from({ length: 1_100 }, (_, at) => ann(`Yes ${at}.`, '2022-03-01', { index: at }));
    await remember(memory, many);
    const stop = new AbortController();
    const changes = memory.changes();
    const running = memory.maintain({ retention: KEEP, signal: stop.signal });
    await changes.next(); // the first chunk
    stop.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    const left = (await graphOf(memory)).nodes.episode.filter(({ content }) => content !== '').length;
    expect([100, 600]).toContain(left);
    expect((await memory.maintain({ retention: KEEP })).retention).toMatchObject({ turns: left });
    const after = await graphOf(memory);
    expect(after.nodes.episode.filter(({ content }) => content === '')).toHaveLength(1_100);
    expect(edges(after, 'NEXT')).toHaveLength(1_099);
  });

  it('uses the rule of the engine, and rejects an invalid one', async () => {
    const engine = await open(':memory:', { automatic: false, clock: () => NOW, retention: KEEP });
    const memory = engine.scope('a');
    await remember(memory, TALK[0]!);
    expect((await memory.maintain()).retention).toMatchObject({ turns: 3 });
    for (const olderThan of ['a year', '0d', '', '12 months', '-3d'])
      await expect(memory.maintain({ retention: { turns: { olderThan } } })).rejects.toMatchObject({
        code: 'invalid-input',
      });
    await engine.close();
    await expect(open(':memory:', { retention: { turns: { olderThan: 'soon' } } })).rejects.toMatchObject({
      code: 'invalid-input',
    });
  });

  it('does nothing without a rule', async () => {
    const [engine, memory] = await talked();
    expect((await memory.maintain()).retention).toBeNull();
    await engine.close();
  });

  it('survives an export and a restore, with new ids too', async () => {
    const file = freshPath('.jsonl');
    const [engine, memory] = await talked();
    await memory.maintain({ retention: KEEP });
    await memory.exportTo(file);
    const copy = engine.scope('b');
    await copy.importFrom(file, { newIds: true });
    expect((await copy.maintain({ retention: KEEP })).retention).toMatchObject({ turns: 0 });
    expect(contents(await copy.search('Rex in Oslo', { k: 50 }))).not.toContain('');
    await engine.close();
  });
});

describe('retention that forgets', () => {
  const FORGET = { turns: { olderThan: '365d' } };

  it('forgets old turns, consolidated or not, and rejects them later', async () => {
    const [engine, memory] = await talked();
    await memory.add(ann('I sold my red bicycle.', '2022-04-01'));
    expect(await memory.maintain({ retention: FORGET, dryRun: true })).toMatchObject({
      retention: { keepFacts: false, turns: 6, bytes: null, waiting: 0 },
    });
    expect((await memory.stats()).episode).toBe(8);
    expect((await memory.maintain({ retention: FORGET })).retention).toMatchObject({ turns: 6 });
    const { nodes } = await graphOf(memory);
    expect(nodes.episode.map(({ content }) => content)).toEqual(TALK[3]!.map(({ content }) => content));
    expect(nodes.correction).toMatchObject([{ kind: 'forget', author: 'retention' }]);
    const texts = JSON.stringify(nodes);
    for (const word of ['Rex', 'beagle', 'bicycle']) expect(texts).not.toContain(word);
    expect((await memory.maintain({ retention: FORGET })).retention).toMatchObject({ turns: 0 });
    expect((await graphOf(memory)).nodes.correction).toHaveLength(1);
    expect(await memory.add(TALK[2]!)).toMatchObject({ added: 0 });
    await engine.close();
  });

  it('includes turns without text', async () => {
    const [engine, memory] = await talked();
    await memory.maintain({ retention: KEEP });
    await memory.maintain({ retention: FORGET });
    const { nodes } = await graphOf(memory);
    expect(nodes.episode).toHaveLength(2);
    expect(JSON.stringify([nodes.fact, nodes.profile, nodes.segment])).not.toContain('beagle');
    expect(await engine.verify()).toMatchObject({ sound: true, findings: [] });
    await engine.close();
  });

  it('completes an interrupted forgetting, and says so', async () => {
    const store = new InMemoryStore();
    const { memory: over } = await memoryOver(store);
    for (const turns of TALK) await remember(over, turns);
    const [first] = (await graphOf(over)).nodes.episode;
    const open = { target: 'episode', turns: [first!.id], entities: [], since: 0, regroup: [], counts: {} };
    await store.commit('a' as Scope, {
      nodes: {
        correction: [correction('c', { kind: 'forget', targets: [first!.id], detail: JSON.stringify(open) })],
      },
    });
    const { memory: again } = await memoryOver(store);
    expect(await again.maintain()).toEqual({
      dryRun: false,
      finishedForgetting: 1,
      unfinishedForgetting: null,
      retention: null,
    });
    const after = (await graphOf(again)).nodes;
    expect(after.episode.map(({ id }) => id)).not.toContain(first!.id);
    expect(after.correction).toMatchObject([{ kind: 'forget', finishedAt: expect.any(Number) }]);
    expect((await again.maintain()).finishedForgetting).toBe(0);
  });
});

describe('manual corrections and retention', () => {
  it('keep their effect on a turn without text, and can still be undone', async () => {
    const [engine, memory] = await talked();
    const { nodes } = await graphOf(memory);
    const fact = nodes.fact.find(({ statement }) => statement.includes('beagle'))!;
    const before = byTurns(await graphOf(memory));
    const { correction: id } = await memory.corrections.rejectFact(fact.id, { author: 'Ann' });
    await memory.maintain({ retention: KEEP });
    const after = await graphOf(memory);
    const [row] = after.nodes.correction.filter(({ kind }) => kind === 'reject-fact');
    const old = nodes.episode
      .filter(({ validAt }) => validAt < NOW - 365 * DAY)
      .map((turn) => turn.id as string);
    expect(row!.targets.filter((target) => old.includes(target))).toEqual([]);
    expect(row!.id === id).toBe(false);
    expect((await engine.verify()).findings).toEqual([]);
    await memory.corrections.undo(row!.id, { author: 'Ann' });
    expect(byTurns(await graphOf(memory)).edges).toEqual(before.edges);
    expect((await memory.search('beagle')).facts.map(({ statement }) => statement)).toContain(fact.statement);
    await engine.close();
  });
});

describe('corrections of turns that lose their text', () => {
  it('are undone by their original ids, and keep their order, also after a restart', async () => {
    const path = freshPath();
    let [engine, memory] = await talked(path);
    const factIn = async (words: string) =>
      (await graphOf(memory)).nodes.fact.find(
        ({ statement, expiredAt }) => expiredAt === null && statement.includes(words),
      )!.id;
    const before = await factIn('Oslo');
    const first = await memory.corrections.editFact(before, { confidence: 0.5 });
    const other = await memory.corrections.pinFact(await factIn('Ghent'));
    const second = await memory.corrections.editFact(first.fact, { confidence: 0.6 });
    const made = [first, other, second].map(({ correction }) => correction as string);
    const listed = async () => (await memory.corrections.list()).filter(({ kind }) => kind !== 'retain');
    await memory.maintain({ retention: KEEP });
    // The one about a turn that keeps its text is the same row.
    const renewed = [`${made[0]}~2`, made[1], `${made[2]}~2`];
    expect((await listed()).map(({ id }) => id)).toEqual(renewed.toReversed());
    expect(await memory.corrections.list({ before: made[1]! })).toMatchObject([{ id: renewed[0] }]);
    await expect(memory.corrections.undo(made[0]!)).rejects.toThrow(`in this order: ${renewed[2]}`);
    await memory.corrections.undo(made[2]!);
    await engine.close();
    engine = await open(path, { automatic: false, clock: () => NOW });
    memory = engine.scope('a');
    await memory.corrections.undo(made[0]!);
    expect(await factIn('Oslo')).toBe(before);
    await expect(memory.corrections.undo(made[0]!)).rejects.toThrow('undone already');
    await engine.close();
  });
});
