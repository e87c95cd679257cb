import { Command } from 'commander';
import type { Terminal } from '../console.ts';
import { type CommonFlags, commonFlags, withMemory } from '../with-memory.ts';

export function statsCommand(terminal: Terminal): Command {
  return commonFlags(new Command('stats'))
    .description('Count what a scope holds.')
    .action(async (flags: CommonFlags) =>
      withMemory(
        terminal,
        { ...flags, access: 'reads', purpose: 'count' },
        async ({ engine, memory, config, console }) => {
          const counts = await memory.stats();
          const { backend, schemaVersion, fingerprint } = engine.describe();
          const report = {
            path: config.path,
            scope: config.scope,
            episodes: counts.episode,
            segments: counts.segment,
            entities: counts.entity,
            facts: counts.fact,
            categories: counts.category,
            items: counts.item,
            backend,
            schemaVersion,
            embedder: fingerprint,
            scopes: await engine.scopes(),
          };
          console.result(report, () => [
            `${console.style('bold', config.path)}, scope "${config.scope}"`,
            `  episodes    ${report.episodes}`,
            `  segments    ${report.segments}`,
            `  entities    ${report.entities}`,
            `  facts       ${report.facts}`,
            `  categories  ${report.categories}`,
            `  embedder    ${fingerprint === null ? 'none yet' : `${fingerprint.model}, ${fingerprint.dimension} numbers`}`,
            `  scopes      ${report.scopes.join(', ') || 'none yet'}`,
          ]);
        },
      ),
    );
}
