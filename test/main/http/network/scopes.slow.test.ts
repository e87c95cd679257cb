import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract, type MethodName } from '../../../../main/contract.ts';
import { ruleOf } from '../../../../main/http/network/method-rules.ts';
import { METHOD_INPUTS } from './method-inputs.ts';
import { bearer, type Reply, ServeLab } from './serve-lab.ts';

const OURS = 'a';
const THEIRS = 'ben-private';
/** Words that only the other scope has, its name among them. Nothing of them may reach the holder of a token. */
const FOREIGN = /ben-private|Quintilla/i;
const FOREIGN_WORDS = /xylophone|Reykjavik/i;

const NAMES = Object.keys(contract) as MethodName[];
const IN_SCOPE = NAMES.filter((name) => ruleOf(name) === 'in-scope');
const NOT_SERVED = NAMES.filter((name) => ruleOf(name) === 'not-served');
const WRITING_STREAMS = IN_SCOPE.filter(
  (name) => contract[name].kind === 'stream' && contract[name].effect !== 'reads',
);
const READING = IN_SCOPE.filter((name) => contract[name].effect === 'reads');

const TURNS = [
  { content: 'Quintilla keeps her xylophone in Reykjavik.', speaker: 'Quintilla', session: 's1', index: 0 },
  { content: 'Quintilla moved to Reykjavik in 2021.', speaker: 'Ben', session: 's1', index: 1 },
];

async function fill(lab: ServeLab): Promise<string[]> {
  await lab.client.add({
    scope: OURS,
    turns: [{ content: 'I adopted a cat called Miso.', speaker: 'Ana', session: 's1', index: 0 }],
  });
  const { outcomes } = await lab.client.add({ scope: THEIRS, turns: TURNS });
  for (const scope of [OURS, THEIRS]) await lab.client.flush({ scope });
  await lab.client.saveConversation({ conversation: 'conversation-b', title: 'Xylophone', scope: THEIRS });
  return outcomes.flatMap((outcome) => ('id' in outcome ? [outcome.id] : []));
}

describe('a token for one scope', () => {
  let lab: ServeLab;
  let token: string;
  let foreignIds: string[];
  let before: string;
  const stateOf = async () => {
    const stats = await lab.client.stats({ scope: THEIRS });
    const { items } = await lab.client.turns({ scope: THEIRS });
    const { items: jobs } = await lab.client.jobs({});
    const { items: conversations } = await lab.client.conversations({});
    return JSON.stringify([stats, items, jobs, conversations, await lab.client.scopes({})]);
  };
  beforeAll(async () => {
    lab = await ServeLab.open({ limits: { requestsPerMinute: 100_000 } });
    token = await lab.token({ scopes: [OURS] });
    foreignIds = await fill(lab);
    before = await stateOf();
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  /** What was asked comes back in no reply, so the words may not be in it either. */
  const holdsNothing = ({ text, headers }: Reply) => {
    const all = text + JSON.stringify([...headers]);
    expect(all).not.toMatch(FOREIGN);
    expect(all).not.toMatch(FOREIGN_WORDS);
    for (const id of foreignIds) expect(all).not.toContain(id);
  };

  it('has a rule for every method of the contract, and methods without a rule are not served', () => {
    expect(NAMES.length).toBeGreaterThan(80);
    expect(Object.keys(METHOD_INPUTS).sort()).toEqual([...NAMES].sort());
    expect(IN_SCOPE.length + NOT_SERVED.length).toBe(NAMES.length - 3);
    for (const name of ['', 'toString', '__proto__', 'constructor', 'notYet'])
      expect(ruleOf(name)).toBe('not-served');
  });

  it('has the rule "in-scope" for exactly the methods that need a scope, or they are not served', () => {
    for (const name of NAMES) {
      const needsScope = !contract[name].input.safeParse(
        Object.fromEntries(Object.entries(METHOD_INPUTS[name](OURS)).filter(([key]) => key !== 'scope')),
      ).success;
      const takesScope = 'scope' in METHOD_INPUTS[name](OURS);
      if (ruleOf(name) === 'in-scope') expect([name, takesScope, needsScope]).toEqual([name, true, true]);
      else if (ruleOf(name) !== 'not-served') expect([name, takesScope]).toEqual([name, false]);
    }
  });

  it.each(IN_SCOPE)('is refused the other scope by %s, whether it exists or not', async (name) => {
    const theirs = await lab.post(token, name, METHOD_INPUTS[name](THEIRS));
    expect([theirs.status, theirs.code]).toEqual([403, 'forbidden-scope']);
    holdsNothing(theirs);
    const nobodys = await lab.post(token, name, METHOD_INPUTS[name]('no-such-scope'));
    expect(nobodys.text).toBe(theirs.text);
    expect(nobodys.status).toBe(theirs.status);
  });

  it.each(NOT_SERVED)('is refused %s, which concerns more than a scope', async (name) => {
    for (const scope of [OURS, THEIRS]) {
      const reply = await lab.post(token, name, METHOD_INPUTS[name](scope));
      expect([reply.status, reply.code]).toEqual([403, 'not-served']);
      holdsNothing(reply);
    }
  });

  it.each(NOT_SERVED)('is refused %s whatever the input is', async (name) => {
    const headers = { ...bearer(token), 'content-type': 'application/json' };
    for (const body of ['{}', '{"scope":7,"unknown":[]}', '[]', 'null', '"text"', '{"cut', '']) {
      const reply = await lab.fetch(`/v1/${name}`, { method: 'POST', headers, body });
      expect([reply.status, reply.code], body).toEqual([403, 'not-served']);
    }
  });

  it.each(WRITING_STREAMS)('that only reads is refused %s whatever the input is', async (name) => {
    const reading = await lab.token({ scopes: [OURS], access: 'read' });
    const reply = await lab.post(reading, name, { unknown: [] });
    expect([reply.status, reply.code]).toEqual([403, 'forbidden-access']);
  });

  it('deletes its own scope, and no other', async () => {
    const own = await lab.token({ scopes: ['leaves'] });
    await lab.post(own, 'add', { scope: 'leaves', turns: [{ content: 'I sold a lamp.' }] });
    expect((await lab.post(own, 'scopes', {})).result).toEqual(['leaves']);
    const refused = await lab.post(own, 'deleteScope', { scope: THEIRS });
    expect([refused.status, refused.code]).toEqual([403, 'forbidden-scope']);
    const reply = await lab.post(own, 'deleteScope', { scope: 'leaves' });
    expect(reply.status).toBe(200);
    holdsNothing(reply);
    expect((await lab.post(own, 'scopes', {})).result).toEqual([]);
    expect(await stateOf()).toBe(before);
  });

  const leavesIt = IN_SCOPE.filter((name) => name !== 'deleteScope');
  it.each(leavesIt)('gets nothing of the other scope by %s in its own', async (name) => {
    const reply = await lab.post(token, name, METHOD_INPUTS[name](OURS));
    expect([200, 400, 422], reply.text).toContain(reply.status);
    // A question comes back in the answer's own words; it was the client's.
    const withoutQuestion = reply.text.replaceAll('Where is the xylophone?', '');
    holdsNothing({ ...reply, text: withoutQuestion.replace(/cat xylophone Reykjavik/g, '') });
  });

  it('gets nothing by the ids of the other scope', async () => {
    const id = foreignIds[0]!;
    const { items: facts } = await lab.client.facts({ scope: THEIRS, state: 'any' });
    const { items: entities } = await lab.client.entities({ scope: THEIRS });
    const rows = [id, ...facts.map((each) => each.id), ...entities.map((each) => each.id)];
    expect(facts.length + entities.length).toBeGreaterThan(0);
    const asked = (row: string): (readonly [MethodName, object])[] => [
      ['episodes', { ids: [row] }],
      ['fact', { fact: row }],
      ['entity', { entity: row }],
      ['entityPage', { entity: row }],
      ['categoryPage', { category: row }],
      ['learned', { episodes: [row] }],
      ['session', { episode: row }],
      ['graph', { around: row }],
      ['facts', { entity: row }],
      ['facts', { category: row }],
      ['turns', { entity: row }],
      ['timeline', { entity: row }],
      ['supersessions', { entity: row }],
      ['tree', { of: row }],
      ['addFacts', { facts: [{ statement: 'Ana likes tea.', subject: 'Ana', evidence: [{ id: row }] }] }],
      ['previewForget', { target: { episodes: [row] } }],
      ['forget', { target: { episodes: [row] } }],
      ['previewForget', { target: { episode: row } }],
      ['forget', { target: { entity: row, episodes: true } }],
      ['correct', { correction: { kind: 'pin-fact', fact: row } }],
      ['correct', { correction: { kind: 'reject-fact', fact: row } }],
      ['correct', { correction: { kind: 'edit-profile', entity: row, patch: { name: 'Ana' } } }],
      ['correct', { correction: { kind: 'merge-entities', keep: row, merged: row } }],
      ['correct', { correction: { kind: 'undo', correction: row } }],
      ['reviewItems', { kind: 'merge', after: row }],
      ['portrait', { entity: row }],
    ];
    /** A reply without the id that was asked for, and without times. */
    const shape = ({ status, text }: Reply, row: string) => [
      status,
      text.replaceAll(row, 'ID').replace(/"milliseconds":[\d.]+/g, ''),
    ];
    let compared = 0;
    for (const row of rows) {
      const madeUp = row.replace(/[0-9a-f]{6}$/, 'abcdef');
      expect(rows).not.toContain(madeUp);
      for (const [position, [name, input]] of asked(row).entries()) {
        const reply = await lab.post(token, name, { scope: OURS, ...input });
        const without = { ...reply, text: reply.text.replaceAll(row, '') };
        holdsNothing(without);
        // What exists elsewhere is answered as what exists nowhere.
        const nowhere = await lab.post(token, name, { scope: OURS, ...asked(madeUp)[position]![1] });
        expect([name, ...shape(reply, row)]).toEqual([name, ...shape(nowhere, madeUp)]);
        compared += 1;
      }
    }
    expect(compared).toBeGreaterThan(100);
  });

  it('sees its own scope in lists of scopes, and nothing else', async () => {
    expect((await lab.post(token, 'scopes', {})).result).toEqual([OURS]);
    const wide = await lab.token({ scopes: ['a*'] });
    expect((await lab.post(wide, 'scopes', {})).result).toEqual([OURS]);
    const all = await lab.token({ scopes: ['*'] });
    expect([...(await lab.post(all, 'scopes', {})).result].sort()).toEqual([OURS, THEIRS]);
    const none = await lab.token({ scopes: ['no-such-scope'] });
    expect((await lab.post(none, 'scopes', {})).result).toEqual([]);
  });

  it('learns neither where the memory is nor what else is in it from "health"', async () => {
    const reply = await lab.post(token, 'health', {});
    expect(reply.result).toMatchObject({ path: '', pid: 0, protocol: 1 });
    expect(reply.text).not.toContain(':memory:');
    holdsNothing(reply);
  });

  it('is not for the metrics, which count all scopes', async () => {
    const reply = await lab.fetch('/metrics', { headers: bearer(token) });
    expect([reply.status, reply.code]).toEqual([403, 'forbidden-access']);
    holdsNothing(reply);
  });

  it('changed nothing in the other scope by all of this', async () => {
    expect(await stateOf()).toBe(before);
  });

  it('does not write if it is for reading', async () => {
    const reader = await lab.token({ scopes: ['*'], access: 'read' });
    for (const name of IN_SCOPE) {
      const { status, code } = await lab.post(reader, name, METHOD_INPUTS[name](OURS));
      if (READING.includes(name)) expect([name, status === 403]).toEqual([name, false]);
      else expect([name, status, code]).toEqual([name, 403, 'forbidden-access']);
    }
  });

  it('reads metrics alone if it is for metrics', async () => {
    const figures = await lab.token({ scopes: [], access: 'metrics' });
    for (const name of NAMES) {
      const { status } = await lab.post(figures, name, METHOD_INPUTS[name](OURS));
      expect([name, status]).toEqual([name, 403]);
    }
    const { status, text } = await lab.fetch('/metrics', { headers: bearer(figures) });
    expect(status).toBe(200);
    expect(text).toContain('mnemis_requests_total{');
    expect(text).not.toMatch(FOREIGN);
    expect(text).not.toMatch(/test-|mnemis_[0-9a-f]{16}|"a"/);
  });

  it('is not fooled by scopes that look alike', async () => {
    for (const scope of [
      'A',
      'a ',
      ' a',
      'a\u0000',
      'a/../ben-private',
      ['a', THEIRS],
      { a: 1 },
      null,
      1,
      '',
    ])
      expect(
        (await lab.post(token, 'stats', { scope })).status,
        JSON.stringify(scope),
      ).toBeGreaterThanOrEqual(400);
    const twice = await lab.fetch('/v1/stats', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...bearer(token) },
      body: `{"scope":"a","scope":"${THEIRS}"}`,
    });
    expect(twice.code).toBe('forbidden-scope');
    const proto = await lab.post(
      token,
      'stats',
      JSON.parse(`{"scope":"a","__proto__":{"scope":"${THEIRS}"}}`),
    );
    holdsNothing(proto);
  });
});

describe('MCP with a token for one scope', () => {
  let lab: ServeLab;
  let token: string;
  beforeAll(async () => {
    lab = await ServeLab.open({ limits: { requestsPerMinute: 100_000 } });
    token = await lab.token({ scopes: [OURS] });
    await fill(lab);
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  const ARGUMENTS: Readonly<Record<string, object>> = {
    search_memory: { question: 'Where does Quintilla keep her instrument?' },
    ask_memory: { question: 'Where does Quintilla keep her instrument?' },
    browse_memory: {},
    memory_stats: {},
    remember: { content: 'I bought a lamp.' },
    forget_preview: { entity: 'Ben' },
    forget: { everything: true, confirmation: 'none' },
  };

  it('gets nothing of the other scope by any tool, prompt or resource', async () => {
    const client = await lab.mcp(token);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(ARGUMENTS).sort());
    const told: unknown[] = [tools];
    for (const { name } of tools) {
      const result = await client.callTool({ name, arguments: { ...ARGUMENTS[name] } });
      expect([name, result.isError ?? false]).toEqual([name, name.startsWith('forget')]);
      told.push(result);
    }
    for (const { name } of tools)
      told.push(await client.callTool({ name, arguments: { ...ARGUMENTS[name], scope: THEIRS } }));
    told.push(await client.listResources(), await client.listResourceTemplates(), await client.listPrompts());
    told.push(await client.getPrompt({ name: 'overview' }));
    told.push(await client.getPrompt({ name: 'recall', arguments: { topic: 'instruments' } }));
    const text = JSON.stringify(told);
    expect(text).toContain('Miso');
    expect(text.replaceAll('Where does Quintilla keep her instrument?', '')).not.toMatch(
      /ben-private|xylophone|Reykjavik/i,
    );
    const [turn] = (await lab.client.turns({ scope: THEIRS })).items;
    for (const scope of [THEIRS, OURS])
      await expect(client.readResource({ uri: `mnemis://${scope}/episode/${turn!.id}` })).rejects.toThrow();
    await client.close();
  });

  it('is refused the address of the other scope, whether it exists or not', async () => {
    const replies = await Promise.all(
      [THEIRS, 'no-such-scope'].map((scope) =>
        lab.message(token, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, `/mcp/${scope}`),
      ),
    );
    expect(replies.map(({ status, code }) => [status, code])).toEqual([
      [403, 'forbidden-scope'],
      [403, 'forbidden-scope'],
    ]);
    expect(replies[0]!.text).toBe(replies[1]!.text);
  });

  it('needs a scope in the address if the token has several', async () => {
    const wide = await lab.token({ scopes: [OURS, THEIRS] });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await lab.message(wide, list)).code).toBe('scope-needed');
    const client = await lab.mcp(wide, THEIRS);
    const { structuredContent } = await client.callTool({ name: 'memory_stats', arguments: {} });
    expect(structuredContent).toMatchObject({ scope: THEIRS, turns: 2 });
    await client.close();
  });

  it('offers no tools that write to a token for reading, and none to one for metrics', async () => {
    const client = await lab.mcp(await lab.token({ access: 'read' }));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names.sort()).toEqual(['ask_memory', 'browse_memory', 'memory_stats', 'search_memory']);
    await client.close();
    const figures = await lab.token({ scopes: [], access: 'metrics' });
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expect((await lab.message(figures, list)).code).toBe('forbidden-access');
    expect((await lab.message(figures, list, `/mcp/${OURS}`)).code).toBe('forbidden-scope');
  });

  it('takes a confirmation of another process with the same token, and of no other token', async () => {
    const other = await lab.token({ scopes: [OURS] });
    const [client, foreign] = [await lab.mcp(token), await lab.mcp(other)];
    const preview = await client.callTool({ name: 'forget_preview', arguments: { entity: 'Miso' } });
    const { confirmation } = preview.structuredContent as { confirmation: string };
    const forget = { name: 'forget', arguments: { entity: 'Miso', confirmation } };
    expect((await foreign.callTool(forget)).isError).toBe(true);
    expect((await client.callTool(forget)).isError ?? false).toBe(false);
    await Promise.all([client.close(), foreign.close()]);
  });
});

describe('several servers behind one address', () => {
  it('share tokens and confirmations, and revoking a token at one ends its requests at all', async () => {
    await using lab = await ServeLab.open();
    await fill(lab);
    const other = await lab.another();
    const there = `http://127.0.0.1:${other.port}`;
    const { token, entry } = await lab.issue();
    const head = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const call = async (url: string, name: string, input: object) => {
      const params = { name, arguments: input };
      const reply = await fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { ...head, ...bearer(token) },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      const [, data = '{}'] = /^data: (.*)$/m.exec(await reply.text()) ?? [];
      return JSON.parse(data).result;
    };
    // Neither server has seen this client before, and the two steps go to different ones.
    const preview = await call(lab.url, 'forget_preview', { entity: 'Miso' });
    const { confirmation } = preview.structuredContent;
    const forgotten = await call(there, 'forget', { entity: 'Miso', confirmation });
    expect(forgotten.structuredContent).toMatchObject({ clean: true });

    const streams = await Promise.all(
      [lab.url, there].map((url) =>
        fetch(`${url}/v1/changes`, {
          method: 'POST',
          headers: { ...head, ...bearer(token) },
          body: JSON.stringify({ scope: OURS }),
        }),
      ),
    );
    await lab.tokens.revoke(entry.id);
    for (const stream of streams) expect(await stream.text()).toContain('"code":"token-ended"');
    await other.close();
  });
});
