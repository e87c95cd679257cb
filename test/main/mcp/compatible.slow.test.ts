import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { programArguments } from '../../child-program.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { HookLab } from '../agents/hook-lab.ts';
import { MAIN } from '../cli/fake-terminal.ts';
import { App } from './mcp-lab.ts';

let lab: HookLab;
beforeAll(async () => {
  lab = new HookLab();
  await lab.start();
});
afterAll(() => lab[Symbol.asyncDispose]());

function ours(scope: string, env: Record<string, string> = {}): Promise<App> {
  const args = [...programArguments(MAIN), 'mcp', '--compatible', '--scope', scope];
  return App.over(
    new StdioClientTransport({ command: process.execPath, args, cwd: lab.home, env: { ...lab.env, ...env } }),
  );
}

/** The real package, on a file of its own. */
async function theirs(file: string): Promise<App> {
  const folder = freshFolder();
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const install = ['install', '--no-audit', '--no-fund', '@modelcontextprotocol/server-memory@2026.8.31'];
  execFileSync('npm', install, { cwd: folder, stdio: 'ignore', shell: process.platform === 'win32' });
  const args = [join(folder, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js')];
  return App.over(
    new StdioClientTransport({
      command: process.execPath,
      args,
      env: { MEMORY_FILE_PATH: file },
      stderr: 'ignore',
    }),
  );
}

const ANN = {
  name: 'Ann "the cook"',
  entityType: 'person',
  observations: ['Likes tea', 'Speaks\nNorwegian'],
};
const OSLO = { name: 'Oslo', entityType: 'city', observations: [] };
const LIVES = { from: ANN.name, to: 'Oslo', relationType: 'lives in' };
const DANGLING = { from: 'Oslo', to: 'Norway', relationType: 'is in' };
const CALLS: readonly (readonly [string, object])[] = [
  ['read_graph', {}],
  ['create_entities', { entities: [ANN, OSLO] }],
  [
    'create_entities',
    {
      entities: [
        { ...ANN, observations: ['other'] },
        { ...OSLO, name: 'oslo' },
      ],
    },
  ],
  ['create_relations', { relations: [LIVES, DANGLING] }],
  ['create_relations', { relations: [LIVES] }],
  ['add_observations', { observations: [{ entityName: 'Oslo', contents: ['Has a fjord', 'Is green'] }] }],
  [
    'add_observations',
    {
      observations: [
        { entityName: 'Oslo', contents: ['Has a fjord', 'Is old'] },
        { entityName: ANN.name, contents: [] },
      ],
    },
  ],
  ['read_graph', {}],
  ['search_nodes', { query: 'NORWEGIAN' }],
  ['search_nodes', { query: 'oslo' }],
  ['search_nodes', { query: 'xyzzy' }],
  ['open_nodes', { names: ['Oslo', 'Nobody'] }],
  ['open_nodes', { names: [] }],
  ['delete_observations', { deletions: [{ entityName: 'Oslo', observations: ['Is green', 'unknown'] }] }],
  ['delete_relations', { relations: [DANGLING, { ...LIVES, to: 'Nowhere' }] }],
  ['read_graph', {}],
  ['delete_entities', { entityNames: ['Nobody', 'oslo'] }],
  ['delete_entities', { entityNames: [ANN.name] }],
  ['read_graph', {}],
];

it('replies as the real server-memory does, and imports its file', async () => {
  const file = join(lab.home, 'theirs.jsonl');
  await using real = await theirs(file);
  await using own = await ours('replies');
  const tools = async (app: App) =>
    (await app.client.listTools()).tools.map(({ name, inputSchema }) => [name, inputSchema.required ?? []]);
  expect(await tools(own)).toEqual(await tools(real));
  for (const [name, input] of CALLS) {
    const [wanted, got] = [await real.call(name, input), await own.call(name, input)];
    expect({ name, ...got, code: undefined }).toEqual({ name, ...wanted, code: undefined });
  }
  const missing = { observations: [{ entityName: 'Nobody', contents: ['x'] }] };
  for (const app of [real, own])
    expect(await app.call('add_observations', missing)).toMatchObject({
      isError: true,
      text: expect.stringContaining('Entity with name Nobody not found'),
    });
  await real.call('create_entities', { entities: [ANN] });
  await real.call('create_relations', { relations: [LIVES] });
  await using imported = await ours('imported', { MEMORY_FILE_PATH: file });
  expect((await imported.call('read_graph')).data).toEqual((await real.call('read_graph')).data);
});

it('two processes that write at once lose nothing', async () => {
  await using one = await ours('two');
  await using other = await ours('two');
  await one.call('create_entities', { entities: [OSLO] });
  const texts = Array.from({ length: 20 }, (_, at) => `Fact ${String.fromCharCode(97 + at)}`);
  await Promise.all(
    texts.map((text, at) =>
      [one, other][at % 2]!.call('add_observations', {
        observations: [{ entityName: 'Oslo', contents: [text] }],
      }),
    ),
  );
  const [first] = (await one.call('read_graph')).data.entities;
  expect([...first.observations].sort()).toEqual(texts);
});
