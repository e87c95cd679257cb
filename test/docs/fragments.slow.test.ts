import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import { documentedFragments } from '../examples-of.ts';
import { ROOT } from '../main/cli/fake-terminal.ts';

const TSC = join(ROOT, 'node_modules/typescript-7/bin/tsc');
const FRAGMENTS = documentedFragments();
const DECLARATIONS = ['test/fixtures/documented-names.d.ts', 'src/search/kernels/webassembly.d.ts'];

/** Names of the package, as their source. */
const paths = Object.fromEntries(
  Object.entries(manifest.exports).flatMap(([name, entry]) =>
    typeof entry === 'string'
      ? []
      : [
          [
            `mnemis${name.slice(1)}`,
            [join(ROOT, entry.default.replace('./dist/', '').replace(/\.js$/, '.ts'))],
          ],
        ],
  ),
);

it('has types by which parts of programs in the documents check', () => {
  expect(FRAGMENTS.length).toBeGreaterThan(10);
  // Where packages of the checkout are found.
  mkdirSync(join(ROOT, 'node_modules/.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, 'node_modules/.cache/fragments-'));
  try {
    const files = FRAGMENTS.map(({ name, code }) => {
      const file = `${name.replaceAll(/[^\w.-]/g, '-')}.ts`;
      // Some import files of the checkout, as a program in its root does.
      writeFileSync(join(folder, file), `${code.replaceAll("from './", `from '${ROOT}/`)}export {};\n`);
      return file;
    });
    const compilerOptions = {
      paths,
      rewriteRelativeImportExtensions: false,
      incremental: false,
      tsBuildInfoFile: null,
    };
    const settings = {
      extends: join(ROOT, 'tsconfig.json'),
      compilerOptions,
      include: [],
      files: [...files, ...DECLARATIONS.map((file) => join(ROOT, file))],
    };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
    const { stdout } = spawnSync(process.execPath, [TSC, '-p', folder], {
      encoding: 'utf8',
      timeout: 500_000,
    });
    expect(stdout).toBe('');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
