/** `npm run kills -- --count 200 --seed 1`: kills a process at its work on a memory, and tells what came of it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { runKills } from './kills.ts';

const { values } = parseArgs({
  options: { count: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const folder = mkdtempSync(join(tmpdir(), 'mnemis-kills-'));
try {
  const report = await runKills({
    count: Number(values.count),
    seed: Number(values.seed),
    folder,
    ending: '.db',
    log: (line) => console.log(line),
  });
  console.log(JSON.stringify(report, null, 2));
  rmSync(folder, { recursive: true, force: true });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.error(`The files are kept in ${folder}`);
  process.exitCode = 1;
}
