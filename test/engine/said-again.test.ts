import { describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../src/index.ts';
import { Mnemis } from '../../src/index.ts';
import type { ForgetTarget } from '../../src/model/forget-target.ts';
import type { TurnInput } from '../../src/model/turn-input.ts';

const WORDS = 'I live in Ghent.';
const LATER = '2999-01-01T09:00:00Z';
const EARLIER = '2026-01-01T09:00:00Z';

async function memoryOf(clock?: () => number) {
  const engine = await Mnemis.open({ path: ':memory:', automatic: false, ...(clock && { clock }) });
  return engine.scope('a');
}

async function forgotten(
  first: string | TurnInput,
  target: (id: string) => ForgetTarget,
  clock?: () => number,
) {
  const memory = await memoryOf(clock);
  const { outcomes } = await memory.add(first);
  await memory.flush();
  const [outcome] = outcomes;
  await memory.forget(target(outcome !== undefined && 'id' in outcome ? outcome.id : ''));
  return memory;
}

async function expectHeard(memory: MemoryScope, again: string | TurnInput) {
  expect(await memory.preview([typeof again === 'string' ? { content: again } : again])).toMatchObject({
    added: 1,
  });
  expect(await memory.add(again)).toMatchObject({ stored: 1, added: 1, notStored: [] });
  await memory.flush();
  const { episodes, facts } = await memory.search('Who lives in Ghent?');
  expect(episodes.map(({ content }) => content)).toEqual([WORDS]);
  expect(facts).toHaveLength(1);
}

describe('what was forgotten is heard when it is said again', () => {
  it.each<readonly [string, (id: string) => ForgetTarget]>([
    ['by its turn', (episode) => ({ episode })],
    ['by its session', () => ({ session: 'main' })],
    ['by a time', () => ({ after: '2000-01-01' })],
    ['by words', () => ({ query: 'Ghent' })],
    ['with everything', () => ({ all: true })],
  ])('%s', async (_, target) => {
    await expectHeard(await forgotten(WORDS, target), WORDS);
  });

  it.each<readonly [string, string | TurnInput]>([
    ['in a new session', { content: WORDS, session: 'other' }],
    ['by another speaker', { content: WORDS, speaker: 'Ann' }],
    ['by the assistant', { content: WORDS, role: 'assistant' }],
    ['at a later time', { content: WORDS, at: LATER }],
    ['in the same place at a later time', { content: WORDS, index: 0, at: LATER }],
  ])('%s', async (_, again) => {
    await expectHeard(await forgotten(WORDS, () => ({ all: true })), again);
  });

  it('in the millisecond of the forgetting', async () => {
    const clock = () => Date.UTC(2026, 3, 1);
    await expectHeard(await forgotten(WORDS, () => ({ all: true }), clock), WORDS);
  });

  it('and forgotten again, and said again', async () => {
    const memory = await forgotten(WORDS, () => ({ all: true }));
    await expectHeard(memory, WORDS);
    await memory.forget({ all: true });
    expect(await memory.stats()).toMatchObject({ episode: 0, fact: 0 });
    await expectHeard(memory, WORDS);
  });

  it('and does not bring back a forgotten entity by itself: only newer turns do', async () => {
    const memory = await memoryOf();
    await memory.add({ content: 'I met Quentin Marlowe in Ghent.', speaker: 'Ann', at: EARLIER });
    await memory.flush();
    await memory.forget({ entity: 'Quentin Marlowe' });
    await memory.add({ content: 'Quentin Marlowe is a baker.', speaker: 'Ann' });
    await memory.flush();
    expect((await memory.search('Quentin Marlowe')).entities.map(({ name }) => name)).toContain(
      'Quentin Marlowe',
    );
  });
});

describe('the same source stays out, and add says so', () => {
  it.each<readonly [string, TurnInput]>([
    ['by its sourceId', { content: WORDS, source: 'chat', sourceId: '1' }],
    ['by its place', { content: WORDS, session: 's', index: 3 }],
    ['by its time', { content: WORDS, session: 's', at: EARLIER }],
  ])('%s', async (_, turn) => {
    const memory = await forgotten(turn, () => ({ all: true }));
    const result = await memory.add([turn, { content: 'I like tea.' }]);
    expect(result).toMatchObject({
      ...{ stored: 1, added: 1, rejected: 1 },
      notStored: [{ input: 0, status: 'rejected', reason: expect.stringContaining('was forgotten') }],
    });
  });

  it('in an import, also without a time', async () => {
    const memory = await forgotten(WORDS, () => ({ all: true }));
    async function* turns() {
      yield { kind: 'turn' as const, where: 'line 1', turn: { content: WORDS } };
    }
    const events = [];
    for await (const event of memory.import(turns())) events.push(event);
    expect(events.at(-1)).toMatchObject({ counts: { added: 0, rejected: 1 } });
  });
});

it('add lists what it did not store: known turns, rules and empty messages', async () => {
  await using engine = await Mnemis.open({ path: ':memory:', automatic: false, neverRemember: ['tulip'] });
  const memory = engine.scope('a');
  const known = { content: WORDS, session: 's', at: EARLIER };
  await memory.add(known);
  expect(
    await memory.add([known, { content: 'I like the tulip.' }, { content: 'I like tea.' }]),
  ).toMatchObject({
    stored: 1,
    notStored: [
      { input: 0, status: 'known', reason: expect.any(String) },
      { input: 1, status: 'rejected', reason: expect.any(String) },
    ],
  });
});
