import { Command } from 'commander';
import type { ReembedEvent, ReembedResult } from '../../../src/files/reembed/reembed.ts';
import { embeddingModel } from '../../../src/store/graph-store.ts';
import { withoutPassword } from '../../../src/util/database-url.ts';
import type { Config } from '../../config.ts';
import { duration, type Terminal } from '../console.ts';
import { type CommonFlags, memoryFlags } from '../flags.ts';
import { startProgress } from '../progress.ts';
import { type MemoryCommand, settingsOf, withMemory } from '../run-command.ts';

type ReembedFlags = Omit<CommonFlags, 'scope'>;
type ProgressEvent = Extract<ReembedEvent, { type: 'progress' }>;

export function reembedCommand(terminal: Terminal): Command {
  return memoryFlags(new Command('reembed'))
    .description(
      'Compute all vectors of a memory with the configured embedder. Run it again to continue after an interruption.',
    )
    .action(async (flags: ReembedFlags) =>
      withMemory(terminal, { ...flags, access: 'reads', purpose: 'move' }, async (command) => {
        const result = await move(command);
        const report = reportOf(result, command.config);
        command.console.result(report, () => describe(report));
        noteOtherSetting(flags, command);
      }),
    );
}

async function move({ engine, console, signal }: MemoryCommand): Promise<ReembedResult> {
  const moving = engine.reembed({ signal });
  const progress = startProgress(console, 'Re-embedding', 100);
  let first: ProgressEvent | null = null;
  try {
    for await (const event of moving) {
      if (event.type !== 'progress') continue;
      first ??= event;
      progress.update((100 * event.done) / event.total, describeProgress(first, event, console.terminal));
    }
  } finally {
    progress.stop(); // before the next line is printed: output would break the bar
  }
  return moving;
}

/** The terminal's bar computes the remaining time itself. */
function describeProgress(first: ProgressEvent, now: ProgressEvent, { stderr }: Terminal): string {
  const rate = (now.done - first.done) / Math.max(0.001, now.seconds - first.seconds);
  const toGo = rate > 0 ? `, ${duration((now.total - now.done) / rate)} to go` : '';
  return `${now.done} of ${now.total} texts${stderr.isTTY === true ? '' : toGo}`;
}

function reportOf({ from, to, ...counts }: ReembedResult, { path }: Config) {
  return {
    path: withoutPassword(path),
    from: embeddingModel(from),
    to: embeddingModel(to),
    ...counts,
    seconds: Math.round(counts.seconds * 1000) / 1000,
  };
}

function describe({ from, to, texts, embedded, removed, seconds }: ReturnType<typeof reportOf>): string[] {
  const leftovers = removed === 0 ? '' : `; ${removed} old vectors removed`;
  if (from !== to)
    return [
      `Moved ${texts} texts from ${from} to ${to} in ${seconds.toFixed(1)} s, ${embedded} of them in this run${leftovers}.`,
    ];
  if (embedded + removed === 0) return [`The memory’s vectors are already from ${to}; nothing to do.`];
  return [`The memory’s vectors are already from ${to}; added ${embedded} missing vectors${leftovers}.`];
}

/** A flag applies only to this command: the next command would use the old embedder and fail. */
function noteOtherSetting(flags: ReembedFlags, { config, console }: MemoryCommand): void {
  const { terminal } = console;
  const { values } = settingsOf(terminal, {});
  const changed = (['embedder', 'embedderDimension'] as const).filter(
    (key) => flags[key] !== undefined && values[key] !== config[key],
  );
  if (changed.length === 0) return;
  const settings = changed.map((key) => `"${key}": ${JSON.stringify(config[key])}`).join(', ');
  console.note(`Also set ${settings} in mnemis.config.json, for the other commands.`);
}
