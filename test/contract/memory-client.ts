import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contract, type MemoryClient, type MethodName, PROTOCOL } from '../../main/contract.ts';

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
  ['entity', { scope: 'ana', entity: 'Nobody' }],
  ['fact', { scope: 'ana', fact: 'none' }],
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
        turns: [TURNS[0]!, { ...TURNS[0]! }, { content: 'no time' } as never, JSON.parse('{"__proto__":1}')],
      });
      expect(outcomes.map(({ status }) => status)).toEqual(['added', 'known', 'rejected', 'rejected']);
      expect((await client.stats({ scope: 'adds' })).episode).toBe(1);
    });

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

    it('shows the categories, and what it knows of what is in them', async () => {
      const { nodes, entities, summaries } = await client.tree({ scope: 'ana', summaries: true });
      expect(entities).toBeGreaterThan(0);
      expect(Object.keys(summaries)).toContain(nodes[0]!.id);
      const { facts } = await client.entity({ scope: 'ana', entity: 'Lisbon', limit: 1 });
      const [fact] = facts.items;
      const history = await client.fact({ scope: 'ana', fact: fact!.id });
      expect(history.versions.items[0]!.evidence[0]).toMatchObject({ session: 's2', index: 0 });
    });

    it('imports a list of turns and tells how far it is', async () => {
      const turns = [...TURNS, { content: 'no time' } as never];
      const events = await all(client.import({ scope: 'imported', turns }));
      expect(events.filter(({ type }) => type === 'rejected')).toMatchObject([{ where: 'turn 4' }]);
      expect(events.at(-1)).toMatchObject({ type: 'done', counts: { added: 3, consolidated: 3 } });
      const resumed = await all(client.resume({ scope: 'imported', retry: true }));
      expect(resumed.at(-1)).toMatchObject({ type: 'done', pending: 0 });
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
    });

    it('cancels: before it begins, and while a stream waits', async () => {
      const signal = AbortSignal.abort();
      await expect(client.search({ scope: 'ana', query: 'cat' }, { signal })).rejects.toMatchObject({
        code: 'cancelled',
      });
      const stop = new AbortController();
      const changes = client.changes({ scope: 'ana' }, { signal: stop.signal });
      const next = changes.next();
      await client.add({ scope: 'ana', turns: [{ content: 'Tick.', at: '2024-04-01' }] });
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
