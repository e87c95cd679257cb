import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { specSchema } from '../../eval/run/spec.ts';
import { configSchema } from '../../main/config.ts';
import { endSchema, headerSchema, lineSchema } from '../../src/files/archive/archive-format.ts';
import { turnInputSchema } from '../../src/model/turn-input.ts';
import { groupBy } from '../../src/util/collections.ts';
import { blocksOf, type DocumentedBlock, documentedBlocks, documents } from '../documented-blocks.ts';
import { examplesOf, isMarked, isShown } from '../examples-of.ts';
import { CommandLab, ROOT } from '../main/cli/fake-terminal.ts';
import { commandsOf, mnemisArguments, problemOf } from './shell-lines.ts';

/** Pages whose blocks have a test of their own. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'docs/api-report.md': 'test/architecture/public-api.slow.test.ts',
  'docs/studio.md': 'test/main/studio/documented-session.slow.test.ts',
};
const BLOCKS = documentedBlocks().filter(({ file }) => !Object.hasOwn(ELSEWHERE, file));
/** Decisions say what was, with the names of their day. */
const isHistory = (file: string) => file.startsWith('docs/decisions/');
const ofLanguage = (language: string) => BLOCKS.filter((block) => block.language === language);

const server = z.union([
  z.strictObject({
    type: z.literal('stdio').optional(),
    command: z.literal('npx'),
    args: z.array(z.string()),
    env: z.record(z.string(), z.string()).optional(),
  }),
  z.strictObject({
    type: z.literal('http'),
    url: z.url(),
    headers: z.strictObject({ Authorization: z.string().startsWith('Bearer ') }),
  }),
]);
const input = z.strictObject({
  type: z.literal('promptString'),
  id: z.string(),
  description: z.string(),
  password: z.boolean(),
});
/** What a `json` block may be: each form has a key that no other has. */
const FORMS: readonly (readonly [key: string, schema: z.ZodType])[] = [
  ['rows', specSchema],
  ['mcpServers', z.strictObject({ mcpServers: z.record(z.string(), server) })],
  ['servers', z.strictObject({ inputs: z.array(input).optional(), servers: z.record(z.string(), server) })],
  ['content', turnInputSchema],
  ['format', headerSchema],
  ['end', endSchema],
  ['node', lineSchema],
  ['relationship', lineSchema],
];

function formOf(value: unknown): z.ZodType {
  const keys = Object.keys(z.looseObject({}).parse(value));
  return FORMS.find(([key]) => keys.includes(key))?.[1] ?? configSchema.partial();
}

/** The documents of a block: one, or one a line. */
function valuesOf({ code, place }: DocumentedBlock): unknown[] {
  try {
    return [JSON.parse(code)];
  } catch {
    const lines = code.trim().split('\n');
    expect(lines.length, place).toBeGreaterThan(1);
    return lines.map((line) => JSON.parse(line));
  }
}

describe('the blocks of the documents', () => {
  it('have a language that is checked, or say why they are not', () => {
    const checked = ['sh', 'json', 'mermaid'];
    const open = BLOCKS.filter(
      (block) => !checked.includes(block.language) && !block.isOutput && !isMarked(block),
    );
    expect(open.map(({ place, language }) => `${place} ${language}`)).toEqual([]);
    const languages = new Set(BLOCKS.map(({ language }) => language));
    expect(languages).toEqual(new Set([...checked, 'ts', 'text']));
  });

  it('show output only where something has printed it', () => {
    const claimed = BLOCKS.filter(({ output }) => output !== null);
    const runs = (mark: string | null) => mark?.startsWith('runs') === true;
    expect(claimed.filter(({ mark }) => !runs(mark)).map(({ place }) => place)).toEqual([]);
  });

  it('have a test of their own where they are left out', () => {
    for (const [page, file] of Object.entries(ELSEWHERE)) {
      expect(documents()).toContain(page);
      expect(readFileSync(join(ROOT, file), 'utf8')).not.toBe('');
    }
  });

  // All commands are loaded.
  it('name commands and flags that exist', async () => {
    const found: string[] = [];
    for (const { place, code, mark } of ofLanguage('sh'))
      for (const words of code.split('\n').flatMap(commandsOf)) {
        const problem =
          mark?.startsWith('not run: ') === true && mnemisArguments(words) === null
            ? null
            : await problemOf(words);
        if (problem !== null) found.push(`${place}: ${problem}`);
      }
    expect(found).toEqual([]);
  });

  it('and sentences name commands and flags that exist', async () => {
    const found: string[] = [];
    let count = 0;
    for (const file of documents().filter((each) => !Object.hasOwn(ELSEWHERE, each) && !isHistory(each)))
      for (const [, code] of readFileSync(join(ROOT, file), 'utf8').matchAll(
        /(?<!`)`((?:mnemis|npm run) [^`]+)`/g,
      )) {
        // A pattern of several commands; a name in traces.
        if (/[[|…<]/.test(code!) || code === 'mnemis recall') continue;
        count += 1;
        const problem = await problemOf(commandsOf(code!)[0]!);
        if (problem !== null && !/other arguments/.test(problem)) found.push(`${file}: ${code}: ${problem}`);
      }
    expect(count).toBeGreaterThan(50);
    expect(found).toEqual([]);
  });

  it('hold JSON of a form that is read', async () => {
    for (const block of ofLanguage('json')) {
      // Written for commands that read it, or a part of something.
      const isExcerpt = /^(?:not run: |file )/.test(block.mark ?? '');
      for (const value of valuesOf(block)) {
        if (isExcerpt) continue;
        const { error } = formOf(value).safeParse(value);
        expect(error?.message, block.place).toBeUndefined();
        for (const [, args] of JSON.stringify(value).matchAll(/"args":(\[[^\]]*\])/g))
          expect(await problemOf(['npx', ...JSON.parse(args!)]), block.place).toBeNull();
      }
    }
  });
});

/** A JSON block that the commands of its page read, under this name. */
const FILE = /^file (\S+)$/;

/** Blocks of the command line that run, by page: those of one page share a memory, in their order. */
const SESSIONS = groupBy(
  BLOCKS.filter(
    ({ language, mark }) => mark !== null && (language === 'sh' ? mark === 'runs' : FILE.test(mark)),
  ),
  ({ file }) => file,
);

it.each([...SESSIONS])('commands that show what they print in %s', async (_file, blocks) => {
  using lab = new CommandLab();
  for (const { place, code, output, mark } of blocks) {
    const [, file] = FILE.exec(mark!) ?? [];
    if (file !== undefined) {
      lab.file(file, code);
      continue;
    }
    let printed = '';
    for (const words of code.split('\n').flatMap(commandsOf)) {
      const argv = mnemisArguments(words);
      expect(argv, place).not.toBeNull();
      const { out, err, exitCode } = await lab.run(...argv!);
      expect([exitCode, exitCode === 0 ? '' : err], place).toEqual([0, '']);
      printed += out;
    }
    if (output !== null && !isShown(output, printed)) expect(printed, place).toBe(output);
  }
});

describe('the reading of documents', () => {
  const TEXT = [
    '<!-- runs -->\n```ts\na();\n```\n\n```text\n1\n```',
    'More:\n\n<!-- runs on -->\n```ts\nb();\n```\n\n```text\n2 … 3\n```',
    '<!-- not run: needs a server -->\n```ts\nc();\n```\n\nA sentence.\n\n```text\n4\n```\n',
  ].join('\n\n');

  it('knows what is output, and of what', () => {
    const blocks = blocksOf(TEXT, 'page.md');
    expect(blocks.map(({ mark, output, isOutput }) => ({ mark, output, isOutput }))).toEqual([
      { mark: 'runs', output: '1\n', isOutput: false },
      { mark: null, output: null, isOutput: true },
      { mark: 'runs on', output: '2 … 3\n', isOutput: false },
      { mark: null, output: null, isOutput: true },
      { mark: 'not run: needs a server', output: null, isOutput: false },
      { mark: null, output: null, isOutput: false },
    ]);
    expect(blocks[2]?.place).toBe('page.md:13');
    expect(() => blocksOf('```ts\na();\n', 'page.md')).toThrow('page.md:1: the block does not end');
  });

  it('joins what continues, and leaves out what does not run', () => {
    expect(examplesOf(TEXT)).toEqual(['a();\n\nb();\n']);
  });

  it('wants a reason from what does not run', () => {
    const marked = (mark: string) => isMarked(blocksOf(`<!-- ${mark} -->\n\`\`\`ts\na\n\`\`\``, '')[0]!);
    expect(['runs', 'runs on', 'not run: needs a key', 'runs with the embedder hashing'].every(marked)).toBe(
      true,
    );
    expect(['not run', 'not run: ', 'ignored'].some(marked)).toBe(false);
  });

  it('compares output, with … for the rest of a line', () => {
    expect(isShown('id …, 2 (x)\nb\n', 'id 01a2, 2 (x)\nb\n')).toBe(true);
    expect(isShown('id …\n', 'id 1\nmore\n')).toBe(false);
    expect(isShown('a.c\n', 'abc\n')).toBe(false);
  });

  it('finds the commands of a line', () => {
    expect(commandsOf('A=1 mnemis ask "who? # me" --k 3 # a comment')).toEqual([
      ['mnemis', 'ask', 'who? # me', '--k', '3'],
    ]);
    expect(commandsOf("npm ci && npm run demo -- 'x y'")).toEqual([
      ['npm', 'ci'],
      ['npm', 'run', 'demo', '--', 'x y'],
    ]);
  });

  it.each([
    ['mnemis recall', /no command recall/],
    ['mnemis server begin', /no command begin in server/],
    ['mnemis ask "x" --answers 3', /ask has no flag --answers/],
    ['mnemis ask "x" --k many', /must be a whole number/],
    ['mnemis ask', /takes other arguments/],
    ['npm run nothing', /no script nothing/],
    ['npx vitest run test/nothing', /no file test/],
    ['curl example.org', /nothing checks/],
  ])('refuses %s', async (line, problem) => {
    expect(await problemOf(commandsOf(line)[0]!)).toMatch(problem);
  });
});
