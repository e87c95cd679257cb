import type {
  EnrichmentCounts,
  EnrichmentProgress,
  EnrichmentReport,
} from '../../src/engine/ingestion/enrichment-report.ts';
import type { ModelUsage } from '../../src/inference/language-model/tokens/usage-meter.ts';
import { counted, duration, type Terminal } from './console.ts';

/** The note behind the bar while turns are consolidated. The terminal's bar computes the remaining time itself. */
export function describeEnriching(
  { counts, usage, toGo, grouping }: Pick<EnrichmentProgress, 'counts' | 'usage' | 'toGo' | 'grouping'>,
  { stderr }: Terminal,
): string {
  if (grouping !== undefined)
    return `grouping into categories, layer ${grouping.layer}${grouping.left > 0 ? `, ${grouping.left} to go` : ''}`;
  const parts = [`${counted(counts.consolidated, 'turn')} read for facts`];
  if (usage.calls > 0) parts.push(`${counted(tokensOf(usage), 'token')} spent`);
  if (toGo !== null && usage.calls > 0) parts.push(`about ${counted(toGo.tokens, 'token')} to go`);
  if (toGo !== null && stderr.isTTY !== true) parts.push(`${duration(toGo.seconds)} to go`);
  return parts.join(', ');
}

/** The results of consolidation, as lines of text. */
export function describeEnriched(
  { consolidated, segments, entities, facts, repeated, outdated, setAside }: EnrichmentCounts,
  usage: ModelUsage,
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
    ...(usage.calls > 0
      ? [
          `${counted(usage.calls, 'call')} of the language model, ${counted(usage.promptTokens, 'prompt token')} and ${counted(usage.completionTokens, 'completion token')}`,
        ]
      : []),
    ...(setAside > 0
      ? [
          `${counted(setAside, 'turn')} set aside, because reading them failed; "mnemis stats" shows the reason, "mnemis resume --retry" retries them`,
        ]
      : []),
  ];
}

/** The changes to the categories, as a line of text. */
export function describeGrouped(hierarchy: EnrichmentReport['hierarchy']): string[] {
  if (hierarchy === null) return [];
  if ('failure' in hierarchy)
    return [`The categories are not up to date ("mnemis hierarchy update" continues): ${hierarchy.failure}`];
  const { created, dissolved } = hierarchy.counts;
  if (created + dissolved === 0) return [];
  const gone = dissolved === 0 ? '' : `, ${dissolved} dissolved`;
  return [`${counted(created, 'new category', 'new categories')}${gone}; "mnemis tree" shows them`];
}

export function tokensOf({ promptTokens, completionTokens }: ModelUsage): number {
  return promptTokens + completionTokens;
}

/** Tokens and calls for --json. */
export function usageReport({ calls, promptTokens, completionTokens }: ModelUsage) {
  return { calls, promptTokens, completionTokens };
}
