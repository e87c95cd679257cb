import { summarizeEntity } from '../../ingest/describe/profile-summary.ts';
import { ENTITY_KINDS } from '../../ingest/extract/extractor.ts';
import type { DescribeEntity } from '../../retrieve/entities-then.ts';

/** Without a model in both tiers: an entity is described for the moment of one search. */
export const describeEntity: DescribeEntity = ({ tags, ...entity }) => {
  const kind = ENTITY_KINDS.find((each) => tags.includes(each)) ?? 'thing';
  return summarizeEntity({ ...entity, kind });
};
