import type { MemoryScope } from '../../../src/engine/memory-scope.ts';
import { Mnemis } from '../../../src/engine.ts';
import { HashingEmbedder } from '../../../src/inference/embedder/hashing-embedder.ts';
import type { LanguageModel } from '../../../src/inference/language-model.ts';
import { type IngestProfile, profileNamed } from '../../../src/ingest/profile.ts';
import { analyze } from '../../../src/search/analyzer.ts';
import { type Timeline, toldAt, turnsOf } from './timeline.ts';

export interface TimelineOptions {
  /** Reads and judges instead of the local tier. */
  readonly model?: LanguageModel;
  readonly supersedes?: IngestProfile['supersedes'];
  /** All sessions in one batch, as an import does. */
  readonly atOnce?: boolean;
}

export interface TimelineMemory extends AsyncDisposable {
  readonly memory: MemoryScope;
  /** Number of superseded facts, as reported by `flush`. */
  readonly outdated: number;
}

/** Adds a timeline to a memory, each session at its own time, then moves the clock far beyond its end. */
export async function tell(timeline: Timeline, options: TimelineOptions = {}): Promise<TimelineMemory> {
  const { model, supersedes = model === undefined ? 'rules' : 'model', atOnce = false } = options;
  let now = 0;
  const engine = await Mnemis.open({
    path: ':memory:',
    automatic: false,
    clock: () => now,
    embedder: new HashingEmbedder({ analyze, dimension: 64 }),
    profile: { ...profileNamed(model === undefined ? 'local' : 'default'), supersedes },
    ...(model === undefined ? {} : { languageModel: model }),
  });
  const memory = engine.scope('a');
  let outdated = 0;
  const { sessions } = timeline;
  for (const told of atOnce ? [sessions] : sessions.map((session) => [session])) {
    now = toldAt(told.at(-1)!);
    await memory.add(told.flatMap(turnsOf));
    outdated += (await memory.flush()).counts.outdated;
  }
  now = Date.UTC(2030, 0);
  return { memory, outdated, [Symbol.asyncDispose]: () => engine.close() };
}
