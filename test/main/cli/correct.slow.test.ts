import { describe, expect, it } from 'vitest';
import { filledLab } from './fake-terminal.ts';

const lab = await filledLab();

const factSaying = async (words: string) => {
  const { facts } = (await lab.run('search', words, '--json')).json<{
    facts: { id: string; statement: string }[];
  }>();
  return facts.find(({ statement }) => statement.includes(words));
};

describe('mnemis correct and corrections', () => {
  it('edits, lists and undoes', async () => {
    const { id } = (await factSaying('Lisbon'))!;
    const edited = await lab.run(
      'correct',
      'fact',
      id,
      '--statement',
      'Ana moved to Porto',
      '--author',
      'Ben',
    );
    expect([edited.exitCode, edited.err]).toEqual([0, '']);
    expect(edited.out).toMatch(
      /^Edited “.*Lisbon.*”: statement “Ana moved to Porto”\.\nTo undo it: mnemis correct undo \S+\n$/,
    );
    expect(await factSaying('Porto')).toBeDefined();
    const listed = (await lab.run('corrections', '--json')).json<
      { id: string; kind: string; author: string }[]
    >();
    expect(listed).toMatchObject([{ kind: 'edit-fact', author: 'Ben' }]);
    expect((await lab.run('corrections')).out).toContain('Ben: Edited “');
    const undone = await lab.run('correct', 'undo', listed[0]!.id, '--json');
    expect(undone.json()).toMatchObject({ correction: expect.any(String) });
    expect(await factSaying('Porto')).toBeUndefined();
    expect((await factSaying('Lisbon'))!.id).toBe(id);
  });

  it('takes the words of a fact, once it is clear which one is meant', async () => {
    const unsure = await lab.run('correct', 'fact', 'moved LISBON', '--pin');
    expect([unsure.exitCode, unsure.err]).toEqual([1, '']);
    expect(unsure.out).toMatch(
      /^Nothing was changed yet\. If this fact is meant, run again with --yes:\n {2}2024-\S+ Ana moved to Lisbon.*\n {4}\S{36}\n$/,
    );
    const many = (await lab.run('correct', 'fact', 'Ana', '--reject', '--yes', '--json')).json<{
      error: object;
      candidates: { id: string; statement: string }[];
    }>();
    expect(many.error).toMatchObject({ code: 'fact-unclear' });
    expect(many.candidates.length).toBeGreaterThan(1);
    for (const { statement } of many.candidates) expect(statement).toContain('Ana');
    const none = await lab.run('correct', 'fact', 'a zebra in Peru', '--reject', '--yes');
    expect([none.exitCode, none.out]).toEqual([
      1,
      expect.stringMatching(/^No fact has all of these words;.*\n {2}2024/),
    ]);
    expect((await lab.run('corrections', '--json')).json()).toHaveLength(2); // those of the test before
    const pinned = await lab.run('correct', 'fact', 'moved Lisbon', '--pin', '--yes');
    expect(pinned.out).toMatch(/^Pinned “.*Lisbon.*”\.\n/);
    await lab.run('correct', 'undo', pinned.out.trim().split(' ').at(-1)!);
  });

  it('rejects and pins, one at a time', async () => {
    const { id } = (await factSaying('Miso'))!;
    expect(await lab.run('correct', 'fact', id, '--reject', '--pin')).toMatchObject({ exitCode: 2 });
    expect(await lab.run('correct', 'fact', id)).toMatchObject({ exitCode: 2 });
    expect(await lab.run('correct', 'fact', id, '--pin')).toMatchObject({ exitCode: 0 });
    expect(await lab.run('correct', 'fact', id, '--reject')).toMatchObject({ exitCode: 0 });
    expect(await factSaying('Miso')).toBeUndefined();
    const failed = await lab.run('correct', 'fact', id, '--pin', '--json');
    expect(failed.exitCode).toBe(1);
    expect(failed.json()).toMatchObject({ error: { code: 'invalid-input' } });
  });

  it('renames and merges by name, and says when nobody has it', async () => {
    expect(await lab.run('correct', 'entity', 'Lisbon', '--rename', 'Lisboa')).toMatchObject({ exitCode: 0 });
    const merged = await lab.run('correct', 'entity', 'Ana', '--merge', 'Lisboa');
    expect(merged.out).toMatch(/^Merged “Lisboa” into “Ana”\./);
    const missing = await lab.run('correct', 'entity', 'Zed', '--rename', 'Zoe', '--json');
    expect([missing.exitCode, missing.json()]).toMatchObject([1, { error: { code: 'invalid-input' } }]);
    expect(await lab.run('correct', 'entity', 'Ana')).toMatchObject({ exitCode: 2 });
    expect((await lab.run('corrections', '--uncertain', '--json')).json()).toEqual([]);
  });
});
