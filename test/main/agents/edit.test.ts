import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOurs } from '../../../main/agents/install/agent-files.ts';
import { type ConfigEdit, withEdit, withoutEdit } from '../../../main/agents/install/config-edit.ts';
import type { JsonEntry } from '../../../main/agents/install/edit-json.ts';
import { lineChanges } from '../../../main/agents/install/line-changes.ts';

const FILE = '/home/ann/settings.json';
const HOOK = { hooks: [{ type: 'command', command: 'mnemis agent hook claude-code', timeout: 30 }] };
const ENTRIES: readonly JsonEntry[] = [
  { path: ['version'], value: 1, isDefault: true },
  { path: ['hooks', 'Stop'], value: HOOK, isElement: true },
  { path: ['hooks', 'SessionStart'], value: HOOK, isElement: true },
  { path: ['mcpServers', 'mnemis'], value: { command: 'mnemis', args: ['mcp', '--repository'] } },
];
const EDIT: ConfigEdit = { kind: 'json', entries: ENTRIES };

const TEXTS: Readonly<Record<string, string>> = {
  empty: '',
  'white space': '  \n\n',
  'an empty object': '{}',
  'an empty object on lines': '{\n}\n',
  'one line': '{"model":"opus"}',
  'one line with lists': '{ "model": "opus", "hooks": { "Stop": [ {"hooks": []} ] } }',
  comments: `{
  // which one
  "model": "opus", /* the best */
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] } // keep, really
    ],
    // none yet, // of these
  },
}
`,
  tabs: '{\n\t"permissions": {\n\t\t"allow": ["Bash(ls:*)"]\n\t},\n\t"hooks": {}\n}',
  'carriage returns':
    '{\r\n    "model": "opus",\r\n    "mcpServers": {\r\n        "other": { "command": "x" }\r\n    }\r\n}\r\n',
  'a byte order mark': '\ufeff{\n  "model": "opus"\n}\n',
  'a closing bracket beside its last': '{\n  "hooks": {\n    "Stop": [{ "hooks": [] }] }}\n',
  'trailing commas': '{\n  "hooks": { "Stop": [ { "hooks": [] }, ], },\n}\n',
};

/** As the agents read it. */
function asRead(text: string): Record<string, never> {
  const plain = text
    .replace(/^\ufeff/, '')
    .replace(/\/\*[^*]*\*\/|\/\/.*$/gm, '')
    .replace(/,(\s*[}\]])/g, '$1')
    .replace(/,(\s*[}\]])/g, '$1');
  return JSON.parse(plain);
}

describe('a configuration in JSON', () => {
  for (const [name, before] of Object.entries(TEXTS))
    it(`gets entries and gives them back byte for byte: ${name}`, () => {
      const { text, record } = withEdit(before, EDIT, FILE);
      const value = asRead(text) as never as {
        hooks: { Stop: unknown[]; SessionStart: unknown[] };
        version: number;
      };
      expect(value.hooks.Stop.at(-1)).toEqual(HOOK);
      expect(value.hooks.SessionStart).toEqual([HOOK]);
      expect(value).toMatchObject({ version: 1, mcpServers: { mnemis: { command: 'mnemis' } } });
      const put = record.insertions.reduce((rest, { text }) => rest + text.length, 0);
      expect(text).toHaveLength(before.length + put);
      if (text.includes('\r')) expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
      expect(withoutEdit(text, EDIT, { file: FILE, record, isOurs })).toBe(before);
      expect(withEdit(text, EDIT, FILE).text).toBe(text);
    });

  it('keeps what somebody wrote meanwhile', () => {
    for (const name of ['comments', 'tabs', 'carriage returns']) {
      const before = TEXTS[name]!;
      const { text, record } = withEdit(before, EDIT, FILE);
      const edited = text.replace('"opus"', '"sonnet"').replace('Bash(ls:*)', 'Bash(cat:*)');
      const wanted = before.replace('"opus"', '"sonnet"').replace('Bash(ls:*)', 'Bash(cat:*)');
      const rest = withoutEdit(edited, EDIT, { file: FILE, record, isOurs })!;
      // The version is nobody's: whoever edited the file may rely on it.
      const eol = before.includes('\r') ? '\r\n' : '\n';
      const lines = rest.split(eol).filter((line) => !line.includes('"version"'));
      expect(lines.map((line) => line.replace(/,$/, ''))).toEqual(
        wanted.split(eol).map((line) => line.replace(/,$/, '')),
      );
      expect(rest).not.toContain('mnemis');
    }
  });

  it('takes out hooks that somebody moved and changed', () => {
    const moved = `{"hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"mnemis agent hook claude-code --tokens 900"}]},{"hooks":[]}]}}`;
    expect(withoutEdit(moved, EDIT, { file: FILE, record: null, isOurs })).toBe(
      '{"hooks":{"Stop":[{"hooks":[]}]}}',
    );
  });

  it('keeps hooks that somebody put beside ours, and those of other programs', () => {
    const other = '{"hooks":[{"type":"command","command":"my-agent hook run"}]}';
    const { text, record } = withEdit(`{"hooks":{"Stop":[${other}]}}`, EDIT, FILE);
    const beside = '{"type":"command","command":"say done"}';
    const edited = text.replaceAll(/("mnemis agent hook claude-code","timeout":30\})/g, `$1,${beside}`);
    expect(edited).toContain('say done');
    const rest = JSON.parse(withoutEdit(edited, EDIT, { file: FILE, record, isOurs })!);
    expect(rest.hooks.Stop).toEqual([JSON.parse(other), { hooks: [JSON.parse(beside)] }]);
    expect(rest.hooks.SessionStart).toEqual([{ hooks: [JSON.parse(beside)] }]);
  });

  it('refuses what it cannot read or would replace', () => {
    for (const text of [
      '{"a": 1',
      '[]',
      '{"hooks": []}',
      '{"hooks": {"Stop": {}}}',
      'a = 1',
      '{"mcpServers": {"mnemis": {"command": "other"}}}',
    ])
      expect(() => withEdit(text, EDIT, FILE)).toThrow(/settings.json is left as it is/);
  });

  it('is undone whatever the configuration holds', () => {
    const keys = fc.constantFrom('hooks', 'Stop', 'mcpServers', 'model', 'a b', '"');
    const values = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.integer(),
        fc.string(),
        fc.boolean(),
        fc.array(tie('value')),
        tie('object'),
      ),
      object: fc.dictionary(keys, tie('value'), { maxKeys: 4 }),
    })).object;
    const indents = fc.constantFrom(undefined, 2, 4, '\t');
    fc.assert(
      fc.property(values, indents, (value, indent) => {
        const before = JSON.stringify(value, null, indent);
        let edited: ReturnType<typeof withEdit>;
        try {
          edited = withEdit(before, EDIT, FILE);
        } catch (error) {
          expect(String(error)).toContain('is left as it is');
          return;
        }
        expect(withoutEdit(edited.text, EDIT, { file: FILE, record: edited.record, isOurs })).toBe(before);
        const structural = withoutEdit(edited.text, EDIT, {
          file: FILE,
          record: { ...edited.record, digest: '' },
          isOurs,
        })!;
        const { version: _, ...rest } = JSON.parse(structural);
        const { version: __, ...wanted } = value as Record<string, unknown>;
        expect(rest).toEqual(wanted);
      }),
      { seed: 7, numRuns: 300 },
    );
  });
});

describe('a configuration in TOML', () => {
  const edit: ConfigEdit = {
    kind: 'toml',
    block: '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "mnemis agent hook codex"\n',
  };

  it('gets a block at its end and gives it back byte for byte', () => {
    for (const before of [
      '',
      'model = "o4" # mine\n',
      'model = "o4"',
      '[[hooks.Stop]]\r\n[[hooks.Stop.hooks]]\r\ncommand = "say"\r\n',
    ]) {
      const { text, record } = withEdit(before, edit, 'config.toml');
      expect(text).toContain('command = "mnemis agent hook codex"');
      expect(withoutEdit(text, edit, { file: 'config.toml', record, isOurs })).toBe(before);
      const more = `${text}\n[projects."/a"]\ntrust_level = "trusted"\n`;
      expect(withoutEdit(more, edit, { file: 'config.toml', record, isOurs })).toBe(
        `${before}\n[projects."/a"]\ntrust_level = "trusted"\n`,
      );
      expect(withoutEdit(more, edit, { file: 'config.toml', record: null, isOurs })).not.toContain('mnemis');
    }
  });

  it('keeps tables that Codex puts before the last line of the block', () => {
    const { text, record } = withEdit('model = "o4"\n', edit, 'config.toml');
    const added = '[projects."/a"]\ntrust_level = "trusted"\n';
    const grown = text.replace('# mnemis: end\n', `\n${added}# mnemis: end\n`);
    for (const known of [record, null])
      expect(withoutEdit(grown, edit, { file: 'config.toml', record: known, isOurs })).toBe(
        `model = "o4"\n\n${added}`,
      );
  });

  it('refuses what it cannot read, and what the block would break', () => {
    for (const text of ['model = ', 'hooks = 1\n', '[hooks]\nStop = []\n'])
      expect(() => withEdit(text, edit, 'config.toml')).toThrow(/config.toml is left as it is/);
  });
});

it('a file of ours goes, also where another machine wrote it, unless somebody has changed it', () => {
  const edit: ConfigEdit = { kind: 'own', text: '// Mnemis\nexport default 1;\n' };
  const { text, record } = withEdit('// Mnemis, an earlier one\n', edit, FILE);
  for (const known of [record, null])
    expect(withoutEdit(text, edit, { file: FILE, record: known, isOurs })).toBeNull();
  const changed = `${text}// mine\n`;
  expect(withoutEdit(changed, edit, { file: FILE, record, isOurs })).toBe(changed);
});

it('shows changes by line', () => {
  expect(lineChanges('a\nb\nc\nd\ne\nf\n', 'a\nb\nc\nx\nd\ne\nF\n')).toEqual([
    '…',
    '  b',
    '  c',
    '+ x',
    '  d',
    '  e',
    '- f',
    '+ F',
  ]);
  expect(lineChanges('', 'one\n')).toEqual(['+ one']);
});
