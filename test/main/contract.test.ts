import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { contract, isMethodName, wireErrorSchema } from '../../main/contract.ts';

describe('the contract', () => {
  it('can be loaded by a browser: it imports neither Node.js nor the engine', async () => {
    const { metafile } = await build({
      entryPoints: [join(import.meta.dirname, '../../main/contract.ts')],
      absWorkingDir: join(import.meta.dirname, '../..'),
      bundle: true,
      write: false,
      metafile: true,
      platform: 'browser',
      format: 'esm',
      logLevel: 'silent',
    });
    const own = Object.keys(metafile.inputs).filter((file) => !file.startsWith('node_modules/zod/'));
    expect(own.sort()).toEqual([
      'main/contract.ts',
      ...[
        'backup',
        'browse',
        'chat',
        'common',
        'conversations',
        'inputs',
        'jobs',
        'knowledge',
        'method',
        'outputs',
        'review',
        'settings',
        'timeline',
        'tools',
      ].map((name) => `main/contract/${name}.ts`),
      'src/model/correction-input.ts',
      'src/model/fixed-replies.ts',
      'src/model/forget-target.ts',
      'src/model/image-uri.ts',
      'src/model/options.ts',
      'src/model/portrait-request.ts',
      'src/model/time-input.ts',
    ]);
  });

  it('takes strict inputs, and knows its own methods only', () => {
    for (const { input } of Object.values(contract))
      expect(input.safeParse({ scope: 'ana', unheardOf: 1 }).success).toBe(false);
    expect(['search', 'toString', '__proto__', 'constructor', 'close', ''].map(isMethodName)).toEqual([
      true,
      ...Array(5).fill(false),
    ]);
  });

  it('has errors with a code and a readable message', () => {
    expect(wireErrorSchema.safeParse({ code: 'disk-full', message: 'No room.' }).success).toBe(true);
    for (const error of [null, {}, { code: '', message: '' }, { code: 'x' }, { code: 1, message: 'x' }])
      expect(wireErrorSchema.safeParse(error).success).toBe(false);
  });
});
