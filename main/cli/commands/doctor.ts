import { Command } from 'commander';
import { simdSupported } from '../../../src/search/kernels/dot-kernel.ts';
import type { Config } from '../../config.ts';
import { mnemisVersion } from '../../version.ts';
import { CommandConsole, CommandFailed, cancellable, type Terminal } from '../console.ts';
import {
  deviceFindings,
  embedderFinding,
  type Finding,
  localModelFindings,
  memoryFindings,
  modelsFinding,
  rerankerFindings,
} from '../doctor/findings.ts';
import { type CommonFlags, commonFlags } from '../flags.ts';
import { settingsOf } from '../run-command.ts';

interface DoctorFlags extends CommonFlags {
  readonly devices: boolean;
}

export function doctorCommand(terminal: Terminal): Command {
  return commonFlags(new Command('doctor'))
    .description('Check versions, devices, models and the health of the memory’s file.')
    .option('--no-devices', 'do not use accelerators: measure nothing, open models on the CPU')
    .action(async ({ json, devices, ...settings }: DoctorFlags) => {
      const console = new CommandConsole(terminal, json === true);
      const { values } = settingsOf(terminal, settings);
      let findings: Finding[] = [];
      await cancellable(terminal, async (signal) => {
        findings = await examine(values, { terminal, devices, console, signal });
      });
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

/** Devices come first: one that crashes is recorded, and the later checks do not use it. */
async function examine(
  config: Config,
  options: {
    readonly terminal: Terminal;
    readonly devices: boolean;
    readonly console: CommandConsole;
    readonly signal: AbortSignal;
  },
): Promise<Finding[]> {
  const devices = options.devices ? await deviceFindings(config, options) : [];
  const embedder = await embedderFinding(config, options);
  return [
    versions(),
    { name: 'platform', ok: true, detail: `${process.platform} ${process.arch}` },
    {
      name: 'vector kernel',
      ok: true,
      detail: simdSupported
        ? 'WebAssembly SIMD'
        : 'plain JavaScript (WebAssembly SIMD is missing: slower, same results)',
    },
    ...devices,
    await modelsFinding(config),
    ...(await localModelFindings(config, options.terminal.env)),
    embedder,
    ...(await rerankerFindings(config, options.terminal.env)),
    ...(await memoryFindings(config, { ...options, embedder })),
  ];
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
