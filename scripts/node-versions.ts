import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { inProject } from './consumer.ts';

/**
 * `npm run node-versions [-- <test files>]`: the demo and a few tests on each newer version of Node.js, whose binaries
 * come from the registry into a temporary folder. Ends with 1 if something fails.
 */
const VERSIONS = [22, 24, 26];
/** Streams, processes, native add-ons, both stores on disk, the models' runtime, and a memory from end to end. */
const TESTS = [
  'test/main/cli/confirm.test.ts',
  'test/main/cli/process.test.ts',
  'test/main/mcp/stdio.test.ts',
  'test/store/kuzu-store.test.ts',
  'test/store/sql/sqlite-store.test.ts',
  'test/inference/onnx/loading.test.ts',
  'test/langchain/memory-tools.test.ts',
  'test/readme.test.ts',
];
/** The package of npm that has the binary of this system. */
const system = process.platform === 'win32' ? 'win' : process.platform;
const BINARY = `${system === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'}-${system}-${process.arch}`;

const tests = process.argv.length > 2 ? process.argv.slice(2) : TESTS;
const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--reporter=dot', ...tests];
const demo = ['--import', 'tsx', 'main/cli/main.ts', 'demo'];
for (const version of VERSIONS)
  await inProject([`${BINARY}@${version}`], [], (folder) => {
    const node = join(folder, 'node_modules', BINARY, 'bin', system === 'win' ? 'node.exe' : 'node');
    for (const argv of [['--version'], demo, vitest])
      if (spawnSync(node, argv, { stdio: 'inherit' }).status !== 0) {
        process.exitCode = 1;
        process.stdout.write(`FAILED on Node.js ${version}: ${argv.join(' ')}\n`);
      }
  });
