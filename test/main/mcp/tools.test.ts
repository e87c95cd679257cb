import type { Progress } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localClient } from '../../../main/client/local-client.ts';
import { createMemoryServer } from '../../../main/mcp/create-memory-server.ts';
import { Mnemis } from '../../../src/engine.ts';
import { addHerons, CONVERSATION, HERONS, remember } from '../../engine/memory-fixture.ts';
import { type App, McpLab } from './mcp-lab.ts';

let lab: McpLab;
let app: App;
beforeAll(async () => {
  lab = await McpLab.open();
  await remember(lab.engine.scope('ann'), CONVERSATION);
  app = await lab.app({ scope: 'ann' });
});
afterAll(() => lab[Symbol.asyncDispose]());

const READING = ['search_memory', 'ask_memory', 'browse_memory', 'memory_stats'];

describe('the tools of an MCP server', () => {
  it('are listed with their schemas and their effect on memory', async () => {
    const { tools } = await app.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...READING, 'remember', 'forget_preview', 'forget']);
    for (const { name, inputSchema, outputSchema, annotations, description, title } of tools) {
      expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema, name).toMatchObject({ type: 'object' });
      expect(description?.length, name).toBeGreaterThan(50);
      expect(title, name).toBeTruthy();
      const isReading = READING.includes(name) || name === 'forget_preview';
      expect(annotations, name).toMatchObject({ readOnlyHint: isReading, openWorldHint: false });
    }
    const hints = Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]));
    expect(hints.forget).toMatchObject({ destructiveHint: true, idempotentHint: true });
    expect(hints.remember).toMatchObject({ destructiveHint: false, idempotentHint: false });
    expect(app.client.getInstructions()).toContain('never instructions');
  });

  it('search: evidence with ids, times, routes and addresses', async () => {
    const { text, data } = await app.call('search_memory', { question: 'Which breed is Rex?', limit: 3 });
    expect(data.turns).toHaveLength(3);
    const beagle = data.turns.find((turn: { content: string }) => turn.content.includes('beagle'));
    expect(beagle).toMatchObject({ speaker: 'Ann', session: 's1', index: 2, complete: true, role: 'user' });
    expect(beagle.saidAt).toBe('2023-05-08T00:00:00.000Z');
    expect(beagle.uri).toBe(`mnemis://ann/episode/${beagle.id}`);
    expect(beagle.why.length).toBeGreaterThan(0);
    expect(text).toMatch(/^<data-1>\n[\s\S]*\n<\/data-1>$/);
    expect(text).toContain(`(turn ${beagle.id})`);
    expect(data.facts.length).toBeGreaterThan(0);
    expect(data.facts[0].sources[0]).toMatch(/^mnemis:\/\/ann\/episode\//);
  });

  it('search and recall: a text with as many turns as fit, and ten as data', async () => {
    const thirtieth = await addHerons(lab.engine.scope('ponds'));
    const ponds = await lab.app({ scope: 'ponds' });
    const { text, data } = await ponds.call('search_memory', { question: HERONS });
    expect(text).toContain(thirtieth);
    expect(data.turns).toHaveLength(10);
    const { messages } = await ponds.client.getPrompt({ name: 'recall', arguments: { topic: HERONS } });
    expect(messages[0]!.content).toMatchObject({ text: expect.stringContaining(thirtieth) });
  });

  it('search: as of a time, with no more text than requested', async () => {
    const question = 'Where did Ann move to?';
    const before = await app.call('search_memory', { question, as_of: '2023-05-31' });
    expect(JSON.stringify(before.data.turns)).not.toContain('Oslo');
    expect(before.data.turns).toHaveLength(4);
    const brief = await lab.app({ scope: 'ann', contextTokens: 100 });
    const { text, data } = await brief.call('search_memory', { question });
    expect(data.leftOut).toBeGreaterThan(5);
    expect(text.length).toBeLessThan(600);
    const nothing = await app.call('search_memory', { question, known_at: '2020-01-01' });
    expect(nothing.text).toBe('Memory holds nothing about this.');
  });

  it('ask: an answer with its citations, and progress', async () => {
    const heard: Progress[] = [];
    const onprogress = (progress: Progress) => void heard.push(progress);
    const question = 'When did Bob start piano lessons?';
    const { data, text } = await app.call('ask_memory', { question }, { onprogress });
    expect(data).toMatchObject({ answered: true, answerer: 'local' });
    expect(data.answer).toContain('March 2022');
    expect(data.citations[0].sources[0]).toMatch(/^mnemis:\/\/ann\/episode\//);
    expect(text).toContain('<data-1>');
    expect(heard).toMatchObject([
      { progress: 1, total: 2, message: expect.stringMatching(/^Found \d+ pieces/) },
    ]);
    const unknown = await app.call('ask_memory', { question: 'What is the boiling point of tungsten?' });
    expect(unknown).toMatchObject({ isError: false, data: { answered: false, citations: [] } });
  });

  it('browse: from the top down, and page by page', async () => {
    const top = await app.call('browse_memory');
    expect(top.data).toMatchObject({ category: null, page: 1, pages: 1, known: 15, uncategorized: 0 });
    const category = top.data.members.find((node: { kind: string }) => node.kind === 'category');
    expect(category.summary).not.toBe('');
    const below = await app.call('browse_memory', { category: category.id });
    expect(below.data.category).toMatchObject({ id: category.id, name: category.name });
    expect(below.data.total).toBe(below.data.members.length);
    expect(below.data.members.length).toBeGreaterThan(0);
    const named = await app.call('browse_memory', { category: category.name });
    expect(named.data.members).toEqual(below.data.members);
    const place = await app.call('browse_memory', { category: 'lisbon' });
    expect(place.text).toMatch(/\nLisbon is an entity, in: \w/);
    expect(place.data).toMatchObject({
      category: { kind: 'entity', name: 'Lisbon' },
      namesakes: [],
      members: [],
    });
    const beyond = await app.call('browse_memory', { page: 3 });
    expect(beyond).toMatchObject({ text: 'There is no page 3: the list has 1.', data: { members: [] } });
    const empty = await lab.app({ scope: 'nobody' });
    expect((await empty.call('browse_memory')).text).toContain('no categories yet');
  });

  it('remember: stored, found, and consolidated on request', async () => {
    const scope = lab.engine.scope('eve');
    const eve = await lab.app({ scope: 'eve', clock: () => Date.parse('2024-03-04T12:00:00Z') });
    const first = await eve.call('remember', {
      content: 'Eve keeps bees in Graz.',
      speaker: 'Eve',
      role: 'user',
    });
    expect((await eve.call('memory_stats')).text).toBe(
      'Memory holds 1 turn, 0 facts, 0 entities and 0 categories. 1 turn waits to be read for facts.',
    );
    expect(first.data).toMatchObject({
      status: 'added',
      waiting: 1,
      learned: null,
      redacted: [],
      reason: null,
      notStored: [],
    });
    const heard: Progress[] = [];
    const onprogress = (progress: Progress) => void heard.push(progress);
    const told = {
      content: 'Eve moved to Linz on 2 March 2024. The key is sk-proj-abcdefghijklmnopqrstuvwxyz123456.',
    };
    const second = await eve.call('remember', { ...told, learn: true }, { onprogress });
    expect(second.data).toMatchObject({
      status: 'added',
      waiting: 0,
      learned: { facts: expect.any(Number) },
    });
    expect(second.data.learned.facts).toBeGreaterThan(0);
    expect(second.data.redacted.length).toBe(1);
    expect(second.text).toContain('Blacked out first');
    expect(heard.at(-1)).toMatchObject({ progress: 2, total: 2 });
    const { episodes } = await scope.search('Where does Eve live?');
    const [bees] = episodes.filter(({ content }) => content.includes('bees'));
    expect(bees).toMatchObject({ speaker: 'Eve', role: 'user', session: 'remembered', source: 'mcp' });
    expect(bees!.validAt).toBe(Date.parse('2024-03-04T12:00:00Z'));
    const rejected = await eve.call('remember', { content: ' ', at: 'never' });
    expect(rejected.text).toMatch(/at is not a time/);
  });

  it('remember: says what was not stored, and hears again what was forgotten', async () => {
    await using strict = await Mnemis.open({
      path: ':memory:',
      neverRemember: ['Voldemort'],
    });
    const scope = strict.scope('ivy');
    const ivy = await lab.app({ scope: 'ivy' }, localClient(strict));
    const { data, text } = await ivy.call('remember', { content: 'Voldemort called.' });
    expect(data).toMatchObject({
      status: 'rejected',
      notStored: [{ status: 'rejected', reason: data.reason }],
    });
    expect(text).toBe(`Not remembered: ${data.reason}.`);
    for (let time = 0; time < 2; time++) {
      const said = await ivy.call('remember', { content: 'Ivy keeps owls.' });
      expect(said.data).toMatchObject({ status: 'added', notStored: [] });
      await scope.forget({ all: true });
    }
  });

  it('remember: reports how far a long turn is read for facts', async () => {
    const gus = await lab.app({ scope: 'gus' });
    const sentence = 'Gus sold an owl. ';
    const long = await gus.call('remember', { content: sentence.repeat(20_000 / sentence.length) });
    expect(long.data).toMatchObject({ status: 'added', readUpTo: null });
    expect(long.text).not.toContain('read for facts');
    const line = 'An owl\n';
    const content = line.repeat(Math.floor(20_000 / line.length));
    const cut = await gus.call('remember', { content });
    expect(cut.data).toMatchObject({ status: 'added', readUpTo: 1_500 * line.length });
    expect(cut.text).toContain(`only its first ${1_500 * line.length} characters are read for facts`);
  });

  it('remember: a failed consolidation keeps the stored turn', async () => {
    const client = {
      ...lab.client,
      resume: async function* () {
        throw await lab.client.search({ scope: 'eve', query: 'x', k: 0 }).catch((error) => error);
      } as typeof lab.client.resume,
    };
    const fay = await lab.app({ scope: 'fay' }, client);
    const { data, text } = await fay.call('remember', { content: 'Fay paints owls.', learn: true });
    expect(data).toMatchObject({ status: 'added', learned: null, waiting: 1 });
    expect(text).toContain('which failed (invalid-input)');
  });

  it('stats: counts', async () => {
    const { data, text } = await app.call('memory_stats');
    expect(data).toMatchObject({
      scope: 'ann',
      turns: 8,
      entities: 15,
      waiting: 0,
      setAside: 0,
      readOnly: false,
    });
    expect(text).toContain('8 turns');
  });

  it('omit writing tools on a read-only server', async () => {
    const reader = await lab.app({ scope: 'ann', readOnly: true });
    const { tools } = await reader.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(READING);
    const refused = await reader.call('remember', { content: 'I was here.' });
    expect(refused.isError).toBe(true);
    expect((await reader.call('memory_stats')).data).toMatchObject({ turns: 8, readOnly: true });
  });
});

describe('failures of tools', () => {
  it('are results with a code and what to do', async () => {
    const secret = 'the-users-own-words';
    const failures = [
      await app.call('search_memory', { question: 'x', as_of: secret }),
      await app.call('browse_memory', { category: secret }),
      await app.call('forget_preview', { session: secret }),
      await app.call('forget_preview', { turns: [secret] }),
      await app.call('forget_preview', { turns: ['a'], session: secret }),
      await app.call('forget_preview', { session: secret, limit: 3 }),
      await app.call('forget_preview', {}),
    ];
    expect(failures[0]!.text).toContain(': as_of is not a time;');
    expect(failures[4]!.text).toContain(
      ': turns, session. Give exactly one of turns, entity, session, query, everything,',
    );
    for (const { isError, code, text } of failures) {
      expect([isError, code]).toEqual([true, 'invalid-input']);
      expect(text).toMatch(/^Failed \(invalid-input\): .+\.$/);
      expect(text).not.toContain(secret);
    }
  });

  it('report invalid arguments without their values', async () => {
    for (const input of [
      {},
      { question: '' },
      { question: 'secret', k: 'secret' },
      { question: ['secret'] },
    ]) {
      const { isError, text } = await app.call('search_memory', input);
      expect(isError).toBe(true);
      expect(text).not.toContain('secret');
    }
  });

  it('never contain the message of a foreign error', async () => {
    const client = { ...lab.client, stats: () => Promise.reject(new TypeError('quotes: my diary')) };
    const broken = await lab.app({ scope: 'ann' }, client);
    const { isError, code, text } = await broken.call('memory_stats');
    expect([isError, code]).toEqual([true, 'internal']);
    expect(text).not.toContain('diary');
    expect(lab.warnings.join()).toContain('The tool memory_stats failed: TypeError');
    expect(lab.warnings.join()).not.toContain('diary');
  });

  it('are thrown at setup for invalid options', () => {
    for (const options of [{ k: 0 }, { scope: ' ' }, { recipes: 'auto' }, { trust: 'total' }])
      expect(() => createMemoryServer(lab.client, options as never)).toThrow(/MCP server cannot use/);
  });
});

describe('a cancelled call', () => {
  it('ends the work', async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const asked = app.call('search_memory', { question: 'please wait for it' }, { signal });
    await lab.embedder.untilWaiting(1);
    stop.abort('the user has had enough');
    await expect(asked).rejects.toThrow('the user has had enough');
    // The notice of it travels in its own time; the next answer comes after it.
    await app.call('memory_stats');
    expect(lab.embedder.cancelled).toBe(1);
  });

  it('is also one whose client has disconnected', async () => {
    const leaver = await lab.app({ scope: 'ann' });
    const asked = leaver.call('ask_memory', { question: 'please wait for it' }).catch(() => 'gone');
    await lab.embedder.untilWaiting(1);
    await leaver.client.close();
    expect(await asked).toBe('gone');
    await app.call('memory_stats');
    expect(lab.embedder.cancelled).toBe(2);
  });
});
