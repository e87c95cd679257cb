import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localClient } from '../../../main/client/local-client.ts';
import { createGraphServer } from '../../../main/mcp/compatible/create-graph-server.ts';
import { Mnemis } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { CommandLab } from '../cli/fake-terminal.ts';
import { App } from './mcp-lab.ts';

const NAMES = [
  'create_entities',
  'create_relations',
  'add_observations',
  'delete_entities',
  'delete_observations',
  'delete_relations',
  'read_graph',
  'search_nodes',
  'open_nodes',
];
const ANN = {
  name: 'Ann Smith "the cook"',
  entityType: 'person',
  observations: ['Likes tea: green', ' keeps   spaces ', 'Speaks\nNorwegian'],
};
const OSLO = { name: 'Oslo', entityType: 'city', observations: [] };
const LIVES = { from: ANN.name, to: 'Oslo', relationType: 'lives in' };

const folder = freshFolder();
let engine: Mnemis;
let number = 0;
beforeAll(async () => {
  engine = await Mnemis.open({ path: join(folder, 'memory.db'), embedder: new HashingEmbedder({ analyze }) });
});
afterAll(() => engine.close());

interface Open {
  readonly scope?: string;
  readonly file?: string;
  readonly warnings?: string[];
  readonly readOnly?: boolean;
}

/** An app of a server of its own, as one more process would be. */
async function appOf({
  scope = `scope ${++number}`,
  file,
  warnings = [],
  readOnly = false,
}: Open = {}): Promise<App> {
  const logger = { warn: (message: string) => void warnings.push(message) };
  const server = createGraphServer({
    client: localClient(engine),
    scope,
    trust: 'low',
    file,
    readOnly,
    logger,
  });
  const [here, there] = InMemoryTransport.createLinkedPair();
  await server.connect(there);
  return App.over(here);
}

const graphOf = async (app: App) => JSON.parse((await app.call('read_graph')).text);

describe('the tools of server-memory', () => {
  it('have its names, and give back exactly what they were given', async () => {
    const app = await appOf();
    expect((await app.client.listTools()).tools.map(({ name }) => name)).toEqual(NAMES);
    const created = await app.call('create_entities', {
      entities: [ANN, OSLO, { ...OSLO, entityType: 'town' }],
    });
    expect(JSON.parse(created.text)).toEqual([ANN, OSLO]);
    expect(created.data).toEqual({ entities: [ANN, OSLO] });
    expect((await app.call('create_entities', { entities: [OSLO] })).data).toEqual({ entities: [] });
    expect((await app.call('create_relations', { relations: [LIVES, LIVES] })).data).toEqual({
      relations: [LIVES],
    });
    const more = {
      observations: [{ entityName: 'Oslo', contents: ['Has a fjord', 'Has a fjord', 'Is green'] }],
    };
    const results = [{ entityName: 'Oslo', addedObservations: ['Has a fjord', 'Is green'] }];
    expect((await app.call('add_observations', more)).data).toEqual({ results });
    const whole = {
      entities: [ANN, { ...OSLO, observations: ['Has a fjord', 'Is green'] }],
      relations: [LIVES],
    };
    expect(await graphOf(app)).toEqual(whole);
    expect((await app.call('read_graph')).data).toEqual(whole);
    expect((await app.call('open_nodes', { names: ['Oslo', 'Bergen'] })).data).toEqual({
      entities: [whole.entities[1]],
      relations: [LIVES],
    });
    for (const query of ['THE COOK', 'norwegian', 'Person'])
      expect((await app.call('search_nodes', { query })).data.entities, query).toEqual([ANN]);
    expect(
      (await app.call('search_nodes', { query: 'who speaks the Norwegian language' })).data.entities,
    ).toEqual([ANN]);
    expect((await app.call('search_nodes', { query: 'zebra' })).data).toEqual({
      entities: [],
      relations: [],
    });
  });

  it('delete for good, with the facts', async () => {
    const scope = 'deleted';
    const app = await appOf({ scope });
    await app.call('create_entities', { entities: [ANN, OSLO] });
    await app.call('create_relations', { relations: [LIVES, { ...LIVES, relationType: 'was born in' }] });
    expect((await engine.scope(scope).stats()).fact).toBeGreaterThan(3);
    const gone = {
      deletions: [
        { entityName: ANN.name, observations: ['Likes tea: green', 'unknown'] },
        { entityName: 'Nobody', observations: ['x'] },
      ],
    };
    expect((await app.call('delete_observations', gone)).data).toEqual({
      success: true,
      message: 'Observations deleted successfully',
    });
    await app.call('delete_relations', { relations: [LIVES] });
    expect(await graphOf(app)).toEqual({
      entities: [{ ...ANN, observations: ANN.observations.slice(1) }, OSLO],
      relations: [{ ...LIVES, relationType: 'was born in' }],
    });
    await app.call('delete_entities', { entityNames: [ANN.name, 'Nobody'] });
    expect(await graphOf(app)).toEqual({ entities: [OSLO], relations: [] });
    const { items } = await localClient(engine).facts({ scope });
    expect(JSON.stringify(items)).not.toContain('Norwegian');
    expect((await app.call('create_entities', { entities: [ANN] })).data).toEqual({ entities: [ANN] });
    expect((await graphOf(app)).entities).toEqual([OSLO, ANN]);
  });

  it('store nothing for an unknown entity', async () => {
    const app = await appOf();
    await app.call('create_entities', { entities: [OSLO] });
    const observations = [
      { entityName: 'Oslo', contents: ['new'] },
      { entityName: 'Bergen', contents: ['new'] },
    ];
    const { isError, text } = await app.call('add_observations', { observations });
    expect({ isError, text }).toMatchObject({
      isError: true,
      text: expect.stringContaining('Entity with name Bergen not found'),
    });
    expect(await graphOf(app)).toEqual({ entities: [OSLO], relations: [] });
  });

  it('lose no write of parallel calls and of several servers', async () => {
    const scope = 'parallel';
    const apps = [await appOf({ scope }), await appOf({ scope }), await appOf({ scope })];
    await apps[0]!.call('create_entities', { entities: [OSLO] });
    const texts = Array.from({ length: 24 }, (_, at) => `Fact ${String.fromCharCode(97 + at)}`);
    await Promise.all(
      texts.map((text, at) =>
        apps[at % 3]!.call('add_observations', { observations: [{ entityName: 'Oslo', contents: [text] }] }),
      ),
    );
    await Promise.all(apps.map((app) => app.call('create_entities', { entities: [ANN] })));
    const { entities } = await graphOf(apps[1]!);
    expect([...entities[0].observations].sort()).toEqual(texts);
    expect(entities.slice(1)).toEqual([ANN]);
  });

  it('bound their replies, and say how to go on', async () => {
    const app = await appOf();
    const words = 'a long observation about the parts of a machine '.repeat(4);
    const entities = Array.from({ length: 90 }, (_, at) => ({
      name: `part ${at}`,
      entityType: 'part',
      observations: [`${at} ${words}`, `${at} more ${words}`],
    }));
    const relations = entities
      .slice(1)
      .map(({ name }, at) => ({ from: name, to: `part ${at}`, relationType: 'is screwed to' }));
    await app.call('create_entities', { entities });
    await app.call('create_relations', { relations });
    const seen = { entities: [] as unknown[], relations: [] as unknown[] };
    let pages = 0;
    for (let after: string | undefined; ; ) {
      const { data, text } = await app.call('read_graph', after === undefined ? {} : { after });
      expect(text.length).toBeLessThan(60_000);
      seen.entities.push(...data.entities);
      seen.relations.push(...data.relations);
      pages++;
      if (data.next === undefined) break;
      expect(data.notice).toContain(`call read_graph with after ${JSON.stringify(data.next)}`);
      expect(text).toContain(data.notice);
      after = data.next;
    }
    expect(pages).toBeGreaterThan(1);
    expect(seen.entities).toEqual(entities);
    expect(new Set(seen.relations.map((each) => JSON.stringify(each)))).toEqual(
      new Set(relations.map((each) => JSON.stringify(each))),
    );
    const found = await app.call('search_nodes', { query: 'machine' });
    expect(found.data.notice).toContain('ask for fewer');
    const huge = {
      name: 'huge',
      entityType: 'x',
      observations: Array.from({ length: 300 }, (_, at) => `${at} ${words}`),
    };
    await app.call('create_entities', { entities: [huge] });
    const opened = await app.call('open_nodes', { names: ['huge'] });
    expect(opened.text.length).toBeLessThan(60_000);
    expect(opened.data.notice).toContain('left out');
  });

  it('read only, without the tools that write', async () => {
    const app = await appOf({ readOnly: true });
    expect((await app.client.listTools()).tools.map(({ name }) => name)).toEqual([
      'read_graph',
      'search_nodes',
      'open_nodes',
    ]);
  });

  it('see no other scope, and none of the other turns', async () => {
    await engine.scope('elsewhere').add(['Ann has a dog.']);
    const app = await appOf({ scope: 'elsewhere' });
    await app.call('create_entities', { entities: [OSLO] });
    expect(await graphOf(app)).toEqual({ entities: [OSLO], relations: [] });
    expect(await graphOf(await appOf())).toEqual({ entities: [], relations: [] });
  });
});

const LINES = [
  { type: 'entity', ...ANN },
  { type: 'relation', ...LIVES },
  { type: 'entity', ...OSLO, added: 'by another program' },
].map((line) => JSON.stringify(line));

describe('the file of server-memory', () => {
  it('is imported once, also where its last line was cut off, and is never written', async () => {
    const scope = 'file';
    const file = join(folder, 'memory.jsonl');
    const text = `${LINES.join('\n')}\n{"type":"entity","name":"half`;
    writeFileSync(file, text);
    const warnings: string[] = [];
    const first = await appOf({ scope, file, warnings });
    const whole = { entities: [ANN, OSLO], relations: [LIVES] };
    expect(await graphOf(first)).toEqual(whole);
    expect(warnings).toEqual([expect.stringContaining('1 lines of')]);
    await first.call('delete_relations', { relations: [LIVES] });
    await first.call('delete_observations', {
      deletions: [{ entityName: ANN.name, observations: ['Likes tea: green'] }],
    });
    const second = await appOf({ scope, file });
    expect(await graphOf(second)).toEqual({
      entities: [{ ...ANN, observations: ANN.observations.slice(1) }, OSLO],
      relations: [],
    });
    writeFileSync(
      file,
      `${LINES.join('\n')}\n${JSON.stringify({ type: 'entity', name: 'Bergen', entityType: 'city', observations: ['Rains'] })}`,
    );
    expect((await graphOf(await appOf({ scope, file }))).entities.at(-1)).toMatchObject({ name: 'Bergen' });
    expect(await graphOf(await appOf({ scope: 'no file', file: join(folder, 'none.jsonl') }))).toEqual({
      entities: [],
      relations: [],
    });
    expect(readFileSync(file, 'utf8')).toContain('Bergen');
  });

  it('is a format of "mnemis import"', async () => {
    using lab = new CommandLab();
    const file = lab.file('memory.jsonl', LINES.join('\n'));
    const told = await lab.run('import', file, '--json');
    expect(told.exitCode).toBe(0);
    expect(told.out).toContain('server-memory');
    const { facts } = (await lab.run('search', 'Where does Ann Smith live?', '--json')).json<{
      facts: { statement: string }[];
    }>();
    expect(facts.map(({ statement }) => statement)).toContain('Ann Smith "the cook" lives in Oslo');
    expect((await lab.run('import', file, '--json')).exitCode).toBe(0);
    expect((await lab.run('stats', '--json')).json<{ episodes: number }>().episodes).toBe(6);
  });
});
