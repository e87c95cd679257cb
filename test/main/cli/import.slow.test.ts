import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programArguments } from '../../child-program.ts';
import { CommandLab, FIXTURES, LOCOMO, MAIN, ROOT, TURNS } from './fake-terminal.ts';

const COUNTS = [
  ...['read', 'added', 'known', 'superseding', 'rejected', 'pending'],
  ...['consolidated', 'segments', 'entities', 'facts', 'repeated', 'outdated', 'setAside'],
];
const many = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    content: `Turn ${index} is about a kiln in Lisbon.`,
    speaker: 'Ana',
    session: `s${Math.floor(index / 20)}`,
    index: index % 20,
    at: new Date(Date.UTC(2024, 0, 1) + index * 60_000).toISOString(),
  }));

describe('mnemis import', () => {
  it('reports what was stored, and resumes where it stopped', async () => {
    using lab = new CommandLab();
    const argv = ['import', lab.file('turns.jsonl', TURNS), '--format', 'jsonl'];
    const first = await lab.run(...argv);
    expect(first.exitCode, first.err).toBe(0);
    expect(first.out).toMatch(
      /^3 turns read into scope "default" in [\d.]+ s \([\d.]+ turns\/s\): 3 new, 0 already known\n2 topic segments, \d+ new entities, \d+ new facts\n\d+ new categories; "mnemis tree" shows them\n$/,
    );
    expect((await lab.run(...argv)).out).toContain('0 new, 3 already known');
  });

  it('reports how many facts are outdated', async () => {
    using lab = new CommandLab();
    const moves = ['I live in Oslo.', 'I moved to Lisbon.'].map((content, at) => ({
      content,
      speaker: 'Mara',
      session: `s${at}`,
      at: `2024-0${at + 1}-01T10:00:00Z`,
    }));
    const run = await lab.run('import', lab.file('turns.jsonl', moves), '--format', 'jsonl');
    expect(run.out).toMatch(/2 new facts, 1 fact outdated\n/);
  });

  it('reports rejected lines by their number, without their text', async () => {
    using lab = new CommandLab();
    const lines = TURNS.map((turn) => JSON.stringify(turn));
    const bad = JSON.stringify({ ...TURNS[0], at: 'secretword' });
    const file = lab.file('turns.jsonl', [lines[0], 'secretword', '', bad, ...lines.slice(1)].join('\n'));
    const run = await lab.run('import', file, '--format', 'jsonl', '--json');
    const report = run.json<{ rejections: { where: string }[] }>();
    expect(run.exitCode).toBe(0);
    expect(Object.keys(report)).toEqual([
      'file',
      'format',
      'profile',
      ...COUNTS,
      'hierarchy',
      'seconds',
      'turnsPerSecond',
      'usage',
      'byStage',
      'dropped',
      'rejections',
      'notStored',
      'leftOut',
      'notes',
      'givenFacts',
    ]);
    expect(report).toMatchObject({ file, format: 'jsonl', profile: 'local', read: 5, added: 3, rejected: 2 });
    expect(report).toMatchObject({ consolidated: 3, pending: 0, segments: 2, setAside: 0 });
    expect(report).toMatchObject({ usage: { calls: 0, promptTokens: 0, completionTokens: 0 } });
    expect(report.rejections.map(({ where }) => where)).toEqual(['line 2', 'line 4']);
    expect(run.err).toMatch(/^line 2: .*; skipped\nline 4: at is not a time; skipped\n$/);
    expect(run.out + run.err).not.toContain('secretword');
  });

  it('prints no more than twenty rejections', async () => {
    using lab = new CommandLab();
    const file = lab.file('turns.jsonl', [JSON.stringify(TURNS[0]), ...Array(25).fill('no')].join('\n'));
    const { err } = await lab.run('import', file, '--format', 'jsonl');
    expect(err.split('\n')).toHaveLength(22);
    expect(err).toContain('5 more were skipped; --json lists all');
  });

  it('fails if no line is a turn', async () => {
    using lab = new CommandLab();
    const run = await lab.run('import', lab.file('a.txt', 'hello'), '--format', 'jsonl');
    expect(run).toMatchObject({ exitCode: 1, out: expect.stringMatching(/^1 turn read .* 1 skipped/) });
  });

  it('says that an empty file is empty', async () => {
    using lab = new CommandLab();
    const run = await lab.run('import', lab.file('a.jsonl', ''), '--format', 'jsonl');
    expect(run).toMatchObject({ exitCode: 0, out: expect.stringContaining('The file holds no turns.') });
  });

  it.each([
    ['missing.json', 'there is no such file'],
    ['.', 'it is a directory'],
    ['text.txt', 'it is not JSON'],
  ])('cannot read %s: %s', async (name, reason) => {
    using lab = new CommandLab();
    lab.file('text.txt', 'secretword');
    const run = await lab.run('import', name, '--format', 'locomo', '--json');
    expect(run.exitCode).toBe(1);
    expect(run.json()).toEqual({
      error: { code: 'file-unreadable', message: expect.stringContaining(reason) },
    });
    expect(run.out + run.err).not.toMatch(/secretword| {4}at /);
  });

  it('creates no memory for a missing file', async () => {
    using lab = new CommandLab();
    await lab.run('import', 'missing.jsonl', '--format', 'jsonl');
    expect(existsSync(join(lab.folder, 'memory.db'))).toBe(false);
  });

  it('keeps scopes apart', async () => {
    using lab = new CommandLab();
    await lab.run('import', LOCOMO, '--format', 'locomo', '--scope', 'other');
    const run = await lab.run('stats', '--json');
    expect(run.json()).toMatchObject({ episodes: 0, scopes: ['other'] });
  });

  it('stops at Ctrl-C, keeps what is stored, and resumes the next time', async () => {
    using lab = new CommandLab();
    const file = lab.file('turns.jsonl', many(900));
    const argv = ['import', file, '--format', 'jsonl', '--json'];
    const child = spawn(
      process.execPath,
      [...programArguments(MAIN), ...argv, '--path', join(lab.folder, 'memory.db')],
      {
        cwd: ROOT,
      },
    );
    let [out, err] = ['', ''];
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      err += data;
    });
    const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
    // Its lock is there as soon as the file is being opened; the signal then comes before the first batch is in.
    while (!existsSync(join(lab.folder, 'memory.db.owner.lock')) && child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGINT');
    expect(await closed).toBe(130);
    expect(err).toContain('press Ctrl-C again to stop at once');
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'cancelled' } });
    expect(err).not.toContain('    at ');
    const { added, known } = (await lab.run(...argv)).json<{ added: number; known: number }>();
    expect(added + known).toBe(900);
    expect(added).toBeGreaterThan(0);
  });

  it('reports how many turns a cancelled import kept', async () => {
    using lab = new CommandLab();
    const file = lab.file('turns.jsonl', many(900));
    const running = lab.run('import', file, '--format', 'jsonl');
    const timer = setInterval(() => lab.signals.emit('SIGINT'), 1);
    const { exitCode, out, err } = await running;
    clearInterval(timer);
    expect([exitCode, out]).toEqual([130, '']);
    expect(err).toMatch(
      /mnemis: Cancelled; \d+ turns? stored and kept; import the same file again to continue\.\n$/,
    );
  });
});

describe('mnemis import of chats from other apps', () => {
  it('detects the format from the content, says so, and adds nothing twice', async () => {
    using lab = new CommandLab();
    const argv = ['import', join(FIXTURES, 'chatgpt.json'), '--me', 'Mara', '--no-enrich'];
    const first = await lab.run(...argv);
    expect(first.err).toBe(
      'Format: chatgpt, since its conversations have a "mapping" of messages; use --format to choose another\nconversation 2: mapping: is missing or not an object; skipped\n',
    );
    expect(first.out).toContain(': 5 new, 0 already known, 1 skipped\n');
    expect(first.out).toContain('Skipped: 1 × a hidden message (conversation 1, message 2)\n');
    const again = (await lab.run(...argv, '--branches', 'all', '--json')).json<Record<string, unknown>>();
    expect(again).toMatchObject({ format: 'chatgpt', added: 1, known: 5, superseding: 0, givenFacts: null });
  });

  it('reports content and cost of a file by tier, and stores nothing', async () => {
    using lab = new CommandLab();
    const chat = '25/01/24, 10:00 - Ana: My kiln is in Lisbon.\n25/01/24, 10:01 - Ana: <Media omitted>\n';
    const argv = [
      'import',
      lab.file('WhatsApp Chat with Ana.txt', chat),
      '--dry-run',
      '--time-zone',
      'Europe/Oslo',
    ];
    const { exitCode, out } = await lab.run(...argv);
    expect(exitCode).toBe(0);
    expect(out).toContain('From 2024-01-25 to 2024-01-25, in 1 conversation, 84 bytes\nSpeakers: Ana (1)\n');
    expect(out).toContain('(line 2)\nIts times have no zone and are read as Europe/Oslo.\n');
    expect(out).toMatch(/With --tier llm \(profile "default"\): about \d+ calls? of the language model/);
    expect(existsSync(join(lab.folder, 'memory.db'))).toBe(false);
  });

  it('adds the statements of a file', async () => {
    using lab = new CommandLab();
    const argv = ['import', join(FIXTURES, 'graphiti.json'), '--json', '--no-enrich'];
    expect((await lab.run(...argv)).json()).toMatchObject({ added: 3, givenFacts: { added: 2, known: 0 } });
    expect((await lab.run(...argv)).json()).toMatchObject({ added: 0, givenFacts: { added: 0, known: 2 } });
  });

  it('creates no memory if the settings or the format are wrong', async () => {
    using lab = new CommandLab();
    const file = lab.file('a.json', '{"secretword":1}');
    const unknown = await lab.run('import', file);
    expect([unknown.exitCode, unknown.out]).toEqual([1, '']);
    expect(unknown.err).toContain('its format was not recognized; name it, if it is one of: jsonl, chatgpt');
    const zone = await lab.run('import', file, '--format', 'chatgpt', '--time-zone', 'Nowhere');
    expect(zone.err).toContain('timeZone: is not a time zone such as "Europe/Oslo"');
    expect((await lab.run('import', file, '--branches', 'some')).exitCode).toBe(2);
    expect(existsSync(join(lab.folder, 'memory.db'))).toBe(false);
    expect(unknown.err + zone.err).not.toContain('secretword');
  });

  it('imports a folder of several formats, and names what it does not read', async () => {
    using lab = new CommandLab();
    const folder = join(lab.folder, 'exports');
    mkdirSync(folder);
    for (const [from, to] of [
      ['claude', 'my-claude'],
      ['telegram', 'result'],
    ])
      cpSync(join(FIXTURES, `${from}.json`), join(folder, `${to}.json`));
    lab.file('exports/conversations.json', 'secretword');
    lab.file('exports/notes.md', '# Kiln\n\nMy kiln is in Lisbon.');
    lab.file('exports/picture.jpg', 'x');
    const prices = (await lab.run('import', folder, '--dry-run', '--json')).json<{
      imports: { new: number }[];
    }>();
    expect(prices.imports.map((each) => each.new)).toEqual([1, 6, 3]);
    const first = await lab.run('import', folder);
    expect([first.exitCode, first.out]).toEqual([
      0,
      expect.stringMatching(
        /^markdown {2}notes\.md: 1 turn read, 1 new, 0 already known\ntelegram {2}result\.json: 9 turns read, 6 new, 0 already known, 3 skipped\n/,
      ),
    ]);
    expect(first.out).toContain('\nclaude    my-claude.json: 3 turns read, 3 new');
    expect(first.out).toContain(
      '\nNot imported: conversations.json (its format was not recognized)\n1 other file,',
    );
    expect(first.out).toMatch(
      /\n13 turns read into scope "default" in .*: 10 new, 0 already known, 3 skipped\n\d+ topic/,
    );
    expect(first.err).toContain('result.json: chat 2: messages: is missing or not a list; skipped\n');
    // A part of which nothing can be read fails the command, and not the other parts.
    lab.file('exports/conversations.json', '[{"mapping":{}');
    const again = await lab.run('import', folder, '--json');
    const report = again.json<{ imports: object[] }>();
    expect(again.exitCode).toBe(1);
    expect(report).toMatchObject({ read: 14, added: 0, known: 10, rejected: 4, pending: 0, others: 1 });
    expect(report.imports).toMatchObject([
      { format: 'chatgpt', files: ['conversations.json'], read: 1, rejected: 1 },
      { format: 'markdown', files: ['notes.md'], known: 1 },
      { format: 'telegram', known: 6 },
      { format: 'claude', known: 3 },
    ]);
    expect(first.out + first.err + again.out).not.toContain('secretword');
  });

  it('reads standard input as if it were a file', async () => {
    using lab = new CommandLab();
    lab.stdin = '{"content":"I like tea."}\n{"content":"I like kilns."}';
    const first = await lab.run('import', '-', '--no-enrich');
    expect(first.err).toMatch(
      /^Format: jsonl, since .*\n2 turns have no time \("at"\) and get the present one/,
    );
    expect(first.out).toContain(': 2 new, 0 already known\n');
    expect((await lab.run('import', '-', '--json')).json()).toMatchObject({ file: '-', added: 0, known: 2 });
    lab.stdin = 'secretword';
    const text = await lab.run('import', '-');
    expect([text.exitCode, text.err]).toEqual([
      1,
      expect.stringContaining('Standard input could not be read: its format was not recognized; name it'),
    ]);
    lab.stdin = null;
    expect(await lab.run('import', '-')).toMatchObject({ exitCode: 2 });
  });

  it('asks for the form of dates that it cannot read, and reads the given one', async () => {
    using lab = new CommandLab();
    const lines = ['Sara', 'Omar', 'Sara', 'Omar'].map(
      (name, at) => `20260613 180${at} ${name}: secretword ${at}`,
    );
    const file = lab.file('notes.txt', lines.join('\n'));
    for (const argv of [
      ['import', file],
      ['import', file, '--format', 'whatsapp'],
      ['import', file, '--dry-run'],
    ]) {
      const refused = await lab.run(...argv);
      expect([refused.exitCode, refused.out]).toEqual([1, '']);
      expect(refused.err).toContain('one is "00000000 0000 Aaaa: …" (0 for a digit, a for a letter)');
      expect(refused.err).toContain('--date-format');
      expect(refused.err).not.toContain('secretword');
    }
    const read = await lab.run('import', file, '--date-format', 'YYYYMMDD HHmm', '--no-enrich', '--json');
    expect(read.json()).toMatchObject({ format: 'whatsapp', added: 4, rejected: 0 });
    const wrong = await lab.run('import', file, '--date-format', 'D.M.');
    expect(wrong.err).toContain('dateFormat: is not a form of dates and times such as "D.M.YYYY H:mm"');
    const text = await lab.run('import', file, '--format', 'text', '--no-enrich', '--json');
    expect(text.json()).toMatchObject({ format: 'text', added: 1 });
  });

  it('leaves temporary chats out unless they are asked for, and says so', async () => {
    using lab = new CommandLab();
    const message = {
      author: { role: 'user' },
      create_time: 1_704_100_000,
      content: { content_type: 'text', parts: ['hi'] },
    };
    const chats = ['a', 'b'].map((id) => ({
      id,
      is_temporary_chat: id === 'b',
      mapping: { [id]: { message } },
    }));
    const argv = ['import', lab.file('conversations.json', JSON.stringify(chats)), '--no-enrich'];
    const first = await lab.run(...argv);
    expect(first.out).toContain('Skipped: 1 × a temporary chat (conversation 2)\n');
    const again = await lab.run(...argv, '--include-temporary', '--json');
    expect(again.json()).toMatchObject({ added: 1, known: 1, leftOut: [] });
  });

  it('keeps the names of speakers that an earlier import gave', async () => {
    using lab = new CommandLab();
    const argv = ['import', join(FIXTURES, 'claude.json'), '--no-enrich', '--json'];
    expect((await lab.run(...argv, '--me', 'Mara')).json()).toMatchObject({ added: 3 });
    expect((await lab.run(...argv)).json()).toMatchObject({ added: 0, known: 3, superseding: 0 });
    expect((await lab.run(...argv, '--me', 'Maria')).json()).toMatchObject({ known: 1, superseding: 2 });
  });
});

it('mnemis add stores a text, says where, and what memory learned of it', async () => {
  using lab = new CommandLab();
  const added = await lab.run('add', 'I moved to Ghent.', '--speaker', 'Nora', '--at', '2024-03-01');
  expect([added.exitCode, added.err]).toEqual([0, '']);
  expect(added.out).toMatch(
    /^Stored 1 turn by Nora, session "main", in scope "default" of .*memory\.db\nLearned 1 fact:\n {2}Nora moved to Ghent\n$/,
  );
  lab.stdin = 'My key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD.\n';
  const piped = await lab.run('add', '--session', 'notes', '--json', '--no-enrich');
  expect(piped.json()).toMatchObject({
    ...{ scope: 'default', session: 'notes', speaker: 'user', role: 'user', status: 'added', facts: [] },
    redacted: [expect.any(String)],
  });
  expect(piped.out).not.toContain('sk-proj');
  await lab.run('add', 'I sold my car to Wim.', '--speaker', 'Nora', '--no-enrich');
  lab.stdin = 'Hm.';
  const dash = await lab.run('add', '-');
  expect(dash.out).toMatch(/^Stored 1 turn by user.*\nNo new fact was found in it/); // the car is not of this turn
  expect((await lab.run('stats', '--json')).json()).toMatchObject({ episodes: 4, pending: 0 });
  expect((await lab.run('ask', 'Where did Nora move?')).out).toContain('Ghent');
});
