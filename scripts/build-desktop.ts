import { join } from 'node:path';
import { type BuildOptions, build } from 'esbuild';

/** Bundles the three programs of the desktop app into dist/desktop. Packages stay in node_modules. */
const ROOT = join(import.meta.dirname, '..');
const common: BuildOptions = {
  absWorkingDir: ROOT,
  bundle: true,
  platform: 'node',
  target: 'node22', // of Electron 45
  packages: 'external',
  external: ['electron'],
  logLevel: 'warning',
};

await Promise.all([
  build({
    ...common,
    entryPoints: { main: 'main/desktop/start.ts', 'engine-process': 'main/desktop/engine-process.ts' },
    outdir: 'dist/desktop',
    format: 'esm',
    outExtension: { '.js': '.mjs' },
  }),
  // A sandboxed preload script is CommonJS, and can load `electron` only.
  build({
    ...common,
    entryPoints: { preload: 'main/desktop/preload.ts' },
    outdir: 'dist/desktop',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    packages: 'bundle',
  }),
]);
