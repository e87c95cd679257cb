import { z } from 'zod';
import { defineTool, type ToolContext } from './agent-tool.ts';

export const memoryStats = defineTool({
  name: 'memory_stats',
  title: 'Memory statistics',
  description: 'Counts what memory holds, and what waits to be read for facts.',
  input: z.object({}),
  run: async (_input, { memory }: ToolContext<'stats'>, { signal }) => {
    const stats = await memory.stats({ signal });
    const { episode: turns, fact: facts, entity: entities, category: categories, segment: segments } = stats;
    const { pending: waiting, setAside } = stats.enrichment;
    const waits = waiting === 0 ? '' : ` ${waiting} turns wait to be read for facts.`;
    const aside = setAside === 0 ? '' : ` ${setAside} could not be read.`;
    return {
      text: `Memory holds ${turns} turns, ${facts} facts, ${entities} entities and ${categories} categories.${waits}${aside}`,
      data: { turns, facts, entities, categories, segments, waiting, setAside },
    };
  },
});
