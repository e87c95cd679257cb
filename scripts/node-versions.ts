import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { inProject } from './consumer.ts';
import { nodeIn, nodePackage } from './node-binary.ts';

/**
 * `npm run node-versions [-- <test files>]`: the demo and a few tests on each newer version of Node.js, whose binaries
 * come from the registry into a temporary folder; and whether npm 10, which comes with Node.js 20 and 22, accepts the
 * lock file, which npm 11 writes. Ends with 1 if something fails.
 */
const VERSIONS = [22, 24, 26];
/** Streams, processes, native add-ons, both stores on disk, the models' runtime, and a memory from end to end. */
const TESTS = [
  'test/main/cli/confirm.test.ts',
  'test/main/cli/process.slow.test.ts',
  'test/main/mcp/stdio.test.ts',
  'test/store/kuzu-store.slow.test.ts',
  'test/store/sql/sqlite-store.test.ts',
  'test/inference/onnx/loading.test.ts',
  'test/langchain/memory-tools.test.ts',
  'test/readme.test.ts',
];
const tests = process.argv.length > 2 ? process.argv.slice(2) : TESTS;
const isSlow = (name: string) => name.endsWith('.slow.test.ts');
const TIERS = { fast: tests.filter((name) => !isSlow(name)), slow: tests.filter(isSlow) };
const demo = ['--import', 'tsx', 'main/cli/main.ts', 'demo'];
const failed = (tool: string, argv: readonly string[]): void => {
  process.exitCode = 1;
  process.stdout.write(`FAILED on ${tool}: ${argv.join(' ')}\n`);
};
await inProject(['npm@10'], [], (folder) => {
  const npm = join(folder, 'node_modules/npm/bin/npm-cli.js');
  const argv = [npm, 'ci', '--dry-run', '--no-audit', '--no-fund', '--loglevel=error'];
  // Its standard output lists every package.
  if (spawnSync(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] }).status !== 0)
    failed('npm 10', argv);
});
for (const version of VERSIONS)
  await inProject([nodePackage(version)], [], (folder) => {
    const node = nodeIn(folder);
    const run = (argv: readonly string[], tier = 'fast') => {
      const env = { ...process.env, TEST_TIER: tier };
      if (spawnSync(node, argv, { stdio: 'inherit', env }).status !== 0) failed(`Node.js ${version}`, argv);
    };
    run(['--version']);
    run(demo);
    for (const [tier, names] of Object.entries(TIERS))
      if (names.length > 0) run(['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', ...names], tier);
  });
