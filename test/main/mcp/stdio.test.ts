import { Console } from 'node:console';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findEngine } from '../../../main/client/find-engine.ts';
import { resolveConfig } from '../../../main/config.ts';
import { protocolOutput, serveStdio } from '../../../main/mcp/serve-stdio.ts';
import { runEngine } from '../../../main/processes/run-engine.ts';
import { programArguments } from '../../child-program.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';
import { MAIN } from '../cli/fake-terminal.ts';
import { App, McpLab } from './mcp-lab.ts';

describe('"mnemis mcp" over standard input and output', () => {
  const folder = freshFolder();
  const database = join(folder, 'memory.db');
  const stop = new AbortController();
  let engine: Promise<void>;
  beforeAll(async () => {
    const flags = { path: database };
    const { values } = resolveConfig({ flags, environment: {}, folder });
    await new Promise<void>((resolve, reject) => {
      engine = runEngine(values, {
        ...{ environment: {}, idleMinutes: null, signal: stop.signal, logger: { warn: () => undefined } },
        onListening: () => resolve(),
      });
      engine.catch(reject);
    });
  });
  afterAll(async () => {
    stop.abort();
    await engine;
  });

  it('uses the running engine, and ends with its client', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...programArguments(MAIN), 'mcp', '--path', database, '--scope', 'ann'],
      cwd: folder,
      stderr: 'pipe',
    });
    let noise = '';
    transport.stderr!.on('data', (chunk) => {
      noise += chunk;
    });
    const app = await App.over(transport);
    const said = await app.call('remember', { content: 'Ann keeps her skis in the attic.', speaker: 'Ann' });
    expect(said.data).toMatchObject({ status: 'added' });
    const { client } = (await findEngine(database))!;
    const found = await client.search({ scope: 'ann', query: 'Where are the skis?' });
    expect(found.episodes[0]).toMatchObject({ id: said.data.id, source: 'mcp', speaker: 'Ann' });
    expect(await client.scopes({})).toEqual(['ann']);
    expect(await app.read(said.data.uri)).toMatchObject({ content: 'Ann keeps her skis in the attic.' });
    const ponds = Array.from({ length: 40 }, (_, at) => ({ content: `A heron stood at pond ${at}.` }));
    await client.add({ scope: 'ann', turns: ponds });
    const { text } = await app.call('search_memory', { question: 'Where was a heron?' });
    for (const { content } of ponds) expect(text).toContain(content);
    const { pid } = transport;
    await app.client.close();
    expect(() => process.kill(pid!, 0)).toThrow('ESRCH');
    expect(noise).toBe('');
  });
});

describe('serveStdio', () => {
  let lab: McpLab;
  beforeAll(async () => {
    lab = await McpLab.open();
  });
  afterAll(() => lab[Symbol.asyncDispose]());

  function terminal() {
    const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
    return { stdin, stdout, stderr };
  }

  it('ends with its input, with the signal, and with a reader that has disconnected', async () => {
    const endings: readonly ((ends: ReturnType<typeof terminal>, stop: AbortController) => void)[] = [
      ({ stdin }) => stdin.end(),
      ({ stdin }) => stdin.destroy(),
      (_, stop) => stop.abort(),
    ];
    for (const end of endings) {
      const [ends, stop] = [terminal(), new AbortController()];
      const served = serveStdio(lab.server(), { terminal: ends, signal: stop.signal });
      end(ends, stop);
      await served;
    }
    const ends = terminal();
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) });
    stdout.on('error', () => undefined);
    const { signal } = new AbortController();
    const served = serveStdio(lab.server(), { terminal: { ...ends, stdout }, signal });
    ends.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n`);
    await served;
  });

  it('continues after a line that is no message, without repeating its text', async () => {
    const ends = terminal();
    const served = serveStdio(lab.server(), { terminal: ends, signal: new AbortController().signal });
    ends.stdin.write('my diary {\n{"diary": 1}\n');
    ends.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'ping' })}\n`);
    const [line] = await once(ends.stdout, 'data');
    expect(JSON.parse(String(line))).toEqual({ jsonrpc: '2.0', id: 7, result: {} });
    ends.stdin.end();
    await served;
    expect(lab.warnings.join()).toContain('could not be handled (SyntaxError)');
    expect(lab.warnings.join()).not.toContain('diary');
  });
});

it('protocolOutput keeps other output out of the protocol, until it is restored', async () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const output = protocolOutput({ stdout, stderr });
  const other = new Console(stdout);
  other.log('a library says hello');
  output.stream.write('{"jsonrpc":"2.0"}\n');
  output.release();
  other.log('as ever');
  stdout.end();
  stderr.end();
  expect(await text(stdout)).toBe('{"jsonrpc":"2.0"}\nas ever\n');
  expect(await text(stderr)).toBe('a library says hello\n');
});
