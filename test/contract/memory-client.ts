import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract, type InputOf, type MemoryClient, type MethodName, PROTOCOL } from '../../main/contract.ts';

/** An engine of a test's own, and a client of it. */
export interface ClientSetup {
  readonly client: MemoryClient;
  end(): Promise<void>;
}

const TURNS = [
  { speaker: 'Ana', session: 's1', index: 0, at: '2024-01-05', content: 'I adopted a grey cat called Miso.' },
  { speaker: 'Ben', session: 's1', index: 1, at: '2024-01-05', content: 'My kiln arrived yesterday. 🏺' },
  { speaker: 'Ana', session: 's2', index: 0, at: '2024-03-05', content: 'I moved to Lisbon last week.' },
];

const PETS = ['dog', 'cat', 'parrot', 'rabbit'].map((animal, index) => ({
  ...{ speaker: 'Ana', session: 'pets', index, at: '2024-01-05', content: `I bought a ${animal}.` },
}));

/** Inputs that no method takes. */
const UNFIT: readonly (readonly [MethodName, unknown])[] = [
  ['health', { more: 1 }],
  ['stats', {}],
  ['stats', { scope: ' padded ' }],
  ['search', { scope: 'ana', query: 'cat', k: 0 }],
  ['search', { scope: 'ana', query: 'x'.repeat(10_001) }],
  ['search', { scope: 'ana', query: 'cat', recipe: 'no such recipe' }],
  ['ask', { scope: 'ana', question: 'cat', answerer: 'oracle' }],
  ['add', { scope: 'ana', turns: [] }],
  ['add', { scope: 'ana', turns: ['text'] }],
  ['forget', { scope: 'ana', target: {} }],
  ['forget', { scope: 'ana', target: { all: true, session: 's1' } }],
  ['previewForget', { scope: 'ana', target: { episode: 'of another' } }],
  ['changes', { scope: 'ana', since: 'never' }],
  ['tree', { scope: 'ana', of: 'No such category' }],
  ['hierarchy', {}],
  ['rebuildHierarchy', { scope: 'ana', tokenBudget: 0 }],
  ['maintain', { scope: 'ana', retention: { turns: { olderThan: 'for ever' } } }],
  ['addFacts', { scope: 'ana', facts: [] }],
  ['refreshSummaries', { scope: 'ana', by: 'guess' }],
  ['refreshSummaries', { scope: 'ana', least: 2 }],
  ['refreshSummaries', { scope: 'ana', by: 'model' }], // it has none
  ['backup', { folder: 'not/absolute' }],
  ['correct', { scope: 'ana', correction: { kind: 'reject-fact' } }],
  ['correct', { scope: 'ana', correction: { kind: 'forget', fact: 'f' } }],
  ['correct', { scope: 'ana', correction: { kind: 'pin-fact', fact: 'none' } }],
  ['entity', { scope: 'ana', entity: 'Nobody' }],
  ['fact', { scope: 'ana', fact: 'none' }],
  ['learned', { scope: 'ana', episodes: [] }],
  ['portrait', { scope: 'ana', entity: 'Nobody' }],
  ['names', { scope: 'ana', typed: 'a', limit: 51 }],
  ['names', { scope: 'ana', typed: 'a', kinds: ['turn'] }],
  ['entities', { scope: 'ana', order: 'age' }],
  ['entities', { scope: 'ana', after: 'nothing' }],
  ['graph', { scope: 'ana', around: 'none' }],
  ['graph', { scope: 'ana', limit: 10_001 }],
  ['graph', { scope: 'ana', from: 'never' }],
  ['entityPage', { scope: 'ana', entity: 'Nobody' }],
  ['categoryPage', { scope: 'ana', category: 'none' }],
  ['session', { scope: 'ana' }],
  ['session', { scope: 'ana', episode: 'none' }],
  ['recentChanges', { scope: 'ana', before: 'never' }],
  ['recentChanges', { scope: 'ana', limit: 501 }],
  ['timeline', { scope: 'ana', entity: 'Nobody' }],
  ['timeline', { scope: 'ana', unit: 'fortnight' }],
  ['timeline', { scope: 'ana', most: 401 }],
  ['supersessions', { scope: 'ana', from: 'never' }],
  ['supersessions', { scope: 'ana', after: 'of no page' }],
  ['recipes', { scope: 'ana' }],
  ['saveSettings', { settings: { colour: 'red' } }],
  ['saveSettings', { preferences: { theme: 'neon' } }],
  ['saveSettings', { preferences: { colour: 'red' } }],
  ['endpointModels', { provider: 'none' }],
  ['endpointModels', { provider: 'ollama', baseUrl: 'ftp://host' }],
  ['removeEmbedder', { name: '../models' }],
  ['usage', { days: 0 }],
  ['usageItems', { kind: 'all' }],
  ['verifyBackup', { name: '../memory' }],
  ['startRestore', { job: 'r', name: '..' }],
  ['chat', { conversation: 'c', message: 'm', text: '  ' }],
  ['chat', { conversation: '../c', message: 'm', text: 'Hello.' }],
  ['regenerate', { conversation: 'none', message: 'none' }],
  ['decide', { message: 'none', decision: 'approve' }],
  ['why', { message: 'none' }],
  ['conversation', { conversation: 'none' }],
  ['deleteConversation', { conversation: 'none', memory: 'forget' }],
  ['saveConversation', { conversation: 'c', folder: 'none' }],
  ['deleteFolder', { folder: 'none' }],
  ['saveToolServer', { name: ' ', server: { command: 'x' } }],
  ['saveToolServer', { name: 'a', server: { url: 'file:///x' } }],
  ['saveToolServer', { name: 'a', replaces: 'none', server: { command: 'x' } }],
  ['startToolServer', { name: 'none' }],
  ['importToolServers', { json: '{' }],
  ['setToolPermission', { server: null, tool: 'search_memory', permission: 'sometimes' }],
  ['permitTool', { call: 'none', decision: 'once' }],
  ['search', JSON.parse('{"scope":"ana","query":"cat","__proto__":{"k":1}}')],
];

/** What every MemoryClient does. */
export function memoryClientContract(name: string, open: () => Promise<ClientSetup>): void {
  describe(`${name}: the MemoryClient contract`, () => {
    let setup: ClientSetup;
    let client: MemoryClient;
    beforeAll(async () => {
      setup = await open();
      ({ client } = setup);
      await client.add({ scope: 'ana', turns: TURNS });
      await client.flush({ scope: 'ana' });
    });
    afterAll(() => setup.end());

    it('has every method of the contract', () => {
      const missing = Object.keys(contract).filter(
        (each) => typeof client[each as MethodName] !== 'function',
      );
      expect(missing).toEqual([]);
    });

    it('says which engine it is', async () => {
      const health = await client.health({});
      expect(health).toMatchObject({ protocol: PROTOCOL, path: ':memory:', ingestion: { tier: 'local' } });
      expect(health.pid).toBeGreaterThan(0);
    });

    it('remembers turns, and says of each what became of it', async () => {
      const { outcomes } = await client.add({
        scope: 'adds',
        turns: [TURNS[0]!, { ...TURNS[0]! }, { content: 'no time', metadata: { thread: 't1' } }],
      });
      expect(outcomes.map(({ status }) => status)).toEqual(['added', 'known', 'added']);
      const filter = { thread: 't1' };
      const { episodes } = await client.search({ scope: 'adds', query: 'time', filter });
      expect(episodes.map(({ content }) => content)).toEqual(['no time']);
    });

    it.each(['{"at":1}', '{"__proto__":1}', '{"content":"x","mood":1}'])(
      'refuses the malformed turn %s, and stores none of its call',
      async (json) => {
        const adding = client.add({ scope: 'refuses', turns: [TURNS[0]!, JSON.parse(json)] });
        await expect(adding).rejects.toMatchObject({ code: 'invalid-input' });
        expect((await client.stats({ scope: 'refuses' })).episode).toBe(0);
      },
    );

    it('tells beforehand what adding would do', async () => {
      expect(await client.preview({ scope: 'nobody', turns: TURNS })).toMatchObject({ added: 3 });
      expect(await client.scopes({})).not.toContain('nobody');
    });

    it('finds evidence with its reasons', async () => {
      const { episodes } = await client.search({ scope: 'ana', query: 'Where did Ana move?', k: 2 });
      expect(episodes[0]).toMatchObject({ content: 'I moved to Lisbon last week.', session: 's2' });
      expect(episodes[0]!.why.length).toBeGreaterThan(0);
      const kiln = await client.search({ scope: 'ana', query: 'kiln' });
      expect(kiln.episodes[0]!.content).toBe('My kiln arrived yesterday. 🏺');
    });

    it('streams an answer: what was found, its text, and at last the whole', async () => {
      const events = await all(client.ask({ scope: 'ana', question: 'Where did Ana move?' }));
      const last = events.at(-1)!;
      expect(events[0]!.type).toBe('found');
      expect(last).toMatchObject({ type: 'answer', answer: { answered: true } });
      const text = events.map((event) => (event.type === 'text' ? event.text : '')).join('');
      expect(text).toBe(last.type === 'answer' ? last.answer.text : null);
      expect(text).toContain('Lisbon');
    });

    it('chats: streams an answer from memory, stores both messages, and gives them back', async () => {
      await client.add({ scope: 'talks', turns: TURNS });
      await client.saveConversation({ conversation: 'talk', scope: 'talks', draft: 'Where did' });
      const ask = { conversation: 'talk', message: 'talk-1', text: 'Where did Ana move?', confirm: true };
      const events = await all(client.chat(ask));
      expect(events.map(({ type }) => type)).toEqual(['begun', 'recalled', 'answer', 'done']);
      const done = events.at(-1)!;
      const answer = done.type === 'done' ? done.answer : null;
      expect(answer).toMatchObject({ parent: 'talk-1', state: 'complete', citations: [{ number: 1 }] });
      expect(answer!.text).toContain('Lisbon');
      expect(answer!.remembered).toEqual({ decision: 'pending', turns: [] });
      const decided = await client.decide({ message: answer!.id, decision: 'approve' });
      expect(decided.remembered).toMatchObject({ decision: 'remembered', turns: [expect.any(String)] });
      const why = await client.why({ message: answer!.id });
      expect(why.items.map(({ text }) => text)).toContain('I moved to Lisbon last week.');
      const read = await client.conversation({ conversation: 'talk' });
      expect(read.conversation).toMatchObject({ title: 'Where did Ana move?', draft: '', leaf: answer!.id });
      expect(read.messages).toEqual([expect.objectContaining({ id: 'talk-1', role: 'user' }), decided]);
      const again = await all(client.regenerate({ conversation: 'talk', message: answer!.id }));
      expect(again.at(-1)).toMatchObject({ type: 'done', conversation: { messages: 3 } });
    });

    it('keeps conversations: lists, searches, folders, and deletes them with what memory has', async () => {
      await client.saveFolder({ folder: 'plans', name: 'Plans' });
      await client.saveConversation({
        conversation: 'plan',
        folder: 'plans',
        title: 'My plan',
        isPinned: true,
      });
      const said = { conversation: 'plan', message: 'plan-1', text: 'I will plant quinces in spring.' };
      await all(client.chat(said));
      const { items } = await client.conversations({ folder: 'plans' });
      expect(items).toMatchObject([{ id: 'plan', title: 'My plan', isPinned: true, messages: 2 }]);
      expect((await client.folders({})).items).toMatchObject([{ id: 'plans', conversations: 1 }]);
      const { hits } = await client.find({ query: 'quinces', kinds: ['message'] });
      expect(hits[0]).toMatchObject({
        id: 'plan-1',
        text: expect.stringContaining('\u0001quinces\u0002'),
      });
      const [scope] = items.map((each) => each.scope);
      expect((await client.stats({ scope: scope! })).episode).toBe(1);
      const deleted = await all(client.deleteConversation({ conversation: 'plan', memory: 'forget' }));
      expect(deleted.at(-1)).toEqual({ type: 'done', forgotten: 1 });
      expect((await client.stats({ scope: scope! })).episode).toBe(0);
      expect(await client.deleteFolder({ folder: 'plans' })).toEqual({ folder: 'plans' });
      await expect(client.conversation({ conversation: 'plan' })).rejects.toMatchObject({
        code: 'invalid-input',
      });
    });

    it('shows the categories, and what it knows of what is in them', async () => {
      const { entities } = await client.tree({ scope: 'ana' });
      expect(entities).toBeGreaterThan(0);
      const { facts } = await client.entity({ scope: 'ana', entity: 'Lisbon', limit: 1 });
      const [fact] = facts.items;
      const history = await client.fact({ scope: 'ana', fact: fact!.id });
      expect(history.versions.items[0]!.evidence[0]).toMatchObject({ session: 's2', index: 0 });
    });

    it('says where the categories stand, and builds them anew', async () => {
      const scope = 'grouped';
      expect(await client.hierarchy({ scope })).toMatchObject({ built: null, entities: 0, layers: [] });
      await client.add({ scope, turns: PETS });
      await client.flush({ scope });
      const status = await client.hierarchy({ scope });
      expect(status).toMatchObject({ waiting: 0, stale: 0, drift: { rebuildPays: false } });
      expect(status.layers[0]).toBeGreaterThan(0);
      const before = await client.tree({ scope });
      const { id, name, layer } = before.nodes[0]!;
      const { summaries } = await client.tree({ scope, summaries: true });
      expect(Object.keys(summaries)).toContain(id);
      expect(await client.categoryPage({ scope, category: id })).toMatchObject({ id, name, layer });
      for (const run of [client.updateHierarchy, client.rebuildHierarchy]) {
        const events = await all(run({ scope, tokenBudget: 1_000 }));
        expect(events.slice(0, -1).map(({ type }) => type)).toContain('progress');
        expect(events.at(-1)).toMatchObject({ type: 'done', layers: status.layers, usage: { calls: 0 } });
      }
      expect(await client.tree({ scope })).toEqual(before);
      const categories = status.layers.reduce((sum, each) => sum + each, 0);
      const told = await all(client.refreshSummaries({ scope, all: true }));
      expect(told.at(-1)).toEqual({ type: 'done', refreshed: categories });
      expect(await all(client.refreshSummaries({ scope, least: 0.5 }))).toEqual([
        { type: 'done', refreshed: 0 },
      ]);
    });

    it('tells the way of a question down the categories, of a search and of an answer', async () => {
      const asked = { scope: 'ana', recipe: 'mnemis' };
      const { routes } = await client.search({ ...asked, query: 'Where did Ana move?' });
      const walked = expect.objectContaining({ route: 'system2', walk: expect.anything() });
      expect(routes).toContainEqual(walked);
      expect(routes.find(({ walk }) => walk !== undefined)!.walk!.steps[0]!.names.length).toBeGreaterThan(0);
      const answer = (await all(client.ask({ ...asked, question: 'Where did Ana move?' }))).at(-1)!;
      expect(answer.type === 'answer' && answer.answer.search.routes).toContainEqual(walked);
    });

    it('tells what it learned of turns, and shows them in their session', async () => {
      const { turns, total, first } = await client.session({ scope: 'ana', session: 's1' });
      expect([turns[0], total, first]).toMatchObject([{ content: TURNS[0]!.content }, 2, 0]);
      const around = { scope: 'ana', episode: turns[1]!.id, before: 0, after: 5 };
      expect(await client.session(around)).toMatchObject({ turns: [{ index: 1 }], total: 2, first: 1 });
      const learned = await client.learned({ scope: 'ana', episodes: turns.map(({ id }) => id) });
      expect(learned).toMatchObject({ turns: [{ speaker: 'Ana', isRead: true }, {}], pending: 0 });
      const cat = learned.facts.find(({ statement }) => statement.includes('cat'));
      expect(cat).toMatchObject({
        ...{ invalidAt: null, isPinned: false },
        sources: [{ episode: turns[0]!.id, session: 's1', index: 0 }],
      });
    });

    it('paints a portrait of the user, and of others', async () => {
      const { entity, sections, facts, people } = await client.portrait({ scope: 'ana' });
      expect(entity).toMatchObject({ name: 'Ana', isUser: true });
      expect(people).toContainEqual({ id: entity!.id, name: 'Ana', facts });
      const listed = sections.flatMap((section) => section.facts);
      expect(new Set(listed.map(({ id }) => id)).size).toBeLessThanOrEqual(facts);
      expect(listed[0]!.said).toMatch(/^You/);
      expect(await client.portrait({ scope: 'ana', entity: 'Ben', limit: 1 })).toMatchObject({
        ...{ entity: { name: 'Ben' }, turns: 1, since: Date.parse('2024-01-05') },
      });
      expect(await client.portrait({ scope: 'nobody' })).toMatchObject({ entity: null, facts: 0 });
    });

    it('reminds of days', async () =>
      expect(await client.reminders({ scope: 'nobody' })).toEqual({ ahead: [], before: [] }));

    it('completes names, lists entities, draws them, and has a page of each', async () => {
      const [name] = await client.names({ scope: 'ana', typed: 'an', kinds: ['entity'] });
      expect(name).toMatchObject({ kind: 'entity', name: 'Ana' });
      const { items, total } = await client.entities({ scope: 'ana', limit: 1 });
      expect(total).toBeGreaterThan(1);
      expect(items[0]).toMatchObject({ name: 'Ana', facts: name!.size });
      const { nodes, links } = await client.graph({ scope: 'ana' });
      expect(nodes).toContainEqual({ id: name!.id, kind: 'entity', name: 'Ana', layer: 0, size: name!.size });
      expect(links.length).toBeGreaterThan(0);
      expect((await client.graph({ scope: 'ana', around: name!.id })).nodes[0]!.id).toBe(name!.id);
      const page = await client.entityPage({ scope: 'ana', entity: name!.id });
      expect(page).toMatchObject({ name: 'Ana', facts: { holds: name!.size, ended: 0 } });
      expect((await client.graph({ scope: 'nobody' })).nodes).toEqual([]);
    });

    it('pages through what changed, the newest first', async () => {
      const past = await all(client.changes({ scope: 'ana', follow: false }));
      const seen: unknown[] = [];
      for (let before: number | null | undefined; before !== null; ) {
        const page = await client.recentChanges({ scope: 'ana', limit: 2, before });
        seen.push(...page.changes);
        before = page.next;
      }
      expect(seen).toEqual(past.toReversed());
    });

    it('counts what happened when, and lists what superseded what', async () => {
      const scope = 'moves';
      const live = { ...TURNS[0]!, content: 'I live in Porto.' };
      await client.add({ scope, turns: [live, TURNS[2]!] });
      await client.flush({ scope });
      const { unit, buckets, first } = await client.timeline({ scope, entity: 'Ana', unit: 'month' });
      expect([unit, first]).toEqual(['month', Date.parse('2024-01-05')]);
      expect(buckets.map(({ turns, ended }) => [turns, ended])).toEqual([
        [1, 0],
        [0, 1],
        [1, 0],
      ]);
      const { items, total } = await client.supersessions({ scope, entity: 'Ana', to: '2025-01-01' });
      expect(total).toBe(1);
      expect(items[0]).toMatchObject({
        how: 'replaced',
        older: { statement: 'Ana lives in Porto' },
        newer: { statement: expect.stringContaining('Lisbon') },
      });
      const question = 'Where does Ana live?';
      const then = await all(client.ask({ scope, question, asOf: '2024-02-01', traced: true }));
      expect(then.at(-1)).toMatchObject({
        answer: {
          text: expect.stringContaining('Porto'),
          trace: { milliseconds: expect.any(Number), context: { leftOut: 0 } },
        },
      });
    });

    it('lists the recipes, each of which searches', async () => {
      const { items, usual } = await client.recipes({});
      expect(items.map(({ name }) => name)).toContain(usual);
      expect(new Set(items.map(({ group }) => group))).toEqual(new Set(['general', 'papers', 'ablations']));
      const [auto, mnemis, local] = ['auto', 'mnemis', 'mnemis-local'].map(
        (name) => items.find((each) => each.name === name)!,
      );
      expect(auto).toMatchObject({ group: 'general', model: 'used' });
      expect(mnemis).toMatchObject({ aliases: ['similarity+categories'], routes: ['system1', 'system2'] });
      expect(local).toMatchObject({ model: 'unused' });
      for (const { name: recipe } of items)
        expect(await client.search({ scope: 'ana', query: 'cat', recipe })).toMatchObject({ recipe });
    });

    it('shows settings, and keeps preferences', async () => {
      const stop = new AbortController();
      const events = client.appEvents({}, { signal: stop.signal });
      expect((await events.next()).value).toMatchObject({ type: 'engine', pid: process.pid });
      // Beside it, memory may read what was said before.
      const next = (async () => {
        for await (const event of events) if (event.type !== 'reading') return event;
        return null;
      })();
      const saved = await client.saveSettings({ preferences: { theme: 'dark', shortcuts: { search: '' } } });
      expect(saved).toMatchObject({ restarts: false, settings: { preferences: { theme: 'dark' } } });
      expect(await next).toEqual({ type: 'settings' });
      stop.abort();
      await client.saveSettings({ preferences: { name: 'Ana' } });
      const { preferences, settings, sends, key } = await client.settings({});
      expect(preferences).toMatchObject({ theme: 'dark', name: 'Ana', shortcuts: { search: '' } });
      expect(settings.path).toMatchObject({ value: ':memory:', source: 'flag' });
      expect(sends).toEqual([]);
      expect(key).toMatchObject({ storage: 'file', isSet: false });
      const refused = { code: 'invalid-setting' };
      await expect(client.saveSettings({ settings: { path: 'other.db' } })).rejects.toMatchObject(refused);
      await expect(client.saveKey({ address: 'none', key: 'sk-secret' })).rejects.toMatchObject({
        code: 'invalid-input',
      });
      const { items } = await client.embedders({});
      expect(items.filter(({ isUsed }) => isUsed)).toMatchObject([{ name: 'static', isBundled: true }]);
      expect(await client.usage({})).toEqual({ rows: [] });
      expect(await client.usageItems({ kind: 'import' })).toEqual({ items: [], more: false });
      expect(await client.backups({})).toMatchObject({ items: [] });
      await expect(client.deleteBackup({ name: 'none' })).rejects.toMatchObject({ code: 'invalid-input' });
    });

    it('puts right what it holds, lists that, and takes it back', async () => {
      const scope = 'corrected';
      const again = { ...TURNS[2]!, session: 's3', content: 'I love Lisbon.' };
      await client.add({ scope, turns: [...TURNS, again] });
      await client.flush({ scope });
      const { entity, facts } = await client.entity({ scope, entity: 'Lisbon' });
      const fact = facts.items[0]!.id;
      const correct = (correction: InputOf<'correct'>['correction']) =>
        client.correct({ scope, correction, author: 'Ben' });
      const patch = { statement: 'Ana moved to Porto', validAt: '2024-02-01', invalidAt: null };
      const edited = await correct({ kind: 'edit-fact', fact, patch });
      expect(edited).toEqual({ correction: expect.any(String), fact: expect.any(String) });
      await correct({ kind: 'undo', correction: edited.correction });
      await correct({ kind: 'pin-fact', fact });
      await correct({ kind: 'reject-fact', fact });
      await correct({ kind: 'edit-profile', entity, patch: { name: 'Lisboa', aliases: [], tags: ['city'] } });
      const episodes = (await client.search({ scope, query: 'Lisbon' })).episodes.map(({ id }) => id);
      const part = { name: 'Another', episodes: episodes.slice(0, 1) };
      const split = await correct({ kind: 'split-entity', entity, ...part });
      expect(split.entity).toEqual(expect.any(String));
      await correct({ kind: 'keep-apart', entities: [entity, split.entity!] });
      const { entity: other } = await client.entity({ scope, entity: 'kiln' });
      expect(await correct({ kind: 'merge-entities', keep: entity, merged: other })).toMatchObject({
        entity,
      });
      expect(await client.uncertain({ scope })).toEqual([]);
      const listed = await client.corrections({ scope });
      expect(listed.map(({ kind }) => kind)).toEqual([
        ...['merge-entities', 'keep-apart', 'split-entity', 'edit-profile', 'reject-fact', 'pin-fact'],
        ...['undo', 'edit-fact'],
      ]);
      expect(new Set(listed.map(({ author }) => author))).toEqual(new Set(['Ben']));
    });

    it('takes statements of others, and exports the whole scope', async () => {
      const scope = 'exported';
      await client.add({ scope, turns: TURNS });
      const evidence = [{ session: 's2', index: 0 }];
      const facts = [
        { statement: 'Ana lives in Lisbon 🏠', evidence },
        { statement: '', evidence },
      ];
      const { outcomes } = await client.addFacts({ scope, facts });
      expect(outcomes.map(({ status }) => status)).toEqual(['added', 'rejected']);
      const events = await all(client.export({ scope }));
      const lines = events
        .flatMap((event) => (event.type === 'text' ? event.text : []))
        .join('')
        .split('\n');
      expect(JSON.parse(lines[0]!)).toMatchObject({ format: 'mnemis-export', scope, counts: { episode: 3 } });
      expect(lines.join()).toContain('Ana lives in Lisbon 🏠');
      const { end } = JSON.parse(lines.at(-2)!);
      expect(events.at(-1)).toEqual({
        ...{ type: 'done', nodes: end.nodes, relationships: end.relationships },
      });
      expect(end.nodes + end.relationships).toBe(lines.length - 3);
      expect(lines.at(-1)).toBe('');
    });

    it('keeps turns as long as a rule says', async () => {
      const scope = 'kept';
      await client.add({ scope, turns: TURNS });
      await client.flush({ scope });
      const retention = { turns: { olderThan: '1d', keepFacts: true } };
      expect(await client.maintain({ scope })).toMatchObject({ retention: null });
      expect(await client.maintain({ scope, retention: null })).toMatchObject({ retention: null });
      expect(await client.maintain({ scope, retention, dryRun: true })).toMatchObject({
        ...{ dryRun: true, retention: { turns: 3, keepFacts: true } },
      });
      expect((await client.search({ scope, query: 'kiln' })).episodes).not.toEqual([]);
      expect(await client.maintain({ scope, retention })).toMatchObject({ retention: { turns: 3 } });
      expect((await client.search({ scope, query: 'kiln' })).episodes).toEqual([]);
    });

    it('imports a list of turns and tells how far it is', async () => {
      const turns = [...TURNS, { content: ' ' }];
      const events = await all(client.import({ scope: 'imported', turns }));
      expect(events.filter(({ type }) => type === 'rejected')).toMatchObject([{ where: 'turn 4' }]);
      expect(events.at(-1)).toMatchObject({ type: 'done', counts: { added: 3, consolidated: 3 } });
      const resumed = await all(client.resume({ scope: 'imported', retry: true }));
      expect(resumed.at(-1)).toMatchObject({ type: 'done', pending: 0 });
    });

    it('takes a file in parts and imports it as a job, which can be followed', async () => {
      const scope = 'jobs';
      const file = Buffer.from(TURNS.map((turn) => JSON.stringify(turn)).join('\n'));
      const upload = 'contract-upload';
      await client.beginUpload({ upload, name: 'chat.jsonl', bytes: file.length });
      for (const [offset, end] of [[0, 100] as const, [100, file.length] as const]) {
        const data = file.subarray(offset, end).toString('base64');
        const reply = await client.uploadPart({ upload, offset, data });
        expect(reply).toEqual({ received: end, isComplete: end === file.length });
      }
      const beyond = client.uploadPart({ upload, offset: file.length, data: 'YWJj' });
      await expect(beyond).rejects.toMatchObject({ code: 'invalid-input' });
      const started = await client.startImport({ job: 'contract-job', upload, scope });
      expect(started).toMatchObject({ kind: 'import', name: 'chat.jsonl', scope });
      const steps = await all(client.followJob({ job: 'contract-job' }));
      expect(steps.at(-1)).toMatchObject({
        ...{ state: 'done', share: 1, secondsToGo: null },
        counts: { added: 3, known: 0, pending: 0 },
      });
      expect((await client.stats({ scope })).episode).toBe(3);
      expect((await client.jobs({})).items).toEqual([steps.at(-1)]);
      await expect(client.deleteUpload({ upload })).resolves.toEqual({ upload });
      await client.controlJob({ job: 'contract-job', action: 'dismiss' });
      expect(await client.jobs({})).toEqual({ items: [] });
    });

    it('tells what happened, and what happens', async () => {
      const past = await all(client.changes({ scope: 'ana', follow: false }));
      expect(past.filter(({ type }) => type === 'stored')).toHaveLength(3);
      const changes = client.changes({ scope: 'followed', since: 0 });
      const next = changes.next();
      await client.add({ scope: 'followed', turns: [TURNS[0]!] });
      expect((await next).value).toMatchObject({ type: 'stored', session: 's1' });
      await changes.return();
    });

    it('forgets what a preview shows', async () => {
      await client.import({ scope: 'forgets', turns: TURNS }).return();
      await client.add({ scope: 'forgets', turns: TURNS });
      const target = { session: 's1' };
      const preview = await client.previewForget({ scope: 'forgets', target });
      expect(preview.episodes).toHaveLength(2);
      const events = await all(client.forget({ scope: 'forgets', target, author: 'test' }));
      expect(events.at(-1)).toMatchObject({ type: 'done', proof: { clean: true } });
      expect((await client.stats({ scope: 'forgets' })).episode).toBe(1);
      expect(await client.corrections({ scope: 'forgets' })).toBeInstanceOf(Array);
    });

    it('deletes a scope with its name, also again', async () => {
      const scope = 'leaves';
      await client.add({ scope, turns: TURNS });
      await client.forget({ scope, target: { session: 's1' } }).return();
      expect((await client.scopes({})).includes(scope)).toBe(true);
      const events = await all(client.deleteScope({ scope }));
      expect(events.at(-1)).toMatchObject({ type: 'done', proof: { clean: true } });
      expect((await client.scopes({})).includes(scope)).toBe(false);
      expect((await all(client.deleteScope({ scope }))).at(-1)).toMatchObject({ proof: { clean: true } });
      expect(await client.add({ scope, turns: [TURNS[0]!] })).toMatchObject({ stored: 1, notStored: [] });
      await all(client.deleteScope({ scope }));
      expect((await client.scopes({})).includes(scope)).toBe(false);
    });

    it('tells which turns quote what goes, and takes them along on request', async () => {
      const scope = 'quotes';
      const content = 'You said “I adopted a grey cat called Miso”, right?';
      const quote = { speaker: 'Cid', session: 's3', index: 0, at: '2024-04-01', content };
      await client.add({ scope, turns: [...TURNS, quote] });
      const target = { session: 's1' };
      const preview = await client.previewForget({ scope, target });
      const { total, turns } = preview.alsoSaid;
      expect([total, ...turns]).toMatchObject([1, { session: 's3', speaker: 'Cid', text: content }]);
      const whole = await client.previewForget({ scope, target, quotations: true });
      expect(whole.alsoSaid).toEqual({ total: 0, turns: [] });
      expect(whole.episodes).toEqual(expect.arrayContaining([...preview.episodes, turns[0]!.id]));
      const events = await all(client.forget({ scope, target, quotations: true }));
      expect(events.at(-1)).toMatchObject({ type: 'done', alsoSaid: 0, removed: { episode: 3 } });
    });

    it.each(UNFIT)('refuses what does not fit: %s', async (method, input) => {
      await expect(run(client, method, input)).rejects.toMatchObject({
        code: expect.stringMatching(/^(invalid-input|unknown-name)$/),
      });
    });

    it('keeps scopes apart in every method', async () => {
      const scope = 'stranger';
      const seen: unknown[] = [
        await client.search({ scope, query: 'Lisbon cat Miso kiln' }),
        await all(client.ask({ scope, question: 'Where did Ana move?' })),
        await client.tree({ scope, summaries: true }),
        await all(client.changes({ scope, follow: false })),
        await client.corrections({ scope }),
        await client.uncertain({ scope }),
        await all(client.export({ scope })),
        await client.hierarchy({ scope }),
        await all(client.rebuildHierarchy({ scope })),
        await client.stats({ scope }),
        await client.previewForget({ scope, target: { all: true } }),
      ];
      expect(JSON.stringify(seen)).not.toMatch(/Lisbon last|grey|Miso called|arrived/);
      const known = await client.search({ scope: 'ana', query: 'cat' });
      const [episode, fact] = [known.episodes[0]!.id, known.facts[0]!.id];
      await expect(run(client, 'forget', { scope, target: { episode } })).rejects.toMatchObject({
        code: 'invalid-input',
      });
      await expect(client.fact({ scope, fact })).rejects.toMatchObject({ code: 'invalid-input' });
      await expect(
        client.correct({ scope, correction: { kind: 'reject-fact', fact } }),
      ).rejects.toMatchObject({ code: 'invalid-input' });
    });

    it('cancels: before it begins, and while a stream waits', async () => {
      const signal = AbortSignal.abort();
      await expect(client.search({ scope: 'ana', query: 'cat' }, { signal })).rejects.toMatchObject({
        code: 'cancelled',
      });
      const stop = new AbortController();
      const changes = client.changes({ scope: 'cancels', since: 0 }, { signal: stop.signal });
      const next = changes.next();
      await client.add({ scope: 'cancels', turns: [{ content: 'Tick.', at: '2024-04-01' }] });
      await next;
      const after = changes.next();
      stop.abort();
      await expect(after).rejects.toMatchObject({ code: 'cancelled' });
    });

    it('answers many at once', async () => {
      const turns = Array.from({ length: 30 }, (_, index) => ({
        ...TURNS[0]!,
        session: `many-${index}`,
        content: `Note ${index} of many.`,
      }));
      await Promise.all(turns.map((turn) => client.add({ scope: 'many', turns: [turn] })));
      expect((await client.stats({ scope: 'many' })).episode).toBe(30);
    });
  });
}

async function all<T>(events: AsyncIterable<T>): Promise<T[]> {
  const taken: T[] = [];
  for await (const event of events) taken.push(event);
  return taken;
}

/** A method by its name; of a stream, all events. */
async function run(client: MemoryClient, method: MethodName, input: unknown): Promise<unknown> {
  const job = (client[method] as (input: unknown) => unknown)(input);
  return contract[method].kind === 'call' ? job : all(job as AsyncIterable<unknown>);
}
