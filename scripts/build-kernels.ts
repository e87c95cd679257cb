import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import wabt from 'wabt';

const SOURCE = new URL('../src/search/kernels/dot-product.wat', import.meta.url);
const TARGET = new URL('../src/search/kernels/dot-product.wasm.ts', import.meta.url);

export async function compileKernels(): Promise<Uint8Array> {
  const tools = await wabt();
  const module = tools.parseWat('dot-product.wat', readFileSync(SOURCE, 'utf8'), { simd: true });
  try {
    module.resolveNames();
    module.validate();
    return Uint8Array.from(module.toBinary({ write_debug_names: false }).buffer);
  } finally {
    module.destroy();
  }
}

/** Run as `node --import tsx scripts/build-kernels.ts` after a change of the .wat file. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const base64 = Buffer.from(await compileKernels()).toString('base64');
  writeFileSync(
    TARGET,
    `// Generated from dot-product.wat by scripts/build-kernels.ts; do not edit.\nexport const DOT_PRODUCT_WASM =\n  '${base64}';\n`,
  );
}
