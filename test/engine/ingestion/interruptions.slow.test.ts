import { describe, expect, it } from 'vitest';
import type { ImportRecord } from '../../../src/importers/importer.ts';
import { TokenBudget } from '../../../src/inference/language-model/calling/token-budget.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import { LlmRelator } from '../../../src/ingest/segment/relate/llm-relator.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';
import { seededRandom } from '../../search/random.ts';
import { graphOf } from '../memory-fixture.ts';
import { pendingOf } from './dialogues.ts';
import { type GraphUpToIds, upToIds } from './graph-up-to-ids.ts';
import { expectConsistent } from './invariants.ts';
import { memoryOver, watchedStore } from './memory-over.ts';
import { randomConversation } from './random-conversation.ts';
import { openRehearsedLab } from './rehearsed-lab.ts';

/** They say more of one city than fits its profile, so that a model has to write that. */
const TURNS = randomConversation(seededRandom(7), { turns: 48, sessions: 6 }).map((turn, at) =>
  at % 6 === 0 ? { ...turn, content: `${turn.content} I walked ${at + 1} miles through Vienna.` } : turn,
);

function* records(turns: readonly TurnInput[]): Generator<ImportRecord> {
  for (const [at, turn] of turns.entries()) yield { kind: 'turn', turn, where: `turn ${at}` };
}

/** The default profile relates topics by rules; here a model relates them, so that it can be interrupted. */
const modelOver = (model: LanguageModel, store = watchedStore().store) =>
  memoryOver(store, { model, stages: () => ({ relator: new LlmRelator(model) }) });

const whole = new Map<'local' | 'llm', Promise<GraphUpToIds>>();
/** What a memory holds of these turns when nothing disturbs it. */
function undisturbed(tier: 'local' | 'llm'): Promise<GraphUpToIds> {
  const known = whole.get(tier) ?? consolidated(tier);
  whole.set(tier, known);
  return known;
}

async function consolidated(tier: 'local' | 'llm'): Promise<GraphUpToIds> {
  await using lab = await openRehearsedLab();
  const { memory } = tier === 'llm' ? await modelOver(lab.model) : await memoryOver(watchedStore().store);
  await memory.add(TURNS);
  await memory.flush();
  return upToIds(await graphOf(memory));
}

/** Segments and facts: what stages that the local tier stands in for do not touch. */
const read = ({ segments, facts, episodes }: GraphUpToIds) => ({ segments, facts, episodes });

describe('a cancel of work with a model', () => {
  it.each([
    ['planning', 'segment-boundaries'],
    ['reading', 'read-segments'],
    ['resolving', 'resolve-entities'],
    ['describing', 'describe-entities'],
    ['relating', 'relate-segments'],
  ])('while %s keeps every turn, and the next flush completes it', async (_phase, prompt) => {
    const expected = await undisturbed('llm');
    await using lab = await openRehearsedLab();
    const { memory } = await modelOver(lab.model);
    await memory.add(TURNS);
    const cancel = new AbortController();
    lab.before = (asked) => {
      if (asked.prompt === prompt) cancel.abort();
    };
    await expect(memory.flush({ signal: cancel.signal })).rejects.toMatchObject({ code: 'cancelled' });
    lab.before = () => undefined;
    const half = await graphOf(memory);
    expectConsistent(half);
    expect(half.nodes.episode).toHaveLength(48);
    const pending = await pendingOf(memory);
    // What was read is paid for and kept; what was only planned is not there.
    if (prompt === 'segment-boundaries') expect(pending).toBe(48);
    else expect(pending).toBeLessThanOrEqual(48);
    if (['resolve-entities', 'describe-entities', 'relate-segments'].includes(prompt))
      expect(pending).toBe(0);
    await memory.flush();
    const graph = await graphOf(memory);
    expectConsistent(graph);
    expect(read(upToIds(graph))).toEqual(read(expected));
  });

  it('while a batch is committed does not stop that batch', async () => {
    const watched = watchedStore();
    await using lab = await openRehearsedLab();
    const { memory } = await modelOver(lab.model, watched.store);
    await memory.add(TURNS);
    const cancel = new AbortController();
    watched.before = () => cancel.abort();
    await memory
      .flush({ signal: cancel.signal })
      .catch((error: unknown) => expect(error).toMatchObject({ code: 'cancelled' }));
    expect(await pendingOf(memory)).toBe(0);
    expect(upToIds(await graphOf(memory))).toEqual(await undisturbed('llm'));
  });
});

describe('a cancel of the local tier', () => {
  it('at any commit and between any two keeps completed work, and resume completes the rest', async () => {
    const expected = await undisturbed('local');
    for (const stop of [0, 1, 2]) {
      const { memory } = await memoryOver(watchedStore().store);
      await memory.add(TURNS);
      const cancel = new AbortController();
      const flushing = memory.flush({ signal: cancel.signal });
      for (let wait = 0; wait < stop; wait++) await new Promise((resolve) => setTimeout(resolve, 10));
      cancel.abort();
      await flushing.catch((error: unknown) => expect(error).toMatchObject({ code: 'cancelled' }));
      expectConsistent(await graphOf(memory));
      await memory.resume();
      expect(upToIds(await graphOf(memory))).toEqual(expected);
    }
  });

  it('while an import stores keeps the batches that were stored; the same import continues', async () => {
    const many = randomConversation(seededRandom(9), { turns: 900, sessions: 90 });
    const { memory } = await memoryOver(watchedStore().store);
    const cancel = new AbortController();
    const importing = async () => {
      for await (const event of memory.import(records(many), { signal: cancel.signal, enrich: false }))
        if (event.type === 'progress' && event.counts.added > 400) cancel.abort();
    };
    await expect(importing()).rejects.toMatchObject({ code: 'cancelled' });
    const stored = await pendingOf(memory);
    expect(stored).toBeGreaterThan(400);
    expect(stored).toBeLessThan(900);
    let known = 0;
    for await (const event of memory.import(records(many), { enrich: false }))
      if (event.type === 'done') known = event.counts.known;
    expect([known, await pendingOf(memory)]).toEqual([stored, 900]);
    expectConsistent(await graphOf(memory));
  });
});

describe('a budget that ends in the middle of an import', () => {
  it('leaves all turns stored and the rest waiting; further budgets give the same as a single one', async () => {
    const expected = await undisturbed('llm');
    await using lab = await openRehearsedLab();
    const { memory } = await memoryOver(watchedStore().store, { model: lab.model });
    const spent: number[] = [];
    const importing = async () => {
      const budget = new TokenBudget(9_000);
      try {
        for await (const _ of memory.import(records(TURNS), { budget }));
      } finally {
        spent.push(budget.spent);
      }
    };
    await expect(importing()).rejects.toMatchObject({ code: 'budget-exhausted' });
    const left = [await pendingOf(memory)];
    expect((await graphOf(memory)).nodes.episode).toHaveLength(48);
    for (let run = 0; run < 20 && left.at(-1)! > 0; run++) {
      const budget = new TokenBudget(9_000);
      try {
        await memory.resume({ budget });
      } catch (error) {
        expect(error).toMatchObject({ code: 'budget-exhausted' });
      }
      spent.push(budget.spent);
      expectConsistent(await graphOf(memory));
      left.push(await pendingOf(memory));
    }
    expect(left.at(-1)).toBe(0);
    expect(left).toEqual(left.toSorted((a, b) => b - a));
    const { promptTokens, completionTokens } = lab.server.charged;
    expect(spent.reduce((sum, each) => sum + each, 0)).toBe(promptTokens + completionTokens);
    expect(read(upToIds(await graphOf(memory)))).toEqual(read(expected));
  });
});

describe('closing', () => {
  it('in the middle of a run with a model leaves unread turns waiting, for the next opening', async () => {
    const expected = await undisturbed('llm');
    const { store } = watchedStore();
    await using lab = await openRehearsedLab();
    const { memory } = await memoryOver(store, { model: lab.model, automatic: true });
    let release = () => {};
    const isReading = new Promise<void>((resolve) => {
      lab.before = async ({ prompt }) => {
        if (prompt !== 'read-segments') return;
        resolve();
        await new Promise<void>((go) => {
          release = go;
        });
      };
    });
    await memory.add(TURNS);
    await isReading;
    await memory.close();
    lab.before = () => undefined;
    release();
    const asked = lab.asked.length;
    expect(await pendingOf(memory)).toBe(48);
    expectConsistent(await graphOf(memory));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(lab.asked).toHaveLength(asked);
    const again = (await memoryOver(store, { model: lab.model })).memory;
    await again.flush();
    expect(read(upToIds(await graphOf(again)))).toEqual(read(expected));
  });

  it('in the middle of a run in the local tier completes it', async () => {
    const { store } = watchedStore();
    const { memory } = await memoryOver(store, { automatic: true });
    await memory.add(TURNS);
    await memory.close();
    const again = (await memoryOver(store)).memory;
    expect(await pendingOf(again)).toBe(0);
    expect(upToIds(await graphOf(again))).toEqual(await undisturbed('local'));
  });

  it('waits for a requested flush', async () => {
    const { memory } = await memoryOver(watchedStore().store);
    await memory.add(TURNS);
    const flushing = memory.flush();
    await memory.close();
    expect((await flushing).counts.consolidated).toBe(48);
  });
});

it('leaving the events of resume early throws nothing, and the rest waits', async () => {
  const many = randomConversation(seededRandom(9), { turns: 900, sessions: 90 });
  const { memory } = await memoryOver(watchedStore().store);
  await memory.add(many);
  for await (const _ of memory.resume()) break;
  expect(await pendingOf(memory)).toBeGreaterThan(0);
  expectConsistent(await graphOf(memory));
});
