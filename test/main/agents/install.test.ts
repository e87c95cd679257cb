import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import { HOOKED_AGENTS } from '../../../main/agents/hook-event.ts';
import { CommandLab, ROOT } from '../cli/fake-terminal.ts';

class InstallLab extends CommandLab {
  constructor() {
    super();
    this.env.HOME = this.folder;
    mkdirSync(join(this.folder, '.git'));
  }

  put(name: string, text: string): string {
    const path = join(this.folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  json(name: string) {
    return JSON.parse(this.read(name));
  }

  /** All files but Mnemis's own, by name. */
  files(): Record<string, string> {
    const names = readdirSync(this.folder, { recursive: true, encoding: 'utf8' });
    const own = names.filter(
      (name) => !name.startsWith('data') && statSync(join(this.folder, name)).isFile(),
    );
    return Object.fromEntries(own.sort().map((name) => [name, this.read(name)]));
  }
}

const EXISTING: Readonly<Record<string, string>> = {
  '.claude/settings.json':
    '{\n  "model": "opus",\n  "hooks": {\n    "Stop": [\n      { "hooks": [{ "type": "command", "command": "say done" }] }\n    ]\n  }\n}\n',
  '.claude.json':
    '{"numStartups":12,"mcpServers":{"other":{"command":"x"}},"projects":{"/a":{"history":[]}}}',
  '.codex/config.toml': '# mine\r\nmodel = "o4"\r\n\r\n[mcp_servers.other]\r\ncommand = "x"\r\n',
  '.cursor/hooks.json': '{\n\t"version": 1,\n\t"hooks": {\n\t\t"stop": [{ "command": "./audit.sh" }]\n\t}\n}',
  '.cursor/mcp.json': '{}',
  '.config/opencode/opencode.jsonc': '{\n  // the model\n  "model": "x/y", // fast\n  "mcp": {},\n}\n',
  '.openclaw/openclaw.json':
    '{\n  "agents": {},\n  "plugins": { "entries": { "other": { "enabled": true } } },\n}\n',
};

describe('mnemis agent install', () => {
  it('writes what each agent reads, and uninstalls it byte for byte', async () => {
    for (const files of [{}, EXISTING])
      for (const agent of HOOKED_AGENTS) {
        using lab = new InstallLab();
        for (const [name, text] of Object.entries(files)) lab.put(name, text);
        const before = lab.files();
        const dry = await lab.run('agent', 'install', agent, '--dry-run');
        expect(dry.out, agent).toContain('+ ');
        expect(dry.out).toContain('Nothing was changed.');
        expect(lab.files()).toEqual(before);
        const done = await lab.run('agent', 'install', agent, '--yes', '--json');
        expect(done, agent).toMatchObject({ exitCode: 0, err: '' });
        expect(done.json()).toMatchObject({ agent, changed: true });
        expect(lab.files()).not.toEqual(before);
        expect((await lab.run('agent', 'install', agent, '--yes')).out).toContain('has it already');
        const { agents } = (await lab.run('agent', 'status', '--json')).json<{
          agents: { agent: string; project: boolean; installed: boolean }[];
        }>();
        expect(agents.filter(({ installed, project }) => installed && !project)).toMatchObject([
          { agent, project: false },
        ]);
        expect((await lab.run('agent', 'uninstall', agent, '--yes')).exitCode).toBe(0);
        expect(lab.files()).toEqual(before);
        expect((await lab.run('agent', 'uninstall', agent, '--yes')).out).toContain('has nothing of it');
      }
  });

  it('keeps what the files have, in the forms that the agents document', async () => {
    using lab = new InstallLab();
    for (const [name, text] of Object.entries(EXISTING)) lab.put(name, text);
    for (const agent of HOOKED_AGENTS)
      await lab.run('agent', 'install', agent, '--yes', '--scope', 'ann smith');
    const claude = lab.json('.claude/settings.json');
    expect(Object.keys(claude.hooks)).toEqual(['Stop', 'SessionStart', 'UserPromptSubmit', 'SessionEnd']);
    expect(claude.hooks.Stop).toHaveLength(2);
    expect(claude.hooks.Stop[1].hooks[0]).toMatchObject({ type: 'command', timeout: 30 });
    expect(claude.hooks.Stop[1].hooks[0].command).toMatch(/agent hook claude-code --scope "ann smith"$/);
    expect(lab.json('.claude.json')).toMatchObject({
      numStartups: 12,
      mcpServers: {
        other: { command: 'x' },
        mnemis: { type: 'stdio', args: expect.arrayContaining(['mcp', '--repository']) },
      },
    });
    const codex = parse(lab.read('.codex/config.toml')) as {
      hooks: Record<string, { hooks: object[] }[]>;
      mcp_servers: object;
    };
    expect(Object.keys(codex.hooks)).toEqual(['SessionStart', 'UserPromptSubmit', 'Stop']);
    expect(codex.hooks.Stop![0]!.hooks).toMatchObject([{ type: 'command', timeout: 30 }]);
    expect(codex.mcp_servers).toMatchObject({
      other: { command: 'x' },
      mnemis: { args: expect.arrayContaining(['--repository']) },
    });
    expect(lab.json('.cursor/hooks.json')).toMatchObject({
      version: 1,
      hooks: {
        stop: [{}],
        sessionStart: [{ timeout: 30 }],
        beforeSubmitPrompt: [{}],
        afterAgentResponse: [{}],
      },
    });
    expect(lab.json('.cursor/mcp.json').mcpServers.mnemis.args).toContain('$' + '{workspaceFolder}');
    expect(lab.read('.config/opencode/opencode.jsonc')).toContain('"model": "x/y", // fast');
    expect(lab.read('.config/opencode/plugins/mnemis.js')).toMatch(
      /const COMMAND = \[.*"agent","hook","opencode","--scope","ann smith"\];/,
    );
    const { plugins } = JSON.parse(lab.read('.openclaw/openclaw.json').replace(/,\n}/, '\n}'));
    expect(plugins).toMatchObject({
      load: { paths: [join(ROOT, 'plugin')] },
      slots: { memory: 'mnemis' },
      entries: {
        other: { enabled: true },
        mnemis: { enabled: true, hooks: { allowConversationAccess: true } },
      },
    });
  });

  it('writes the configuration of a project without places of this machine', async () => {
    using lab = new InstallLab();
    for (const agent of ['claude-code', 'codex', 'cursor', 'opencode'])
      expect((await lab.run('agent', 'install', agent, '--project', '--yes')).exitCode).toBe(0);
    expect(Object.keys(lab.files()).sort()).toEqual([
      '.claude/settings.json',
      '.codex/config.toml',
      '.cursor/hooks.json',
      '.cursor/mcp.json',
      '.mcp.json',
      '.opencode/plugins/mnemis.js',
      'opencode.json',
    ]);
    for (const text of Object.values(lab.files())) expect(text).not.toContain(ROOT);
    expect(lab.json('.mcp.json').mcpServers.mnemis).toMatchObject({
      command: 'npx',
      args: ['-y', 'mnemis', 'mcp', '--repository'],
    });
    expect((await lab.run('agent', 'install', 'openclaw', '--project', '--yes')).exitCode).toBe(2);
  });

  it('takes out what it wrote after somebody edited the file, and nothing else', async () => {
    using lab = new InstallLab();
    for (const [name, text] of Object.entries(EXISTING)) lab.put(name, text);
    for (const agent of HOOKED_AGENTS) await lab.run('agent', 'install', agent, '--yes');
    lab.put('.claude/settings.json', lab.read('.claude/settings.json').replace('"opus"', '"sonnet"'));
    lab.put(
      '.codex/config.toml',
      `${lab.read('.codex/config.toml')}\n[projects."/a"]\ntrust_level = "trusted"\n`,
    );
    lab.put(
      '.config/opencode/opencode.jsonc',
      lab.read('.config/opencode/opencode.jsonc').replace('fast', 'slow'),
    );
    for (const agent of HOOKED_AGENTS) await lab.run('agent', 'uninstall', agent, '--yes');
    expect(lab.read('.claude/settings.json')).toBe(
      EXISTING['.claude/settings.json']!.replace('"opus"', '"sonnet"'),
    );
    expect(lab.read('.codex/config.toml')).toBe(
      `${EXISTING['.codex/config.toml']}\n[projects."/a"]\ntrust_level = "trusted"\n`,
    );
    expect(lab.read('.config/opencode/opencode.jsonc')).toBe(
      EXISTING['.config/opencode/opencode.jsonc']!.replace('fast', 'slow'),
    );
    expect(existsSync(join(lab.folder, '.config/opencode/plugins/mnemis.js'))).toBe(false);
  });

  it('refuses files that it cannot read or would have to change, and leaves all as they are', async () => {
    const broken: readonly (readonly [string, string, string])[] = [
      ['claude-code', '.claude/settings.json', '{"hooks": '],
      ['claude-code', '.claude.json', '{"mcpServers": {"mnemis": {"command": "mine"}}}'],
      ['codex', '.codex/config.toml', 'model = \n'],
      ['cursor', '.cursor/hooks.json', '{"version": 1, "hooks": []}'],
      ['opencode', '.config/opencode/plugins/mnemis.js', 'export const Mine = 1;\n'],
      ['openclaw', '.openclaw/openclaw.json', "{ plugins: { slots: { memory: 'memory-lancedb' } } }"],
      ['openclaw', '.openclaw/openclaw.json', '{ "plugins": { "slots": { "memory": "memory-lancedb" } } }'],
    ];
    for (const [agent, name, text] of broken) {
      using lab = new InstallLab();
      lab.put(name, text);
      const { exitCode, err } = await lab.run('agent', 'install', agent, '--yes');
      expect(exitCode, name).toBe(1);
      expect(err).toContain('is left as it is');
      expect(lab.files()).toEqual({ [name]: text });
    }
  });

  it('asks, keeps the rights of a file, and writes through a link', async () => {
    using lab = new InstallLab();
    expect(await lab.run('agent', 'install', 'codex')).toMatchObject({ exitCode: 2 });
    expect(lab.files()).toEqual({});
    const target = lab.put('dotfiles/config.toml', 'model = "o4"\n');
    chmodSync(target, 0o640);
    mkdirSync(join(lab.folder, '.codex'));
    symlinkSync(target, join(lab.folder, '.codex/config.toml'));
    await lab.run('agent', 'install', 'codex', '--yes');
    expect(lstatSync(join(lab.folder, '.codex/config.toml')).isSymbolicLink()).toBe(true);
    expect(readFileSync(target, 'utf8')).toContain('mnemis');
    if (process.platform !== 'win32') expect(statSync(target).mode & 0o777).toBe(0o640);
  });
});

describe('the plugin', () => {
  it('calls the same commands, and has the version of the package', () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    const manifests = [
      '.claude-plugin/plugin.json',
      '.codex-plugin/plugin.json',
      '.cursor-plugin/plugin.json',
      'openclaw.plugin.json',
      'package.json',
    ];
    for (const name of manifests)
      expect(JSON.parse(readFileSync(join(ROOT, 'plugin', name), 'utf8')).version, name).toBe(version);
    for (const [name, agent] of [
      ['hooks', 'claude-code'],
      ['codex-hooks', 'codex'],
      ['cursor-hooks', 'cursor'],
    ] as const) {
      const text = readFileSync(join(ROOT, 'plugin/hooks', `${name}.json`), 'utf8');
      expect([...text.matchAll(/"command": "([^"]*)"/g)].map(([, command]) => command)).toEqual(
        Array(agent === 'claude-code' ? 4 : 3).fill(`mnemis agent hook ${agent}`),
      );
    }
  });
});
