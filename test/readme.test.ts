import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { CommandLab, ROOT } from './main/cli/fake-terminal.ts';

const ENTRY = pathToFileURL(join(ROOT, 'src/index.ts')).href;
const readReadme = () => readFileSync(join(ROOT, 'README.md'), 'utf8');

/** TypeScript blocks under the comment `<!-- runs -->`, or `<!-- runs with the embedder NAME -->` in place of its own. */
function examples(markdown: string): string[] {
  const blocks = markdown.matchAll(/<!-- runs(?: with the embedder (\w+))? -->\s*```ts\n([\s\S]*?)```/g);
  return [...blocks].map(([, embedder, code]) =>
    embedder === undefined ? code! : code!.replace(/name: '[^']+'/, `name: '${embedder}'`),
  );
}

/** Words after `mnemis` (or `npm run mnemis --`) at the start of a line in a shell block. */
function commands(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/```(?:bash|sh|shell|console)\n([\s\S]*?)```/g)].map(
    (match) => match[1]!,
  );
  return blocks.flatMap((block) =>
    [...block.matchAll(/^(?:\$ )?(?:npx )?(?:npm run (?:-s )?)?mnemis (?:-- )?([a-z]+)/gm)].map(
      (match) => match[1]!,
    ),
  );
}

function runExample(code: string) {
  const folder = mkdtempSync(join(tmpdir(), 'mnemis-readme-'));
  try {
    const file = join(folder, 'example.mts');
    writeFileSync(file, code.replaceAll(/from (['"])mnemis\1/g, `from '${ENTRY}'`));
    const tsx = import.meta.resolve('tsx');
    return spawnSync(process.execPath, ['--import', tsx, file], { cwd: folder, encoding: 'utf8' });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('README', () => {
  it('has TypeScript examples, and each runs as it stands', { timeout: 120_000 }, () => {
    const found = examples(readReadme());
    expect(found.length).toBeGreaterThan(0);
    for (const code of found) {
      const { status, stdout, stderr } = runExample(code);
      expect(status, stderr).toBe(0);
      expect(stdout.trim()).not.toBe('');
    }
  });

  it('names commands that exist', async () => {
    using lab = new CommandLab();
    const named = new Set(commands(readReadme()));
    expect(named.size).toBeGreaterThan(0);
    for (const name of named) expect((await lab.run(name, '--help')).exitCode, name).toBe(0);
  });

  it('is read as meant', () => {
    const text =
      '<!-- runs -->\n```ts\na\n```\n```ts\nb\n```\n```bash\nmnemis ask "x"\nnpm run -s mnemis -- demo\n```';
    expect(examples(text)).toEqual(['a\n']);
    expect(commands(text)).toEqual(['ask', 'demo']);
  });
});
