import { spawnSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inFolder, inProject, pack } from '../scripts/consumer.ts';
import { round } from './temporary-memory.ts';

export interface InstallReport {
  readonly project: string;
  readonly packages: number;
  readonly megabytes: number;
  /** Processor time of the process that ends after each step, from its start; the least of all runs. */
  readonly seconds: {
    /** Of a process that does nothing. */
    readonly node: number;
    readonly import: number;
    /** Open in memory, add a turn, search. */
    readonly search: number;
    /** Then the first flush. */
    readonly flush: number;
  };
  /** Highest resident memory after the import, in megabytes. */
  readonly importMegabytes: number;
}

const LANGCHAIN = ['langchain', '@langchain/core', '@langchain/langgraph'];
const PROJECTS: Readonly<Record<string, readonly [packages: readonly string[], flags: readonly string[]]>> = {
  full: [[], []],
  'full, no scripts': [[], ['--ignore-scripts']],
  lean: [[], ['--omit=optional']],
  'lean, with LangChain': [LANGCHAIN, ['--omit=optional']],
};

const IMPORT = "const { Mnemis } = await import('mnemis');";
const SEARCH = `${IMPORT}
const engine = await Mnemis.open({ path: ':memory:' });
const memory = engine.scope('ana');
await memory.add({ speaker: 'Ana', content: 'I moved to Ghent.', session: 'a', index: 0, at: '2026-01-05T10:00:00Z' });
await memory.search('Where does Ana live?');`;
const STEPS = { node: '', import: IMPORT, search: SEARCH, flush: `${SEARCH}\nawait memory.flush();` };

/** What an installation costs: the packed package in empty projects, with packages from the registry. */
export function benchInstall(runs: number): Promise<InstallReport[]> {
  return inFolder(async (folder) => {
    const tarball = pack(folder);
    const reports: InstallReport[] = [];
    for (const [project, [packages, flags]] of Object.entries(PROJECTS))
      reports.push(
        await inProject([tarball, ...packages], flags, (place) => ({ project, ...measure(place, runs) })),
      );
    return reports;
  });
}

function measure(folder: string, runs: number): Omit<InstallReport, 'project'> {
  const least = (code: string) => {
    const samples = Array.from({ length: runs }, () => sample(folder, code));
    return {
      seconds: round(Math.min(...samples.map(({ seconds }) => seconds))),
      megabytes: Math.min(...samples.map(({ megabytes }) => megabytes)),
    };
  };
  return {
    ...packagesIn(join(folder, 'node_modules')),
    seconds: {
      node: least(STEPS.node).seconds,
      import: least(STEPS.import).seconds,
      search: least(STEPS.search).seconds,
      flush: least(STEPS.flush).seconds,
    },
    importMegabytes: least(STEPS.import).megabytes,
  };
}

/** Number and size of the packages in a folder "node_modules". */
export function packagesIn(modules: string): { readonly packages: number; readonly megabytes: number } {
  const names = readdirSync(modules, { recursive: true, encoding: 'utf8' });
  return {
    packages: names.filter((name) => /(^|node_modules\/)(@[^/]+\/)?[^/@]+\/package\.json$/.test(name)).length,
    megabytes: Math.round(names.reduce((sum, name) => sum + bytesOf(join(modules, name)), 0) / 1e6),
  };
}

function bytesOf(file: string): number {
  const stats = statSync(file);
  return stats.isFile() ? stats.size : 0;
}

/** One process. */
function sample(folder: string, code: string): { seconds: number; megabytes: number } {
  const report = `const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    console.log(userCPUTime + systemCPUTime, maxRSS);`;
  const argv = ['--input-type=module', '--eval', `${code}\n${report}`];
  const { stdout, stderr, status } = spawnSync(process.execPath, argv, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new TypeError(`A process failed: ${stderr}`);
  const [microseconds, kilobytes] = stdout.trim().split(' ').map(Number);
  return { seconds: microseconds! / 1e6, megabytes: Math.round(kilobytes! / 1e3) };
}
