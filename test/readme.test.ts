import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { examplesOf } from './examples-of.ts';
import { CommandLab, ROOT } from './main/cli/fake-terminal.ts';

const readDocs = () =>
  ['README.md', 'docs/cli.md'].map((file) => readFileSync(join(ROOT, file), 'utf8')).join('\n');

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

describe('README and the page of the command line', () => {
  it('name commands that exist', async () => {
    using lab = new CommandLab();
    const named = new Set(commands(readDocs()));
    expect(named.size).toBeGreaterThan(0);
    for (const name of named) expect((await lab.run(name, '--help')).exitCode, name).toBe(0);
  });

  it('is read as meant', () => {
    const text =
      '<!-- runs -->\n```ts\na\n```\n```ts\nb\n```\n```bash\nmnemis ask "x"\nnpm run -s mnemis -- demo\n```';
    expect(examplesOf(text)).toEqual(['a\n']);
    expect(commands(text)).toEqual(['ask', 'demo']);
  });
});
