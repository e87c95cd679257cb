import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const FOLDERS = ['src', 'main', 'graphs', 'eval', 'bench', 'scripts', 'docs'];

/** Phrases with a plain word in the field: see the conventions in CONTRIBUTING.md. */
const UNCLEAR =
  /\b(?:anew|told of|tells of|tell of|rests? on|resting on|speaks? of|goes by|go by|bears? out|borne out|lies in|is as it was|stands by itself|gives way|hangs on|at its wish)\b/i;
/** Prompts are measured as they are. */
const EXEMPT = /-prompt\.ts$|^eval\/papers\/readings\/|^src\/prompts\//;

const COMMENT = /^\s*(?:\*|\/\/|\/\*)/;

it('uses plain words in comments and documents', () => {
  const found = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      // Some benchmarks have packages of their own.
      .filter((file) => /\.(?:ts|md)$/.test(file) && !/node_modules/.test(file) && !EXEMPT.test(file)),
  )
    .concat('README.md', 'CHANGELOG.md')
    .flatMap((file) =>
      readFileSync(join(ROOT, file), 'utf8')
        .split('\n')
        .flatMap((line, at) =>
          (file.endsWith('.md') || COMMENT.test(line)) && UNCLEAR.test(line)
            ? [`${file}:${at + 1}: ${line.trim()}`]
            : [],
        ),
    );
  expect(found).toEqual([]);
});
