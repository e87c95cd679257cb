import type {
  EnrichmentCounts,
  EnrichmentProgress,
  EnrichmentReport,
} from '../../src/engine/ingestion/enrichment-report.ts';
import { type Dropped, statementsIn } from '../../src/inference/language-model/reading/drop-log.ts';
import type { Usage } from '../../src/model/retrieved-item.ts';
import { counted } from './console.ts';

export function describeEnriching({
  counts,
  usage,
  toGo,
  grouping,
}: Pick<EnrichmentProgress, 'counts' | 'usage' | 'toGo' | 'grouping'>): string {
  if (grouping !== undefined)
    return `grouping into categories, layer ${grouping.layer}${grouping.left > 0 ? `, ${grouping.left} to go` : ''}`;
  const parts = [`${counted(counts.consolidated, 'turn')} read for facts`];
  if (usage.calls > 0) parts.push(`${counted(tokensOf(usage), 'token')} spent`);
  if (toGo !== null && usage.calls > 0) parts.push(`about ${counted(toGo.tokens, 'token')} to go`);
  return parts.join(', ');
}

export function describeEnriched(
  { consolidated, segments, entities, facts, repeated, outdated, setAside }: EnrichmentCounts,
  {
    usage,
    byStage,
    dropped,
  }: { readonly usage: Usage; readonly byStage: Stages } & Pick<EnrichmentReport, 'dropped'>,
): string[] {
  if (consolidated + setAside === 0) return [];
  const learned = [
    counted(segments, 'topic segment'),
    counted(entities, 'new entity', 'new entities'),
    counted(facts, 'new fact'),
    ...(repeated > 0 ? [`${counted(repeated, 'fact')} repeated`] : []),
    ...(outdated > 0 ? [`${counted(outdated, 'fact')} outdated`] : []),
  ];
  return [
    learned.join(', '),
    ...describeDropped(dropped),
    ...describeUsage(usage, byStage),
    ...(setAside > 0
      ? [
          `${counted(setAside, 'turn')} set aside, because reading them failed; "mnemis stats" shows the reason, "mnemis resume --retry" retries them`,
        ]
      : []),
  ];
}

/** In the order in which they are shown. */
const WHY_DROPPED: Readonly<Partial<Record<Dropped['reason'], string>>> = {
  'not-said': 'not said in the turns that they cite',
  'other-voice': 'told by somebody else than the one they are about',
  assistant: "an assistant's words or doings",
  'open-pronoun': 'of "I", "she" or "it"',
  uncited: 'without a turn',
  garbage: 'no sentence',
  'too-much': 'too long or too many',
  'no-entity': 'about nobody and nothing',
  unsupported: 'rejected by the model that checks',
  empty: 'empty',
};

/** The statements of the model that were not stored, and why; those merged with an equal one are stored. */
function describeDropped(dropped: EnrichmentReport['dropped']): string[] {
  const counts = new Map(dropped.map(({ what, reason, count }) => [`${what} ${reason}`, count]));
  const parts = Object.entries(WHY_DROPPED).flatMap(([reason, why]) => {
    const count = counts.get(`fact ${reason}`);
    return count === undefined ? [] : [{ count, why }];
  });
  const all = statementsIn(dropped);
  if (all === 0) return [];
  const reasons = parts.map(({ count, why }) => `${count} ${why}`).join(', ');
  return [`${counted(all, 'statement')} of the language model not stored: ${reasons}`];
}

export function describeGrouped(hierarchy: EnrichmentReport['hierarchy']): string[] {
  if (hierarchy === null) return [];
  if ('failure' in hierarchy)
    return [`The categories are not up to date ("mnemis hierarchy update" continues): ${hierarchy.failure}`];
  const { created, dissolved } = hierarchy.counts;
  if (created + dissolved === 0) return [];
  const gone = dissolved === 0 ? '' : `, ${dissolved} dissolved`;
  return [`${counted(created, 'new category', 'new categories')}${gone}; "mnemis tree" shows them`];
}

export function tokensOf({ promptTokens, completionTokens }: Usage): number {
  return promptTokens + completionTokens;
}

/** What model calls cost by the name of the prompt. */
export type Stages = Readonly<Record<string, Usage>>;

export function usageReport({ calls, promptTokens, completionTokens }: Usage): Usage {
  return { calls, promptTokens, completionTokens };
}

/** The stages for --json, the most expensive first. */
export function stagesReport(byStage: Stages): Stages {
  const stages = Object.entries(byStage).toSorted(([, a], [, b]) => b.promptTokens - a.promptTokens);
  return Object.fromEntries(stages.map(([stage, usage]) => [stage, usageReport(usage)]));
}

/** The cost as lines of text: the total, then the stages; none without a call. */
export function describeUsage(total: Usage, byStage: Stages): string[] {
  if (total.calls === 0) return [];
  const tokens = ({ promptTokens, completionTokens }: Usage) =>
    `${counted(promptTokens, 'prompt token')} and ${counted(completionTokens, 'completion token')}`;
  return [
    `${counted(total.calls, 'call')} of the language model, ${tokens(total)}`,
    ...Object.entries(stagesReport(byStage)).map(
      ([stage, usage]) => `  ${stage}: ${counted(usage.calls, 'call')}, ${tokens(usage)}`,
    ),
  ];
}
