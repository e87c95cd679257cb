import { z } from 'zod';
import { counted } from '../util/counted.ts';
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
    const waits =
      waiting === 0
        ? ''
        : ` ${counted(waiting, 'turn')} ${waiting === 1 ? 'waits' : 'wait'} to be read for facts.`;
    const aside = setAside === 0 ? '' : ` ${setAside} could not be read.`;
    const held = `${counted(turns, 'turn')}, ${counted(facts, 'fact')}, ${counted(entities, 'entity', 'entities')} and ${counted(categories, 'category', 'categories')}`;
    return {
      text: `Memory holds ${held}.${waits}${aside}`,
      data: { turns, facts, entities, categories, segments, waiting, setAside },
    };
  },
});
