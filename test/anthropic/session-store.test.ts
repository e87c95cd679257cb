import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sessionStore, type TranscriptEntry } from '../../src/anthropic/index.ts';
import { Mnemis } from '../../src/engine.ts';

const engines: Mnemis[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

async function openAt(path = ':memory:') {
  const engine = await Mnemis.open({ path, automatic: false });
  engines.push(engine);
  return engine;
}

const KEY = { projectKey: '-home-ann/app', sessionId: 's1' };
const SESSION = 'claude-agent-sdk/-home-ann%2Fapp/s1';
const uuidOf = (at: number) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`;
/** Entry number `at` of a transcript, which follows the one before it. */
const entry = (at: number, fields: { readonly type: string; readonly message: object }): TranscriptEntry => ({
  parentUuid: at === 0 ? null : uuidOf(at - 1),
  uuid: uuidOf(at),
  timestamp: new Date(Date.UTC(2026, 2, 1, 9, 0, at)).toISOString(),
  ...fields,
});
const said = (at: number, type: 'user' | 'assistant', content: unknown, more: object = {}) =>
  entry(at, { type, message: { role: type, content }, ...more });

/** A transcript with words, thoughts, calls of tools and notes of the program. */
function transcript(): TranscriptEntry[] {
  return [
    { type: 'mode', mode: 'default' },
    said(0, 'user', 'My sister Mia lives in Oslo.\n'),
    said(1, 'assistant', [{ type: 'thinking', thinking: 'Mia, Oslo.', signature: 'c2ln+/=' }]),
    said(2, 'assistant', [{ type: 'text', text: 'Noted: Mia lives in Oslo.' }]),
    said(3, 'assistant', [{ type: 'tool_use', id: 't1', name: 'Read', input: { n: 1, deep: [null, true] } }]),
    said(4, 'user', [{ type: 'tool_result', tool_use_id: 't1', content: 'A file of the parrot Ricky 🐈.' }]),
    said(5, 'user', '<command-name>/clear</command-name>'),
    said(6, 'user', 'Caveat: made by the program', { isMeta: true }),
    said(7, 'user', [
      { type: 'text', text: 'And my cat is called Miso.' },
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
    ]),
    { type: 'custom-title', customTitle: 'Family' },
  ];
}

describe('a session store of the Claude Agent SDK', () => {
  it('gives the entries back as they were, in another process too', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'session-store-')), 'm.sqlite');
    const first = await openAt(path);
    const store = sessionStore({ memory: first.scope('ann'), speaker: 'Ann' });
    const entries = transcript();
    await store.append(KEY, entries.slice(0, 4));
    await store.append(KEY, entries.slice(4));
    await first.close();
    const engine = await openAt(path);
    const again = sessionStore({ memory: engine.scope('ann') });
    expect(await again.load(KEY)).toEqual(entries);
    expect(await again.load({ ...KEY, sessionId: 's2' })).toBeNull();
    expect(await sessionStore({ memory: engine.scope('bo') }).load(KEY)).toBeNull();
  });

  it('makes turns of what the user and the assistant said, and of nothing else', async () => {
    const memory = (await openAt()).scope('ann');
    await sessionStore({ memory, speaker: 'Ann' }).append(KEY, transcript());
    const turns = (await memory.turns(SESSION)).filter(({ content }) => content !== '');
    expect(
      turns.map(({ speaker, content, trust, validAt }) => ({ speaker, content, trust, validAt })),
    ).toEqual([
      {
        speaker: 'Ann',
        content: 'My sister Mia lives in Oslo.\n',
        trust: 'normal',
        validAt: Date.UTC(2026, 2, 1, 9),
      },
      {
        speaker: 'assistant',
        content: 'Noted: Mia lives in Oslo.',
        trust: 'low',
        validAt: Date.UTC(2026, 2, 1, 9, 0, 2),
      },
      {
        speaker: 'Ann',
        content: 'And my cat is called Miso.',
        trust: 'normal',
        validAt: Date.UTC(2026, 2, 1, 9, 0, 7),
      },
    ]);
    const found = (await memory.search('parrot Ricky')).episodes;
    expect(found.map(({ content }) => content)).not.toContain('');
    await memory.flush();
    expect((await memory.knowledge.facts()).items.map(({ statement }) => statement)).toContain(
      "Ann's cat is called Miso",
    );
  });

  it('stores an entry once, however it is sent again', async () => {
    const memory = (await openAt()).scope('ann');
    const store = sessionStore({ memory });
    const [, ...entries] = transcript().filter(({ uuid }) => uuid !== undefined);
    await store.append(KEY, entries);
    await store.append(KEY, entries);
    for (const each of entries) await store.append(KEY, [each]);
    expect(await store.load(KEY)).toEqual([{ ...entries[0], parentUuid: null }, ...entries.slice(1)]);
    const spoken = (await memory.turns(SESSION)).filter(({ content }) => content !== '');
    expect(spoken).toHaveLength(2);
  });

  it('loses an entry with its turn: the text is nowhere, and the rest follows what was before it', async () => {
    const memory = (await openAt()).scope('ann');
    const store = sessionStore({ memory });
    await store.append(KEY, transcript());
    const turns = await memory.turns(SESSION);
    const miso = turns.find(({ content }) => content.includes('Miso'))!;
    const report = await memory.forget({ episode: miso.id });
    expect(report.proof.clean).toBe(true);
    const left = (await store.load(KEY))!;
    expect(JSON.stringify(left)).not.toContain('Miso');
    expect(left).toHaveLength(transcript().length - 1);
    const oslo = turns.find(({ content }) => content.startsWith('Noted'))!;
    await memory.forget({ episode: oslo.id });
    const use = (await store.load(KEY))!.find(({ uuid }) => uuid === uuidOf(3));
    expect(use?.parentUuid).toBe(uuidOf(1));
    // A replay does not bring it back.
    await store.append(KEY, transcript());
    expect(JSON.stringify(await store.load(KEY))).not.toContain('Noted');
    await memory.forget({ session: SESSION });
    expect(await store.load(KEY)).toBeNull();
  });

  it('keeps large entries whole, and blacks secrets out', async () => {
    const memory = (await openAt()).scope('ann');
    const store = sessionStore({ memory });
    const large = [
      said(0, 'user', [{ type: 'tool_result', tool_use_id: 't1', content: '🐈'.repeat(200_000) }]),
      said(1, 'user', `${'word '.repeat(60_000)}end`),
    ];
    await store.append(KEY, large);
    expect(await store.load(KEY)).toEqual(large);
    // With its first turn the whole entry goes, also the turns with the rest of it.
    const turns = await memory.turns(SESSION);
    const words = turns.find(({ content }) => content.startsWith('word '))!;
    await memory.forget({ episode: words.id });
    expect(await store.load(KEY)).toEqual(large.slice(0, 1));
    expect(JSON.stringify(await memory.turns(SESSION))).not.toContain('word word');
    await store.append({ ...KEY, sessionId: 's2' }, [said(0, 'user', 'Card 4111 1111 1111 1111.')]);
    expect(await store.load({ ...KEY, sessionId: 's2' })).toMatchObject([
      { message: { content: 'Card [redacted: card number].' } },
    ]);
  });

  it('lists sessions and subagents, and deletes them', async () => {
    const memory = (await openAt()).scope('ann');
    const store = sessionStore({ memory });
    const agent = { ...KEY, subpath: 'subagents/agent-1' };
    await store.append(KEY, transcript());
    await store.append(agent, [said(0, 'user', 'Look for the cat.')]);
    await store.append({ projectKey: 'other', sessionId: 's1' }, transcript());
    expect(await store.listSessions(KEY.projectKey)).toEqual([
      { sessionId: 's1', mtime: expect.any(Number) },
    ]);
    expect(await store.listSubkeys(KEY)).toEqual(['subagents/agent-1']);
    expect((await memory.search('Look for the cat')).episodes.map(({ content }) => content)).not.toContain(
      'Look for the cat.',
    );
    await store.delete(KEY);
    expect([await store.load(KEY), await store.load(agent)]).toEqual([null, null]);
    expect(await store.load({ projectKey: 'other', sessionId: 's1' })).toEqual(transcript());
    await store.delete(KEY);
  });

  it('refuses what is no entry, no key and no option', async () => {
    const memory = (await openAt()).scope('ann');
    const store = sessionStore({ memory });
    await expect(store.append(KEY, [{ uuid: 'x' } as never])).rejects.toThrow(/entries of a transcript/);
    await expect(store.load({ ...KEY, sessionId: '' })).rejects.toThrow(/key of a transcript/);
    await expect(store.load({ ...KEY, sessionId: 'x'.repeat(500) })).rejects.toThrow(/at most 500/);
    expect(() => sessionStore({ memory: {} as never })).toThrow(/is no scope/);
  });
});
