import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import type { Mnemis } from '../../../src/engine.ts';
import { asSet, graphOf } from '../../engine/memory-fixture.ts';
import { entityCalled, factSaying, storyIn, storyMemory } from './corrected-memory.ts';

let engine: Mnemis;
let memory: MemoryScope;
let other: MemoryScope;
beforeEach(async () => {
  ({ engine, memory } = await storyMemory());
  other = engine.scope('other');
  await storyIn(other);
});
afterEach(() => engine.close());

async function expectRefused(job: () => Promise<unknown>, message: RegExp): Promise<void> {
  const before = asSet(await graphOf(memory));
  await expect(job()).rejects.toMatchObject({
    code: 'invalid-input',
    message: expect.stringMatching(message),
  });
  expect(asSet(await graphOf(memory))).toEqual(before);
}

const fact = async (of = memory) => (await factSaying(of, 'Nora loves coffee')).id;

describe('invalid corrections', () => {
  it.each<[string, unknown, RegExp]>([
    ['nothing', {}, /The edit is empty/],
    ['the same', { statement: 'Nora loves coffee' }, /changes nothing/],
    ['an unknown field', { statment: 'x' }, /unknown field/],
    ['an empty statement', { statement: ' ' }, /statement: is empty/],
    ['no time', { validAt: 'soon' }, /validAt: is not a time/],
    [
      'an end before the beginning',
      { validAt: '2023-05-01', invalidAt: '2023-04-01' },
      /invalidAt is before validAt/,
    ],
    ['an end before its own beginning', { invalidAt: '2022-01-01' }, /invalidAt is before validAt/],
    ['a confidence above 1', { confidence: 2 }, /confidence/],
    ['no object', null, /The edit is not valid/],
    ['a statement with NUL', { statement: 'Nora\0 sings' }, /statement: has control characters/],
    ['a relation of two lines', { relation: 'sings\nloudly' }, /relation: has control characters/],
  ])('an edit of %s', async (_, patch, message) => {
    const id = await fact();
    await expectRefused(() => memory.corrections.editFact(id, patch as object), message);
  });

  it.each<[string, unknown, RegExp]>([
    ['nothing', {}, /The edit is empty/],
    ['the same', { name: 'Rex' }, /changes nothing/],
    ['too many tags', { tags: ['a', 'b', 'c', 'd', 'e', 'f'] }, /tags/],
    ['tags that leave no room for the kind', { tags: ['a', 'b', 'c', 'd', 'e'] }, /at most 5 tags/],
    ['a tag of four words', { tags: ['one two three four'] }, /more than three words/],
    ['an empty name', { name: '' }, /name: is empty/],
    ['a name with NUL', { name: 'Re\0x' }, /name: has control characters/],
    ['an alias of two lines', { aliases: ['Rex\nthe dog'] }, /aliases\.0: has control characters/],
    ['a tag with an escape', { tags: ['\x1b[31mred'] }, /tags\.0: has control characters/],
    ['a summary with a bell', { summary: 'A dog.\x07' }, /summary: has control characters/],
  ])('a profile with %s', async (_, patch, message) => {
    const id = await entityCalled(memory, 'Rex');
    await expectRefused(() => memory.corrections.editProfile(id, patch as object), message);
  });

  it('authors', async () => {
    const id = await fact();
    await expectRefused(() => memory.corrections.pinFact(id, { author: ' ' }), /author: is empty/);
    await expectRefused(() => memory.corrections.pinFact(id, { author: 'x'.repeat(201) }), /author/);
    await expectRefused(() => memory.corrections.pinFact(id, { by: 'x' } as object), /unknown field/);
  });

  it('ids that are missing, or of another scope', async () => {
    const { corrections } = memory;
    const [strange, rex] = [await entityCalled(other, 'Rex'), await entityCalled(memory, 'Rex')];
    for (const id of ['nowhere', await fact(other)]) {
      await expectRefused(() => corrections.editFact(id, { statement: 'x' }), /No fact of this scope/);
      await expectRefused(() => corrections.rejectFact(id), /No fact of this scope/);
      await expectRefused(() => corrections.pinFact(id), /No fact of this scope/);
      await expectRefused(
        () => corrections.splitEntity(rex, { name: 'x', facts: [id] }),
        /No fact of this scope/,
      );
    }
    for (const id of ['nowhere', strange]) {
      await expectRefused(() => corrections.editProfile(id, { name: 'x' }), /No entity of this scope/);
      await expectRefused(() => corrections.mergeEntities(rex, id), /No entity of this scope/);
      await expectRefused(() => corrections.mergeEntities(id, rex), /No entity of this scope/);
      await expectRefused(() => corrections.keepApart(id, rex), /No entity of this scope/);
    }
    const { correction } = await other.corrections.pinFact(await fact(other));
    await expectRefused(() => corrections.undo(correction), /No correction of this scope/);
    await expectRefused(() => corrections.undo('nowhere'), /No correction of this scope/);
    await expectRefused(() => corrections.list({ before: correction }), /No correction of this scope/);
  });

  it('one entity for two, and invalid splits', async () => {
    const { corrections } = memory;
    const [rex, nora] = [await entityCalled(memory, 'Rex'), await entityCalled(memory, 'Nora')];
    const turns = (await graphOf(memory)).nodes.episode;
    const of = (content: string) => turns.find((row) => row.content.includes(content))!.id;
    await expectRefused(() => corrections.mergeEntities(rex, rex), /merged with itself/);
    await expectRefused(() => corrections.keepApart(rex, rex), /apart from itself/);
    await expectRefused(() => corrections.splitEntity(rex, { name: 'x' }), /Name the episodes or facts/);
    await expectRefused(
      () => corrections.splitEntity(rex, { name: 'x', episodes: [of('coffee')] }),
      /does not mention the entity/,
    );
    await expectRefused(
      () => corrections.splitEntity(rex, { name: 'x', facts: [], episodes: [of('Rex')] }),
      /would leave nothing for the original entity/,
    );
    const loved = await fact();
    await expectRefused(
      () => corrections.splitEntity(rex, { name: 'x', facts: [loved] }),
      /not about the entity/,
    );
    await expectRefused(() => corrections.splitEntity(nora, { name: '', facts: [loved] }), /name: is empty/);
  });
});

describe('targets that changed meanwhile', () => {
  it('a superseded fact names its successor; of two concurrent edits none is lost', async () => {
    const id = await fact();
    const [one, two] = await Promise.allSettled([
      memory.corrections.editFact(id, { statement: 'Nora loves tea' }),
      memory.corrections.editFact(id, { statement: 'Nora loves milk' }),
    ]);
    expect(one.status).toBe('fulfilled');
    const made = (await factSaying(memory, 'Nora loves tea')).id;
    expect(two).toMatchObject({ status: 'rejected', reason: { code: 'invalid-input' } });
    expect(String((two as PromiseRejectedResult).reason.message)).toContain(`replaced by ${made}`);
    const { correction } = await memory.corrections.rejectFact(made);
    await expectRefused(() => memory.corrections.pinFact(made), new RegExp(`rejected; undo ${correction}`));
    await expectRefused(() => memory.corrections.pinFact(id), new RegExp(`rejected; undo ${correction}`));
  });

  it('a merged entity names the entity that was kept', async () => {
    const [keep, merged] = [await entityCalled(memory, 'Melanie'), await entityCalled(memory, 'Mel')];
    await memory.corrections.mergeEntities(keep, merged);
    await expectRefused(
      () => memory.corrections.editProfile(merged, { name: 'x' }),
      new RegExp(`merged into ${keep}`),
    );
  });

  it('an undo names the corrections that depend on it, the newest first', async () => {
    const { corrections } = memory;
    const edit = await corrections.editFact(await fact(), { statement: 'Nora loves tea' });
    const pin = await corrections.pinFact(edit.fact);
    const again = await corrections.editFact(edit.fact, { statement: 'Nora loves milk' });
    const aside = await corrections.pinFact((await factSaying(memory, 'Nora moved to Ghent')).id);
    await expectRefused(
      () => corrections.undo(edit.correction),
      new RegExp(`in this order: ${again.correction}, ${pin.correction}\\.`),
    );
    for (const { correction } of [again, pin, edit]) await corrections.undo(correction);
    await expectRefused(() => corrections.undo(edit.correction), /undone already/);
    const [last] = await corrections.list({ limit: 1 });
    await expectRefused(() => corrections.undo(last!.id), /An undo cannot be undone/);
    await corrections.undo(aside.correction);
  });

  it('later edits of facts that a merge moved prevent its undo', async () => {
    const [keep, merged] = [await entityCalled(memory, 'Rex'), await entityCalled(memory, 'dog')];
    const merge = await memory.corrections.mergeEntities(keep, merged);
    const { id } = await factSaying(memory, 'Ben adopted a dog called Rex');
    const edit = await memory.corrections.editFact(id, { confidence: 0.5 });
    await expectRefused(() => memory.corrections.undo(merge.correction), new RegExp(edit.correction));
  });
});

describe('the list', () => {
  it('has the newest first, page by page, readable, with authors and times', async () => {
    let clock = Date.parse('2026-01-01');
    const { engine: own, memory: scope } = await storyMemory({ clock: () => clock++ });
    const { correction } = await scope.corrections.rejectFact(await fact(scope), { author: 'Ann' });
    await scope.corrections.undo(correction, { author: 'Bob' });
    await scope.corrections.editProfile(await entityCalled(scope, 'Rex'), { name: 'Rexy', tags: ['pet'] });
    const all = await scope.corrections.list();
    expect(all.map(({ kind, author, description }) => [kind, author, description])).toEqual([
      ['edit-profile', 'user', 'Edited “Rex”: name “Rexy”, tags “pet”'],
      ['undo', 'Bob', 'Undid: Rejected “Nora loves coffee”'],
      ['reject-fact', 'Ann', 'Rejected “Nora loves coffee”'],
    ]);
    expect(all[1]).toMatchObject({ undid: correction, about: [await fact(scope)], undoneAt: null });
    expect(all[2]).toMatchObject({ id: correction, undoneAt: all[1]!.createdAt });
    const first = await scope.corrections.list({ limit: 2 });
    expect([...first, ...(await scope.corrections.list({ before: first[1]!.id }))]).toEqual(all);
    await own.close();
  });

  it('belongs to one scope, as all corrections do', async () => {
    const before = asSet(await graphOf(other));
    await memory.corrections.rejectFact(await fact());
    await memory.corrections.mergeEntities(
      await entityCalled(memory, 'Melanie'),
      await entityCalled(memory, 'Mel'),
    );
    expect(asSet(await graphOf(other))).toEqual(before);
    expect(await other.corrections.list()).toEqual([]);
    await storyIn(other, [
      { session: 'three', index: 0, speaker: 'Nora', content: 'Mel slept well.', at: '2023-05-01' },
    ]);
    expect(await entityCalled(other, 'Mel')).not.toBe(await entityCalled(other, 'Melanie'));
  });

  it('contains no secrets and no excluded phrases', async () => {
    const { engine: own, memory: scope } = await storyMemory({ neverRemember: ['gin'] });
    const id = await fact(scope);
    await expect(scope.corrections.editFact(id, { statement: 'Nora loves gin' })).rejects.toMatchObject({
      code: 'invalid-input',
    });
    await own.close();
  });
});
