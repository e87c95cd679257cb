import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from '../package.json' with { type: 'json' };
import { documentedExamples, frameworkExamples } from '../test/examples-of.ts';
import { inFolder, inProject, pack } from './consumer.ts';
import { nodeIn, nodePackage } from './node-binary.ts';

/**
 * `npm run peers`: the package beside the oldest and beside the newest versions of its peers (LangChain, LangGraph, the
 * AI SDK, Anthropic’s SDKs, the MCP SDK), installed from the registry in projects of their own. Type-checks every documented example, every program of
 * `examples/` and `PROGRAMS` under `strict`, then runs the last. Each of the agents' frameworks has projects of its own,
 * which run its program and its documented examples. Ends with 1 if something fails. With names of frameworks
 * (`npm run peers -- @mastra/core`): these alone.
 */
const ROOT = join(import.meta.dirname, '..');
/** What else the project needs, and the Node.js that the framework demands, if this one may be older. */
const FRAMEWORKS: Readonly<
  Record<string, { readonly program: string; readonly also: readonly string[]; readonly node?: number }>
> = {
  // Its optional dependencies, which it imports all the same: the former in 0.3, the latter in 0.20.
  '@openai/agents': {
    program: 'with-openai-agents.ts',
    also: ['@modelcontextprotocol/sdk', '@modelcontextprotocol/client'],
  },
  '@mastra/core': { program: 'with-mastra.ts', also: [], node: 22 },
  '@strands-agents/sdk': { program: 'with-strands.ts', also: [], node: 22 },
  '@google/adk': { program: 'with-adk.ts', also: [] },
};
/** Without the ONNX runtime, whose binaries are half a gigabyte; of llama.cpp's they are left out. */
const PEERS = Object.keys(manifest.peerDependencies).filter(
  (name) => name !== 'onnxruntime-node' && !Object.hasOwn(FRAMEWORKS, name),
);
const AGES = ['oldest', 'newest'] as const;
const TOOLS = ['typescript', 'tsx'].map(
  (name) => `${name}@${manifest.devDependencies[name as 'typescript' | 'tsx']}`,
);
const PROGRAMS = ['with-langchain.ts', 'with-ai-sdk.ts', 'with-anthropic.ts'];
/** What programs import. */
const PARTS = ['anthropic-messages.ts'];

function versionOf(name: string, age: (typeof AGES)[number]): string {
  const range = manifest.peerDependencies[name as keyof typeof manifest.peerDependencies];
  return `${name}@${age === 'oldest' ? /[\d.]+/.exec(range)![0] : range}`;
}

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
  writeTypeOptions(folder);
}

function writeTypeOptions(folder: string): void {
  const options = { module: 'NodeNext', target: 'ES2023', strict: true, noEmit: true, types: ['node'] };
  const compilerOptions = { ...options, skipLibCheck: true, allowImportingTsExtensions: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
}

/** Whether it ended well. */
function run(folder: string, argv: readonly string[], node = process.execPath): boolean {
  return spawnSync(node, argv, { cwd: folder, stdio: 'inherit' }).status === 0;
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
/** Whether the program and the documented examples of a framework are typed, and run. */
function checkFramework(name: string, folder: string): boolean {
  const { program, node } = FRAMEWORKS[name]!;
  const programs = [program, ...frameworkExamples(name).map((_, at) => `documented-${at}.ts`)];
  for (const fixture of [program, 'remembers.ts'])
    copyFileSync(join(ROOT, 'test/fixtures', fixture), join(folder, fixture));
  for (const [at, code] of frameworkExamples(name).entries())
    writeFileSync(join(folder, `documented-${at}.ts`), code);
  writeTypeOptions(folder);
  const isTyped = run(folder, ['node_modules/typescript/bin/tsc', '-p', '.']);
  const runtime = node === undefined ? process.execPath : nodeIn(folder);
  const areWell = programs.map((each) => run(folder, ['--import', 'tsx', each], runtime));
  return areWell.every(Boolean) && isTyped;
}

async function report(
  packages: readonly string[],
  of: string,
  work: (folder: string) => boolean,
): Promise<void> {
  const isWell = await inProject([...packages, ...TOOLS, '@types/node@20'], ['--omit=optional'], work);
  process.stdout.write(`${isWell ? 'ok' : 'FAILED'}: ${of}\n`);
  if (!isWell) process.exitCode = 1;
}

const wanted = process.argv.slice(2);
await inFolder(async (folder) => {
  const tarball = pack(folder);
  for (const age of AGES) {
    const versions = PEERS.map((name) => versionOf(name, age));
    if (wanted.length === 0) await report([tarball, ...versions], `${age}: ${versions.join(' ')}`, check);
  }
  for (const [name, { also, node }] of Object.entries(FRAMEWORKS)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const others = node === undefined ? also : [...also, nodePackage(node)];
    for (const age of AGES) {
      const version = versionOf(name, age);
      await report([tarball, version, ...others], `${age}: ${version}`, (project) =>
        checkFramework(name, project),
      );
    }
  }
});
