import { describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { open, remember, turn } from '../../engine/memory-fixture.ts';

const embedder = new HashingEmbedder({ analyze, dimension: 64 });
const HARP = turn('My sister Nora plays the harp.', { source: 'chat', sourceId: '1', speaker: 'Ana' });

/** With what the program beside memory was asked to remove. */
async function besideLab(): Promise<AsyncDisposable & { engine: Mnemis; removed: string[] }> {
  const removed: string[] = [];
  const textHolders = [
    {
      name: 'chats',
      holds: async (texts: readonly string[]) => texts.map((_, text) => ({ text, where: 'chat', count: 1 })),
      remove: async (texts: readonly string[]) => void removed.push(...texts),
    },
  ];
  const engine = await open(':memory:', { embedder, textHolders, automatic: false });
  return { engine, removed, [Symbol.asyncDispose]: () => engine.close() };
}

describe('turns that are removed because', () => {
  it.each([
    ['forgotten', true, 'rejected'],
    ['moved', false, 'rejected'],
    ['undone', false, 'added'],
  ] as const)('they were %s', async (cause, asksBeside, again) => {
    await using lab = await besideLab();
    const memory = lab.engine.scope('a');
    const { outcomes } = await remember(memory, HARP);
    const [outcome] = outcomes as readonly { id: string }[];
    const { proof } = await memory.forget({ episodes: [outcome!.id] }, { cause });
    expect(lab.removed.includes(HARP.content)).toBe(asksBeside);
    expect(proof.clean).toBe(!asksBeside); // this holder never lets go
    expect((await memory.preview([HARP])).outcomes[0]!.status).toBe(again);
    expect((await memory.stats()).episode).toBe(0);
  });
});

describe('corrections of turns', () => {
  const kinds = async (memory: MemoryScope, turns: readonly string[]) =>
    (await memory.corrections.ofTurns(turns)).map(({ kind }) => kind);

  it('are those of their facts, and of entities that nothing else mentions', async () => {
    await using engine = await open(':memory:', { embedder, automatic: false });
    const memory = engine.scope('a');
    const said = [
      HARP,
      turn('I live in Ghent.', { source: 'chat', sourceId: '2', speaker: 'Ana', session: 'b' }),
      turn('Nora lives in Bruges.', { source: 'chat', sourceId: '3', speaker: 'Ana', session: 'c' }),
    ];
    const { outcomes } = await remember(memory, said);
    const [harp, ghent, bruges] = outcomes.map((each) => (each.status === 'rejected' ? '' : each.id)) as [
      ...[string, string, string],
    ];
    const facts = (await memory.list({ kind: 'fact' })).items.flatMap((each) =>
      each.kind === 'fact' ? [each] : [],
    );
    const factOf = (id: string) => facts.find(({ sources }) => sources.includes(id as never))!.id;
    const { corrections } = memory;
    expect(await kinds(memory, [harp, ghent, bruges])).toEqual([]);

    const pinned = await corrections.pinFact(factOf(harp));
    expect(await kinds(memory, [harp])).toEqual(['pin-fact']);
    expect(await kinds(memory, [ghent, bruges])).toEqual([]);
    await corrections.undo(pinned.correction);
    expect(await kinds(memory, [harp])).toEqual([]);

    await corrections.rejectFact(factOf(harp));
    const edited = await corrections.editFact(factOf(ghent), { statement: 'Ana lives in Ghent, Belgium' });
    expect(await kinds(memory, [harp])).toEqual(['reject-fact']);
    expect(await kinds(memory, [ghent])).toEqual(['edit-fact']);
    await corrections.undo(edited.correction);

    // Nora is named in two sessions, Bruges in one.
    const entity = async (name: string) => (await memory.history({ entity: name })).entity;
    await corrections.editProfile(await entity('Nora'), { summary: 'A sister' });
    expect(await kinds(memory, [bruges])).toEqual([]);
    expect(await kinds(memory, [harp, bruges])).toEqual(['reject-fact', 'edit-profile']);
    await corrections.keepApart(await entity('Bruges'), await entity('Ghent'));
    expect(await kinds(memory, [bruges])).toEqual(['keep-apart']);
  });
});
