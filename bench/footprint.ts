import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { round } from './temporary-memory.ts';

export interface FootprintReport {
  readonly store: 'kuzu' | 'sqlite';
  readonly stages: readonly FootprintStage[];
}

export interface FootprintStage {
  readonly stage: string;
  /** Resident memory above that of a Node.js process that does nothing, in megabytes; the median of all runs. */
  readonly memoryMegabytes: number;
  /** All files of the memory, in megabytes, while it is open and after it is closed. */
  readonly openMegabytes: number;
  readonly closedMegabytes: number;
}

const BUILT = join(import.meta.dirname, '../dist/src/index.js');

const NOTES = [
  'I moved to Ghent last week.',
  'My sister Lea lives in Paris and works as a nurse.',
  'I love hiking in the Ardennes.',
  'We adopted a dog called Max.',
  'My brother Tom is getting married in June.',
  'I started a new job at Acme as an engineer.',
  'I no longer eat meat.',
  'I am learning Dutch on Tuesdays.',
  'My favourite book is Dune.',
];

const IMPORT = `const { Mnemis } = await import(${JSON.stringify(pathToFileURL(BUILT).href)});`;
const OPEN = `${IMPORT}
  engine = await Mnemis.open({ path });
  const memory = engine.scope('ana');
  const add = (content, index) =>
    memory.add({ speaker: 'Ana', content, session: 'a', index, at: new Date(Date.UTC(2026, 0, 5, 10, index)) });`;
const ADD = `${OPEN}
  const notes = ${JSON.stringify(NOTES)};
  await add(notes[0], 0);`;
const CONSOLIDATE = `${ADD}
  for (const [index, note] of notes.entries()) if (index > 0) await add(note, index);
  await memory.flush();`;
const SEARCH = "await memory.search('Where does Lea work?');";

/** What each process does. The last one opens the memory that another process has filled. */
const STAGES: readonly (readonly [stage: string, code: string, before?: string])[] = [
  ['imported', IMPORT],
  ['opened', OPEN],
  ['one turn added', ADD],
  ['nine notes consolidated', CONSOLIDATE],
  ['then a search', `${CONSOLIDATE}\n${SEARCH}`],
  ['opened again, a search', `${OPEN}\n${SEARCH}`, CONSOLIDATE],
];

/** What a small memory costs, with each store: each stage in a process of its own, of the built package. */
export function benchFootprint(runs: number): FootprintReport[] {
  if (!existsSync(BUILT)) throw new TypeError('The package is not built; run: npm run build');
  const idle = median(Array.from({ length: runs }, () => sample('', 'none.db').memory));
  return (['kuzu', 'sqlite'] as const).map((store) => ({
    store,
    stages: STAGES.map(([stage, code, before]) => {
      const samples = Array.from({ length: runs }, () =>
        inFolder((folder) => {
          const path = join(folder, store === 'kuzu' ? 'memory.db' : 'memory.sqlite');
          if (before !== undefined) sample(before, path);
          return sample(code, path);
        }),
      );
      const of = (field: keyof Sample) => median(samples.map((each) => each[field]));
      return {
        stage,
        memoryMegabytes: round((of('memory') - idle) / 1e6),
        openMegabytes: round(of('open') / 1e6),
        closedMegabytes: round(of('closed') / 1e6),
      };
    }),
  }));
}

/** Bytes. */
interface Sample {
  readonly memory: number;
  readonly open: number;
  readonly closed: number;
}

/** One process. */
function sample(code: string, path: string): Sample {
  const program = `import { readdirSync, statSync } from 'node:fs';
    import { basename, dirname, join } from 'node:path';
    const path = ${JSON.stringify(path)};
    let engine;
    const disk = () =>
      readdirSync(dirname(path), { recursive: true })
        .filter((name) => name.startsWith(basename(path)))
        .map((name) => statSync(join(dirname(path), name)))
        .reduce((sum, file) => sum + (file.isFile() ? file.size : 0), 0);
    ${code}
    const resident = process.memoryUsage.rss();
    const open = disk();
    await engine?.close();
    console.log(JSON.stringify({ memory: resident, open, closed: disk() }));`;
  const argv = ['--input-type=module', '--eval', program];
  const { stdout, stderr, status } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  if (status !== 0) throw new TypeError(`A process failed: ${stderr}`);
  return JSON.parse(stdout) as Sample;
}

function inFolder<T>(work: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'mnemis-footprint-'));
  try {
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
