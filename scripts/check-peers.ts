import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { documentedExamples } from '../test/examples-of.ts';
import { inFolder, inProject, pack } from './consumer.ts';

/**
 * `npm run peers`: the package beside the oldest and beside the newest versions of its peers (LangChain, LangGraph, the
 * AI SDK, Anthropic's SDKs, the MCP SDK), installed from the registry in projects of their own. Type-checks every documented example, every program of
 * `examples/` and `PROGRAMS` under `strict`, then runs the last. Ends with 1 if something fails.
 */
const ROOT = join(import.meta.dirname, '..');
/** Without the ONNX runtime, whose binaries are half a gigabyte; of llama.cpp's they are left out. */
const PEERS = Object.entries(manifest.peerDependencies).filter(([name]) => name !== 'onnxruntime-node');
const VERSIONS = {
  oldest: PEERS.map(([name, range]) => `${name}@${range.split(' ')[0]!.replace(/^\D+/, '')}`),
  newest: PEERS.map(([name, range]) => `${name}@${range}`),
};
const TOOLS = ['typescript', 'tsx'].map(
  (name) => `${name}@${manifest.devDependencies[name as 'typescript' | 'tsx']}`,
);
const PROGRAMS = ['with-langchain.ts', 'with-ai-sdk.ts', 'with-anthropic.ts'];
/** What programs import. */
const PARTS = ['anthropic-messages.ts'];

function writePrograms(folder: string): void {
  for (const [at, { code }] of documentedExamples().entries()) {
    mkdirSync(join(folder, `documented-${at}`));
    writeFileSync(join(folder, `documented-${at}/example.ts`), code);
  }
  cpSync(join(ROOT, 'examples'), join(folder, 'examples'), { recursive: true });
  for (const file of [...PROGRAMS, ...PARTS])
    copyFileSync(join(ROOT, 'test/fixtures', file), join(folder, file));
  const runtime = 'llama-runtime.ts';
  copyFileSync(join(ROOT, 'src/inference/llama/process', runtime), join(folder, runtime));
  writeFileSync(
    join(folder, 'llama.ts'),
    `import * as llama from 'node-llama-cpp';\nimport type { LlamaRuntime } from './${runtime}';\nllama satisfies LlamaRuntime;\n`,
  );
  const options = { module: 'NodeNext', target: 'ES2023', strict: true, noEmit: true, types: ['node'] };
  const compilerOptions = { ...options, skipLibCheck: true, allowImportingTsExtensions: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
}

/** Whether it ended well. */
function run(folder: string, argv: readonly string[]): boolean {
  return spawnSync(process.execPath, argv, { cwd: folder, stdio: 'inherit' }).status === 0;
}

function check(folder: string): boolean {
  writePrograms(folder);
  const copies = readdirSync(join(folder, 'node_modules'), { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('node_modules/@langchain/core') || name === '@langchain/core',
  );
  process.stdout.write(`  copies of @langchain/core: ${copies.length}\n`);
  const isTyped = run(folder, ['node_modules/typescript/bin/tsc', '-p', '.']);
  const areWell = PROGRAMS.map((program) => run(folder, ['--import', 'tsx', program]));
  return areWell.every(Boolean) && isTyped && copies.length === 1;
}

// Without its binaries, the script of node-llama-cpp would compile llama.cpp.
process.env.NODE_LLAMA_CPP_SKIP_DOWNLOAD = 'true';
await inFolder(async (folder) => {
  const tarball = pack(folder);
  for (const [name, versions] of Object.entries(VERSIONS)) {
    const packages = [tarball, ...versions, ...TOOLS, '@types/node@20'];
    const isWell = await inProject(packages, ['--omit=optional'], check);
    process.stdout.write(`${isWell ? 'ok' : 'FAILED'}: ${name}: ${versions.join(' ')}\n`);
    if (!isWell) process.exitCode = 1;
  }
});
