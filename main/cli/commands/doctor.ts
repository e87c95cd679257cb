import { existsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Command } from 'commander';
import { Mnemis } from '../../../src/engine.ts';
import { MnemisError } from '../../../src/errors/index.ts';
import { simdSupported } from '../../../src/search/kernels/simd-kernel.ts';
import { resolveConfig } from '../../config.ts';
import { CommandConsole, CommandFailed, type Terminal } from '../console.ts';
import { mnemisVersion } from '../version.ts';
import { type CommonFlags, commonFlags } from '../with-memory.ts';

interface Finding {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

export function doctorCommand(terminal: Terminal): Command {
  return commonFlags(new Command('doctor'))
    .description('Check versions, backends and the health of the memory’s file.')
    .action(async (flags: CommonFlags) => {
      const console = new CommandConsole(terminal, flags.json === true);
      const { values } = resolveConfig({
        flags: {
          ...(flags.path === undefined ? {} : { path: flags.path }),
          ...(flags.scope === undefined ? {} : { scope: flags.scope }),
        },
        environment: terminal.env,
        folder: terminal.cwd(),
      });
      const findings = [
        versions(),
        platform(),
        vectorKernel(),
        await embedder(),
        ...(await fileHealth(values.path, values.scope)),
      ];
      const healthy = findings.every((finding) => finding.ok);
      console.result({ healthy, findings }, () =>
        findings.map(
          ({ name, ok, detail }) =>
            `${ok ? console.style('green', 'ok  ') : console.style('red', 'bad ')} ${name.padEnd(16)} ${detail}`,
        ),
      );
      if (!healthy) throw new CommandFailed();
    });
}

function versions(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return {
    name: 'versions',
    ok,
    detail: `mnemis ${mnemisVersion()}, Node.js ${process.versions.node}${ok ? '' : ' (20.19 or newer is needed)'}`,
  };
}

function platform(): Finding {
  return { name: 'platform', ok: true, detail: `${process.platform} ${process.arch}` };
}

function vectorKernel(): Finding {
  return {
    name: 'vector kernel',
    ok: true,
    detail: simdSupported
      ? 'WebAssembly SIMD'
      : 'plain JavaScript (WebAssembly SIMD is missing: slower, same results)',
  };
}

async function embedder(): Promise<Finding> {
  const engine = await Mnemis.open({ path: ':memory:' });
  const { fingerprint } = engine.describe();
  await engine.close();
  return {
    name: 'embedder',
    ok: fingerprint !== null,
    detail: `${fingerprint?.model}, ${fingerprint?.dimension} numbers, on the processor`,
  };
}

async function fileHealth(path: string, scope: string): Promise<Finding[]> {
  if (path === ':memory:') return [];
  if (!existsSync(path))
    return [{ name: 'memory', ok: true, detail: `${path} does not exist yet; the first import makes it` }];
  try {
    const engine = await Mnemis.open({ path });
    try {
      const started = performance.now();
      const counts = await engine.scope(scope).stats();
      await engine.scope(scope).search('health');
      const { backend, schemaVersion } = engine.describe();
      const opened = `read in ${(performance.now() - started).toFixed(0)} ms`;
      return [
        { name: 'memory', ok: true, detail: `${path}: ${backend}, schema ${schemaVersion}` },
        {
          name: 'scope',
          ok: true,
          detail: `"${scope}": ${counts.episode} episodes, ${counts.fact} facts, ${opened}`,
        },
        await diskSpace(path),
      ];
    } finally {
      await engine.close();
    }
  } catch (error) {
    if (!MnemisError.isInstance(error)) throw error;
    return [{ name: 'memory', ok: false, detail: error.message }];
  }
}

/** Compacting and checkpointing write a file anew, so less free space than the file's size is a warning. */
async function diskSpace(path: string): Promise<Finding> {
  const [{ size }, { bavail, bsize }] = await Promise.all([stat(path), statfs(dirname(path))]);
  const free = bavail * bsize;
  const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
  return {
    name: 'disk',
    ok: free > size,
    detail: `file ${megabytes(size)}, ${megabytes(free)} free${free > size ? '' : ': free some space'}`,
  };
}
