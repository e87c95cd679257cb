import type { Command } from 'commander';
import type { EnrichmentState, SetAsideUnit } from '../../../src/engine/ingestion/failures.ts';
import { withoutPassword } from '../../../src/util/database-url.ts';
import type { OutputOf } from '../../contract.ts';
import { counted, type Terminal } from '../console.ts';
import { contractCommand } from '../contract-command.ts';
import type { ClientCommand } from '../run-command.ts';

export function statsCommand(terminal: Terminal): Command {
  return contractCommand<'stats', Awaited<ReturnType<typeof reportOf>>>(terminal, {
    name: 'stats',
    summary: 'Count what a scope holds.',
    method: 'stats',
    opening: () => ({ purpose: 'count' }),
    result: reportOf,
    lines: (report, { config: { scope }, console }) => {
      const { path, scopes, embedder, failures } = report;
      const others = scopes.filter((name) => name !== scope);
      return [
        `${console.style('bold', path)}, scope "${scope}"`,
        `  turns       ${report.episodes}`,
        `  segments    ${report.segments}`,
        `  entities    ${report.entities}`,
        `  facts       ${report.facts}`,
        `  categories  ${report.categories}`,
        `  embedder    ${embedder === null ? 'none yet' : `${embedder.model}, ${embedder.dimension} numbers`}`,
        `  waiting     ${describeWaiting(report)}`,
        ...failures.map(describeFailure),
        `  scopes      ${scopes.join(', ') || 'none yet'}`,
        ...(report.episodes > 0 ? [] : [console.style('yellow', emptyScope(scope, others))]),
      ];
    },
  });
}

async function reportOf(
  { enrichment, ...counts }: OutputOf<'stats'>,
  { client, config }: Pick<ClientCommand, 'client' | 'config'>,
) {
  const { backend, schemaVersion, embedder } = await client.health({});
  return {
    path: withoutPassword(config.path),
    scope: config.scope,
    episodes: counts.episode,
    segments: counts.segment,
    entities: counts.entity,
    facts: counts.fact,
    descriptions: counts.description,
    categories: counts.category,
    ...enrichment,
    items: counts.item,
    backend,
    schemaVersion,
    embedder,
    scopes: await client.scopes({}),
  };
}

function emptyScope(scope: string, others: readonly string[]): string {
  return others.length === 0
    ? `Scope "${scope}" is empty: "mnemis add" and "mnemis import" store turns.`
    : `Scope "${scope}" is empty; --scope names another one.`;
}

function describeWaiting({ pending, setAside }: Pick<EnrichmentState, 'pending' | 'setAside'>): string {
  const waiting = pending === 0 ? 'none' : `${pending} turns ("mnemis resume" reads them)`;
  return setAside === 0
    ? waiting
    : `${waiting}; ${setAside} set aside ("mnemis resume --retry" retries them)`;
}

function describeFailure({ session, turns, attempts, reason }: SetAsideUnit): string {
  return `    ${counted(turns, 'turn')} of session "${session}", after ${counted(attempts, 'attempt')}: ${reason}`;
}
