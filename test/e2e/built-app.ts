import { join } from 'node:path';
import { build as bundle } from 'esbuild';
import { build as buildPage } from 'vite';

const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'dist/e2e');
/**
 * The command line in few files: a process that loads it starts in a third of the time that the sources take. Its path
 * ends as in the package: an engine that it starts is the same program, whether or not the package was built.
 */
export const PROGRAM = join(FOLDER, 'dist/main/cli/main.js');

/** Stands in for `node-llama-cpp`, as MNEMIS_LLAMA_RUNTIME names it. */
export const SCRIPTED_RUNTIME = join(FOLDER, 'scripted-runtime.js');

/** Builds the page and the command line once, before all specs. */
export async function setup(): Promise<void> {
  // As it ships: with vitest's "test", the page would have React's development build.
  process.env.NODE_ENV = 'production';
  await Promise.all([
    buildPage({ configFile: join(ROOT, 'vite.config.ts'), logLevel: 'error' }),
    bundle({
      absWorkingDir: ROOT,
      entryPoints: {
        'dist/main/cli/main': 'main/cli/main.ts',
        'parts/model-process': 'src/inference/llama/process/model-process.ts',
        'scripted-runtime': 'test/inference/llama/scripted-runtime.ts',
      },
      outdir: FOLDER,
      chunkNames: 'parts/[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      packages: 'external',
      sourcemap: true,
      logLevel: 'warning',
    }),
  ]);
}
