import type { EnrichmentCounts, EnrichmentProgress } from '../../src/engine/ingestion/enrichment-report.ts';
import type { ModelUsage } from '../../src/inference/language-model/tokens/usage-meter.ts';
import type { Terminal } from './console.ts';
import { counted } from './counted.ts';
import { duration } from './duration.ts';

/** What stands behind the bar while turns are consolidated. The bar of a terminal reckons the time to go itself. */
export function describeEnriching(
  { counts, usage, toGo }: Pick<EnrichmentProgress, 'counts' | 'usage' | 'toGo'>,
  { stderr }: Terminal,
): string {
  const parts = [`${counted(counts.consolidated, 'turn')} read for facts`];
  if (usage.calls > 0) parts.push(`${counted(tokensOf(usage), 'token')} spent`);
  if (toGo !== null && usage.calls > 0) parts.push(`about ${counted(toGo.tokens, 'token')} to go`);
  if (toGo !== null && stderr.isTTY !== true) parts.push(`${duration(toGo.seconds)} to go`);
  return parts.join(', ');
}

/** What consolidation brought, in lines for people. */
export function describeEnriched(
  { consolidated, segments, entities, facts, repeated, outdated, setAside }: EnrichmentCounts,
  usage: ModelUsage,
): string[] {
  if (consolidated + setAside === 0) return [];
  const learned = [
    counted(segments, 'topic segment'),
    counted(entities, 'new entity', 'new entities'),
    counted(facts, 'new fact'),
    ...(repeated > 0 ? [`${counted(repeated, 'fact')} said again`] : []),
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
          `${counted(setAside, 'turn')} set aside, since they could not be read; "mnemis stats" says why, "mnemis resume --retry" tries them again`,
        ]
      : []),
  ];
}

export function tokensOf({ promptTokens, completionTokens }: ModelUsage): number {
  return promptTokens + completionTokens;
}

/** Tokens and calls for --json. */
export function usageReport({ calls, promptTokens, completionTokens }: ModelUsage) {
  return { calls, promptTokens, completionTokens };
}
