import type {
  EnrichmentCounts,
  EnrichmentProgress,
  EnrichmentReport,
} from '../../src/engine/ingestion/enrichment-report.ts';
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
  { usage, byStage }: { readonly usage: Usage; readonly byStage: Stages },
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
    ...describeUsage(usage, byStage),
    ...(setAside > 0
      ? [
          `${counted(setAside, 'turn')} set aside, because reading them failed; "mnemis stats" shows the reason, "mnemis resume --retry" retries them`,
        ]
      : []),
  ];
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
