import { Command } from 'commander';
import type { EnrichmentState, SetAsideUnit } from '../../../src/engine/ingestion/failures.ts';
import { withoutPassword } from '../../../src/util/database-url.ts';
import { counted, type Terminal } from '../console.ts';
import { type CommonFlags, commonFlags } from '../flags.ts';
import { withClient } from '../run-command.ts';

export function statsCommand(terminal: Terminal): Command {
  return commonFlags(new Command('stats'))
    .description('Count what a scope holds.')
    .action(async (flags: CommonFlags) =>
      withClient(
        terminal,
        { ...flags, access: 'reads', purpose: 'count' },
        async ({ client, config, console, signal }) => {
          const { enrichment, ...counts } = await client.stats({ scope: config.scope }, { signal });
          const { backend, schemaVersion, embedder: fingerprint } = await client.health({});
          const report = {
            path: withoutPassword(config.path),
            scope: config.scope,
            episodes: counts.episode,
            segments: counts.segment,
            entities: counts.entity,
            facts: counts.fact,
            descriptions: counts.description,
            categories: counts.category,
            pending: enrichment.pending,
            setAside: enrichment.setAside,
            failures: enrichment.failures,
            items: counts.item,
            backend,
            schemaVersion,
            embedder: fingerprint,
            scopes: await client.scopes({}),
          };
          const others = report.scopes.filter((name) => name !== config.scope);
          console.result(report, () => [
            `${console.style('bold', report.path)}, scope "${config.scope}"`,
            `  turns       ${report.episodes}`,
            `  segments    ${report.segments}`,
            `  entities    ${report.entities}`,
            `  facts       ${report.facts}`,
            `  categories  ${report.categories}`,
            `  embedder    ${fingerprint === null ? 'none yet' : `${fingerprint.model}, ${fingerprint.dimension} numbers`}`,
            `  waiting     ${describeWaiting(enrichment)}`,
            ...enrichment.failures.map(describeFailure),
            `  scopes      ${report.scopes.join(', ') || 'none yet'}`,
            ...(report.episodes > 0 ? [] : [console.style('yellow', emptyScope(config.scope, others))]),
          ]);
        },
      ),
    );
}

function emptyScope(scope: string, others: readonly string[]): string {
  return others.length === 0
    ? `Scope "${scope}" is empty: "mnemis add" and "mnemis import" store turns.`
    : `Scope "${scope}" is empty; --scope names another one.`;
}

function describeWaiting({ pending, setAside }: EnrichmentState): string {
  const waiting = pending === 0 ? 'none' : `${pending} turns ("mnemis resume" reads them)`;
  return setAside === 0
    ? waiting
    : `${waiting}; ${setAside} set aside ("mnemis resume --retry" retries them)`;
}

function describeFailure({ session, turns, attempts, reason }: SetAsideUnit): string {
  return `    ${counted(turns, 'turn')} of session "${session}", after ${counted(attempts, 'attempt')}: ${reason}`;
}
