import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { describe, expect, it } from 'vitest';
import { CommandLab } from '../cli/fake-terminal.ts';
import { App } from './mcp-lab.ts';

function appOf(url: string, token: string): Promise<App> {
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  return App.over(new StreamableHTTPClientTransport(new URL(url), { requestInit }) as Transport, false);
}

describe('mnemis mcp --http', () => {
  it('prints its address and a token, and serves one scope until it is stopped', async () => {
    using lab = new CommandLab();
    let printed = '';
    const ready = new Promise<void>((resolve) => {
      lab.onError = (text) => {
        printed += text;
        if (printed.includes('Token: ')) resolve();
      };
    });
    const running = lab.run('mcp', '--http', '--path', ':memory:', '--scope', 'ann', '--trust', 'normal');
    await ready;
    const [, url = ''] = /at (http:\S+)/.exec(printed) ?? [];
    const [, token = ''] = /Token: (\S+)/.exec(printed) ?? [];
    const app = await appOf(url, token);
    const { data } = await app.call('remember', { content: 'I moved to Turin.', speaker: 'Ann' });
    expect(data.status).toBe('added');
    expect((await app.call('memory_stats')).data).toMatchObject({ scope: 'ann', turns: 1 });
    await app.client.close();
    lab.signals.emit('SIGTERM');
    expect(await running).toMatchObject({ exitCode: 0, out: '' });
  });

  it('uses the given token and rights', async () => {
    using lab = new CommandLab();
    const token = 'a-token-of-my-own-that-is-long-enough';
    lab.env.MNEMIS_MCP_TOKEN = token;
    const ready = new Promise<string>((resolve) => {
      lab.onError = (text) => {
        const [, url] = /at (http:\S+)/.exec(text) ?? [];
        if (url !== undefined) resolve(url);
      };
    });
    const running = lab.run('mcp', '--http', '--path', ':memory:', '--read-only');
    const app = await appOf(await ready, token);
    const { tools } = await app.client.listTools();
    expect(tools.map(({ name }) => name)).not.toContain('remember');
    await app.client.close();
    lab.signals.emit('SIGINT');
    const { exitCode, err } = await running;
    expect(exitCode).toBe(0);
    expect(err).not.toContain(token);
  });

  it('does not start with invalid settings', async () => {
    using lab = new CommandLab();
    const wrong = [
      ['--http', '0'],
      ['--http', '70000'],
      ['--k', 'x'],
      ['--trust', 'total'],
      ['--scope', ' '],
    ];
    for (const flags of wrong)
      expect(await lab.run('mcp', ...flags), flags.join(' ')).toMatchObject({ exitCode: 2, out: '' });
    lab.env.MNEMIS_MCP_TOKEN = 'short';
    const { exitCode, err } = await lab.run('mcp', '--http');
    expect(exitCode).toBe(2);
    expect(err).toContain('MNEMIS_MCP_TOKEN must have 32 to 200');
    expect(err).not.toContain('short');
  });
});
