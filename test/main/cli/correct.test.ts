import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLab, filledLab } from './fake-terminal.ts';

let lab: CommandLab;
beforeAll(async () => {
  lab = await filledLab();
});
afterAll(() => lab[Symbol.dispose]());

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
