import { RehearsalModel } from '../eval/rehearsal/rehearsal-model.ts';
import type { HierarchyReport } from '../src/engine/hierarchy/hierarchy-updates.ts';
import type { MemoryScope } from '../src/engine/memory-scope.ts';
import { Mnemis } from '../src/engine.ts';
import type { LanguageModel } from '../src/inference/language-model.ts';
import { profileNamed } from '../src/ingest/profile.ts';
import { calibrate } from './calibration.ts';
import { type EntityMixture, entityNames } from './entity-names.ts';
import { inTemporaryFolder, round, SCOPE } from './temporary-memory.ts';

export interface HierarchyBench {
  readonly entities: number;
  /** Share of entities added after the hierarchy is built. */
  readonly added: number;
  readonly seed: number;
}

const FACTS_AT_ONCE = 500;
/** Share of changed entities that makes a summary stale, as in `refresh` by a model. */
const WORTH_A_CALL = 0.1;
const FIRST_DAY = Date.UTC(2020, 0, 1);

/**
 * Cost of building a hierarchy over many entities and of updating it for a few new ones, by rules and by a simulated
 * language model (with the calls and prompt tokens of a real one). Shares are of the existing categories.
 */
export async function benchHierarchy({ entities, added, seed }: HierarchyBench) {
  const [processor] = await calibrate();
  const names = entityNames({ count: Math.round(entities * (1 + added)), seed });
  const mixture = { names, before: entities };
  const local = await measured(mixture, undefined, processor!.ms);
  const llm = await measured(mixture, new RehearsalModel(), processor!.ms);
  return { entities, added: names.length - entities, seed, local, llm, calibration: processor };
}

async function measured(
  { names, before }: EntityMixture,
  languageModel: LanguageModel | undefined,
  kernelMs: number,
) {
  return inTemporaryFolder(async (path) => {
    const profile = { ...profileNamed('local'), hierarchy: languageModel ? 'model' : 'rules' } as const;
    const engine = await Mnemis.open({
      path,
      automatic: false,
      profile,
      ...(languageModel ? { languageModel } : {}),
    });
    const memory = engine.scope(SCOPE);
    await learn(memory, names.slice(0, before));
    const full = await update(memory, 'full build');
    // So that only the update makes summaries stale.
    await memory.hierarchy.refresh();
    await learn(memory, names.slice(before));
    const more = await update(memory, 'update');
    const { stale, drift } = await memory.hierarchy.status();
    const resummarized = await memory.hierarchy.refresh({ least: WORTH_A_CALL });
    await engine.close();
    const categories = sum(full.layers);
    const { created, dissolved, renamed } = more.counts;
    return {
      layers: full.layers,
      stoppedBy: full.stoppedBy,
      build: { seconds: round(full.seconds), kernels: round((1000 * full.seconds) / kernelMs) },
      update: { seconds: round(more.seconds), kernels: round((1000 * more.seconds) / kernelMs) },
      updateOfBuild: share(more.seconds, full.seconds),
      changed: {
        created,
        dissolved,
        renamed,
        share: share(created + dissolved + renamed, categories),
      },
      becameStale: { count: stale, share: share(stale, categories) },
      // Summaries that `refresh` by a model would rewrite.
      resummarized: { count: resummarized, share: share(resummarized, categories) },
      ...(languageModel ? { tokens: tokensOf(full, more), drift } : {}),
    };
  });
}

/** Statements that name the entities, with one evidence turn per five hundred of them. */
async function learn(memory: MemoryScope, names: readonly string[]): Promise<void> {
  for (let start = 0; start < names.length; start += FACTS_AT_ONCE) {
    const some = names.slice(start, start + FACTS_AT_ONCE);
    const source = { source: 'bench', sourceId: some[0]! };
    await memory.add({ ...source, content: `Notes of ${some.length} things.`, at: FIRST_DAY });
    const evidence = [source];
    await memory.addFacts(
      some.map((name) => ({ statement: `${name} came up.`, subject: name, relation: 'came up', evidence })),
    );
  }
}

async function update(memory: MemoryScope, what: string): Promise<HierarchyReport> {
  let report: HierarchyReport | undefined;
  let shown = performance.now();
  for await (const event of memory.hierarchy.update()) {
    if (event.type === 'done') report = event;
    else if (performance.now() - shown > 5_000) {
      shown = performance.now();
      process.stderr.write(`${what}: layer ${event.layer}, ${event.left} left\n`);
    }
  }
  return report!;
}

function tokensOf(full: HierarchyReport, more: HierarchyReport) {
  const of = ({ usage: { calls, promptTokens, completionTokens } }: HierarchyReport) => {
    return { calls, promptTokens, completionTokens };
  };
  const total = ({ usage }: HierarchyReport) => usage.promptTokens + usage.completionTokens;
  return { build: of(full), update: of(more), updateOfBuild: share(total(more), total(full)) };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
const share = (part: number, whole: number) => Math.round((10_000 * part) / whole) / 10_000;
