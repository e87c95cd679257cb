import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CommandLab, filledLab, TURNS } from './fake-terminal.ts';

let lab: CommandLab;
beforeEach(async () => {
  lab = await filledLab();
});
afterEach(() => lab[Symbol.dispose]());

const memoryFiles = () =>
  readdirSync(lab.folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(lab.folder, name))
    .filter((path) => path.includes('memory.db') && statSync(path).isFile());

describe('mnemis forget', () => {
  it('shows what would be removed, and forgets nothing without a confirmation', async () => {
    const dry = await lab.run('forget', '--session', 's1', '--dry-run');
    expect(dry).toMatchObject({ exitCode: 0, err: '' });
    expect(dry.out).toContain(
      '2 turns would be deleted:\n  2024-01-05, session "s1": I adopted a grey cat called Miso.',
    );
    const refused = await lab.run('forget', '--session', 's1');
    expect(refused.exitCode).toBe(2);
    expect(refused.err).toContain('--yes');
    expect((await lab.run('stats', '--json')).json()).toMatchObject({ episodes: 3 });
  });

  it('forgets, says that the text is still on the disk, and how to erase it', async () => {
    const run = await lab.run('forget', '--session', 's1', '--yes');
    expect(run.exitCode).toBe(0);
    expect(run.out).toContain('Removed from memory: 2 turns');
    expect(run.out).toMatch(/Searched for \d+ forgotten texts in all stored data and found none\./);
    expect(run.out).toContain(`mnemis compact --path ${lab.env.MNEMIS_PATH}`);
    expect((await lab.run('search', 'Miso')).out).not.toContain('Miso.');
    const again = await lab.run('import', lab.file('turns.jsonl', TURNS), '--format', 'jsonl', '--json');
    expect(again.json()).toMatchObject({ rejected: 2, known: 1 });
    expect((await lab.run('stats', '--json')).json()).toMatchObject({ episodes: 1 });
  });

  it('erases at once on request, so that no file holds a forgotten word', async () => {
    const holders = () => memoryFiles().filter((path) => readFileSync(path).includes('Miso'));
    expect(holders()).not.toEqual([]);
    const run = await lab.run(
      'forget',
      '--query',
      'Miso the cat',
      '--limit',
      '1',
      '--yes',
      '--compact',
      '--json',
    );
    expect(run.json()).toMatchObject({
      target: 'episodes',
      removed: { episode: 1 },
      proof: { clean: true },
      onDisk: 'erased',
    });
    expect(holders()).toEqual([]);
  });

  it('takes an entity, a time, a turn, or everything', async () => {
    expect((await lab.run('forget', '--entity', 'Miso', '--yes', '--json')).json()).toMatchObject({
      target: 'entity',
      removed: { entity: 1 },
    });
    expect((await lab.run('forget', '--before', '2024-01-05', '--yes')).out).toContain('Nothing to forget.');
    expect((await lab.run('forget', '--after', '2024-03-01', '--yes', '--json')).json()).toMatchObject({
      removed: { episode: 1 },
    });
    const { episodes } = (await lab.run('forget', '--all', '--dry-run', '--json')).json<{
      episodes: string[];
    }>();
    expect(episodes).toHaveLength(2);
    expect((await lab.run('forget', '--episode', episodes[0]!, '--yes', '--json')).json()).toMatchObject({
      removed: { episode: 1 },
    });
    await lab.run('forget', '--all', '--yes', '--author', 'Ana');
    expect((await lab.run('stats', '--json')).json()).toMatchObject({ episodes: 0, entities: 0, facts: 0 });
  });

  it('deletes the whole scope with its name, after a confirmation', async () => {
    const scopes = async () => (await lab.run('doctor', '--json')).out;
    expect((await lab.run('forget', '--delete-scope')).exitCode).toBe(2);
    const dry = await lab.run('forget', '--delete-scope', '--dry-run');
    expect(dry).toMatchObject({ exitCode: 0 });
    expect(dry.out).toContain('3 turns would be deleted');
    expect((await lab.run('forget', '--delete-scope', '--all', '--session', 's1', '--yes')).exitCode).toBe(2);
    expect((await lab.run('forget', '--delete-scope', '--author', 'Ana', '--yes')).exitCode).toBe(2);
    expect((await lab.run('stats', '--json')).json()).toMatchObject({ episodes: 3 });
    const run = await lab.run('forget', '--delete-scope', '--yes', '--compact', '--json');
    expect(run.exitCode).toBe(0);
    expect(run.json()).toMatchObject({
      target: 'all',
      removed: { episode: 3 },
      proof: { clean: true, findings: [] },
      onDisk: 'erased',
    });
    expect(await scopes()).not.toContain('"default"');
    const again = await lab.run('forget', '--delete-scope', '--yes');
    expect(again).toMatchObject({ exitCode: 0 });
    expect(again.out).toContain('Nothing to forget.');
  });

  it('deletes a scope that has only the records of a forgetting', async () => {
    await lab.run('forget', '--all', '--yes');
    const run = await lab.run('forget', '--delete-scope', '--yes');
    expect(run.exitCode).toBe(0);
    expect(run.out).toContain('would be deleted, with its name.');
    expect(run.out).toContain('Removed from memory: 0 turns');
    expect((await lab.run('forget', '--delete-scope', '--yes')).out).toContain('Nothing to forget.');
  });

  it.each([
    ['a turn without a speaker', ['I moved to Ghent.']],
    ['fixed words of a record', ['forget all', '--session', 'episodes']],
    ['a session of a fixed word', ['I moved to Ghent.', '--session', 'all', '--role', 'assistant']],
  ])('ends with 0 where nothing is left: %s', async (_, said) => {
    expect((await lab.run('add', ...said)).exitCode).toBe(0);
    const all = await lab.run('forget', '--all', '--yes', '--json');
    expect(all.json()).toMatchObject({ proof: { clean: true, findings: [] } });
    expect(all.exitCode).toBe(0);
  });

  it('says in a field what add and import do not store, and why', async () => {
    const added = await lab.run('add', 'I moved to Ghent.', '--json');
    expect(added.json()).toMatchObject({ status: 'added', notStored: [] });
    const imported = () => lab.run('import', lab.file('turns.jsonl', TURNS), '--format', 'jsonl', '--json');
    const known = { status: 'known', reason: 'memory has this turn already' };
    expect((await imported()).json()).toMatchObject({ notStored: [{ ...known, turns: 3 }] });
    await lab.run('forget', '--session', 's1', '--yes');
    expect((await imported()).json()).toMatchObject({
      notStored: [
        { ...known, turns: 1 },
        { status: 'rejected', turns: 2, reason: expect.stringContaining('this turn was forgotten') },
      ],
    });
  });

  it('lists turns that quote removed ones, and removes them on request', async () => {
    const quote = { content: 'Ana said: "I adopted a grey cat called Miso."', speaker: 'Ben', session: 's3' };
    await lab.run(
      'import',
      lab.file('quote.jsonl', [{ ...quote, index: 0, at: '2024-04-01' }]),
      '--format',
      'jsonl',
    );
    const dry = await lab.run('forget', '--session', 's1', '--dry-run');
    expect(dry.out).toContain(
      'also quoted in 1 turn that would stay (--quotations deletes them, too):\n  2024-04-01, session "s3", Ben: Ana said: "I adopted',
    );
    const json = (await lab.run('forget', '--session', 's1', '--dry-run', '--json')).json();
    expect(json).toMatchObject({ alsoSaid: { total: 1, turns: [{ session: 's3', speaker: 'Ben' }] } });
    const whole = await lab.run('forget', '--session', 's1', '--quotations', '--dry-run');
    expect(whole.out).toContain('3 turns would be deleted:');
    expect(whole.out).not.toContain('also quoted in');
    const kept = await lab.run('forget', '--query', 'grey cat Miso', '--limit', '1', '--yes');
    expect(kept.out).toContain('1 turn that quotes deleted text stays.');
    const report = await lab.run('forget', '--session', 's3', '--quotations', '--yes', '--json');
    expect(report.json()).toMatchObject({ removed: { episode: 1 }, alsoSaid: 0 });
    expect((await lab.run('stats', '--json')).json()).toMatchObject({ episodes: 2 });
  });

  it('takes the best turns of a query first, and only those that say its words', async () => {
    const said = [
      'Do you have any pets?',
      'A parrot, from the shelter.',
      'Ricky the parrot lives in Utrecht.',
    ];
    const turns = said.map((content, index) => ({
      content,
      speaker: 'Ben',
      session: 's4',
      index,
      at: `2024-05-0${index + 1}`,
    }));
    await lab.run('import', lab.file('parrot.jsonl', turns));
    const { out } = await lab.run('forget', '--query', 'Ricky the parrot', '--dry-run');
    expect(out).toMatch(
      /^2 turns would be deleted:\n.*Ricky the parrot lives in Utrecht.*\n.*A parrot, from the shelter/,
    );
    const best = await lab.run('forget', '--query', 'Ricky the parrot', '--limit', '1', '--dry-run');
    expect(best.out).toMatch(/^1 turn would be deleted:\n.*Ricky the parrot lives/);
    expect(best.out).toMatch(/\nwith .*\d facts?/);
    const unknown = await lab.run('forget', '--session', 'nosuch');
    expect([unknown.exitCode, unknown.err]).toEqual([
      1,
      'mnemis: No session of this scope has that name; the latest are "s4", "s2", "s1". Memory was not changed.\n',
    ]);
  });

  it.each([
    [[]],
    [['--all', '--session', 's1']],
    [['--session', 's1', '--limit', '3']],
    [['--session', 's1', '--with-turns']],
    [['--query', ' ']],
  ])('rejects %j', async (flags) => {
    const run = await lab.run('forget', ...flags, '--yes');
    expect(run.exitCode).toBe(2);
    expect((await lab.run('stats', '--json')).json()).toMatchObject({ episodes: 3 });
  });

  it('fails for a missing target', async () => {
    for (const flags of [
      ['--session', 'none'],
      ['--entity', 'Nobody'],
      ['--episode', 'x'],
    ]) {
      const run = await lab.run('forget', ...flags, '--yes', '--json');
      expect(run.exitCode).toBe(1);
      expect(run.json()).toMatchObject({ error: { code: 'invalid-input' } });
    }
  });
});
