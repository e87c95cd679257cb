import type { Breather } from '../../util/breathe.ts';
import { shorten } from '../../util/tidy.ts';
import type { ExtractedEntity, Extraction } from '../extractor.ts';
import { summarizeEntity } from '../local/profile-summary.ts';
import type { DescribedExtraction } from '../segment-reading.ts';

/** Characters of a description that no model wrote. */
export const MAX_DESCRIPTION = 300;

/**
 * Gives every entity what the extraction's own statements say of it, chosen as for its profile; nothing where there is
 * no statement.
 */
export function describeExtraction({ entities, facts }: Extraction): DescribedExtraction {
  return {
    entities: entities.map((entity) => ({ ...entity, ...describe(entity, facts) })),
    facts: facts.map((fact) => ({ ...fact, invalidAt: null })),
  };
}

/** As `describeExtraction`; others get their turn between two entities. */
export async function describeGradually(
  { entities, facts }: Extraction,
  breather: Breather,
): Promise<DescribedExtraction> {
  const described: DescribedExtraction['entities'][number][] = [];
  for (const entity of entities) {
    described.push({ ...entity, ...describe(entity, facts) });
    await breather.breathe();
  }
  return { entities: described, facts: facts.map((fact) => ({ ...fact, invalidAt: null })) };
}

function describe({ name, kind, turns }: ExtractedEntity, facts: Extraction['facts']) {
  const entity = { name, kind, mentions: turns.length };
  const own = facts.filter(({ participants }) => participants.includes(name));
  const { summary, tags } = summarizeEntity({ ...entity, facts: own });
  // Where no statement has a telling word, a summary tells how often the entity is mentioned.
  const isSaid = summary !== summarizeEntity({ ...entity, facts: [] }).summary;
  return { tags, description: shorten(isSaid ? summary : (own[0]?.statement ?? ''), MAX_DESCRIPTION) };
}
