import { describeMentions } from '../../prompts/describe-mentions.ts';
import { extractFacts } from '../../prompts/extract-facts.ts';
import { extractPropositions } from '../../prompts/extract-propositions.ts';
import { extractTriplets } from '../../prompts/extract-triplets.ts';
import { nameEntities } from '../../prompts/name-entities.ts';
import { profileInContext } from '../../prompts/profile-in-context.ts';
import { reflectOnFacts } from '../../prompts/reflect-on-facts.ts';
import { reflectOnNames } from '../../prompts/reflect-on-names.ts';
import { summarizeSegment } from '../../prompts/summarize-segment.ts';
import { titleSegment } from '../../prompts/title-segment.ts';
import { entityKey } from '../local/entity-key.ts';
import type { DescribedEntity } from '../segment-reading.ts';
import { saidFact } from './reading-rehearsals.ts';
import { numbered, type Rehearsal, rehearsal, ShownReader } from './rehearsal.ts';

/** The separate calls of the papers. Turns shown for reference are not read again; second looks find nothing. */
export function stepRehearsals(): Rehearsal[] {
  const reader = new ShownReader({ gate: false });
  return [...mnemisSteps(reader), ...memoraiSteps(reader), ...otherSteps(reader)];
}

function mnemisSteps(reader: ShownReader): Rehearsal[] {
  return [
    rehearsal(nameEntities, async ({ turns }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      const named = extraction.entities.filter(({ kind }) => kind !== 'date');
      return { entities: named.map(({ name, kind, turns: at }) => ({ name, kind, turns: numbered(at) })) };
    }),
    rehearsal(reflectOnNames, async () => ({ entities: [] })),
    rehearsal(profileInContext, async ({ turns, entities }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      const profiles = foundAmong(extraction.entities, entities).map(({ entity, found }) => ({
        entity,
        summary: found?.description ?? '',
        tags: found?.tags ?? [],
        turns: numbered(found?.turns ?? []),
      }));
      return { profiles };
    }),
    rehearsal(extractFacts, async ({ turns }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      return { facts: extraction.facts.map((fact) => saidFact(fact)) };
    }),
    rehearsal(reflectOnFacts, async () => ({ facts: [] })),
  ];
}

function memoraiSteps(reader: ShownReader): Rehearsal[] {
  return [
    rehearsal(summarizeSegment, async ({ turns }, signal) => {
      const { summary } = await reader.readOne(turns, signal);
      return { summary };
    }),
    rehearsal(describeMentions, async ({ turns, entities }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      const descriptions = foundAmong(extraction.entities, entities).flatMap(({ entity, found }) =>
        found === undefined || found.description === ''
          ? []
          : [{ entity, description: found.description, turns: numbered(found.turns) }],
      );
      return { descriptions };
    }),
  ];
}

function otherSteps(reader: ShownReader): Rehearsal[] {
  return [
    rehearsal(titleSegment, async ({ turns }, signal) => {
      const { keywords, summary } = await reader.readOne(turns, signal);
      return { keywords, summary };
    }),
    rehearsal(extractTriplets, async ({ turns }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      const relations = extraction.facts.filter(({ kind }) => kind === 'relation');
      const triplets = relations.map(({ subject, relation, object, turns: at }) => ({
        subject,
        relation,
        object,
        turns: numbered(at),
      }));
      return { triplets };
    }),
    rehearsal(extractPropositions, async ({ turns }, signal) => {
      const { extraction } = await reader.readOne(turns, signal);
      const propositions = extraction.facts.map(({ statement, participants, turns: at }) => ({
        statement,
        participants,
        turns: numbered(at),
      }));
      return { propositions };
    }),
  ];
}

/** What was read of each listed entity, under its number. */
function foundAmong(
  read: readonly DescribedEntity[],
  listed: readonly string[],
): { readonly entity: number; readonly found: DescribedEntity | undefined }[] {
  const byKey = new Map(read.map((entity) => [entityKey(entity.name), entity]));
  return listed.map((name, at) => ({ entity: at + 1, found: byKey.get(entityKey(name)) }));
}
