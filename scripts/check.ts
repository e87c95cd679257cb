import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** `npm run check`: the type checks and the linter beside each other, since each uses little more than one core. */
const TSC = 'typescript-7/bin/tsc';
const CHECKS: readonly (readonly [module: string, ...argv: string[]])[] = [
  // The longest first.
  [TSC, '--noEmit', '-p', 'test'],
  [TSC, '--noEmit'],
  [TSC, '--noEmit', '-p', 'renderer'],
  ['@biomejs/biome/bin/biome', 'check', '.'],
];
/** More would only compete for two cores, and each type check takes half a gigabyte. */
const AT_ONCE = 2;

/** Prints what a check printed once it has ended, so that two do not mix. */
async function run([module, ...argv]: (typeof CHECKS)[number]): Promise<boolean> {
  const program = fileURLToPath(new URL(`../node_modules/${module}`, import.meta.url));
  const child = spawn(process.execPath, [program, ...argv], { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data) => {
      printed += data;
    });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('close', resolve);
    child.once('error', reject);
  });
  process.stdout.write(printed);
  if (code !== 0) process.stdout.write(`Failed: ${module} ${argv.join(' ')}\n`);
  return code === 0;
}

const waiting = [...CHECKS];
let failed = 0;
async function work(): Promise<void> {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
    if (!(await run(next))) failed += 1;
}
await Promise.all(Array.from({ length: AT_ONCE }, work));
process.exitCode = failed === 0 ? 0 : 1;
