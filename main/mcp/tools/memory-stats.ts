import { z } from 'zod';
import { defineTool } from '../memory-tool.ts';

export const memoryStats = defineTool({
  name: 'memory_stats',
  title: 'Memory statistics',
  description: 'Counts what memory holds, and what waits to be read for facts.',
  input: z.strictObject({}),
  output: z.object({
    scope: z.string().describe('Whose memory it is.'),
    turns: z.number().describe('Superseded versions included.'),
    facts: z.number(),
    entities: z.number(),
    categories: z.number(),
    segments: z.number(),
    waiting: z.number().describe('Turns that wait to be read for facts.'),
    setAside: z.number().describe('Turns that could not be read; "mnemis stats" says why.'),
    readOnly: z.boolean().describe('Whether this server can only be asked.'),
  }),
  annotations: { readOnlyHint: true, idempotentHint: true },
  run: async (_input, { client, settings: { scope, readOnly } }, { signal }) => {
    const {
      episode: turns,
      fact: facts,
      entity: entities,
      ...more
    } = await client.stats({ scope }, { signal });
    const { category: categories, segment: segments, enrichment } = more;
    const { pending: waiting, setAside } = enrichment;
    const counts = { turns, facts, entities, categories, segments, waiting, setAside };
    const waits = waiting === 0 ? '' : ` ${waiting} turns wait to be read for facts.`;
    const aside = setAside === 0 ? '' : ` ${setAside} could not be read.`;
    return {
      text: `Memory holds ${turns} turns, ${facts} facts, ${entities} entities and ${categories} categories.${waits}${aside}`,
      data: { scope, ...counts, readOnly },
    };
  },
});
