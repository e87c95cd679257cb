import type { EntityId, FactId } from '../../model/ids.ts';
import { type DescribeInput, describeEntities } from '../../prompts/describe-entities.ts';
import { type OutdatedInput, outdatedFacts, type ShownFact } from '../../prompts/outdated-facts.ts';
import { type RelateInput, relateSegments, type SummarizedSegment } from '../../prompts/relate-segments.ts';
import { type NamedEntity, type ResolveInput, resolveEntities } from '../../prompts/resolve-entities.ts';
import { analyze } from '../../search/analyzer.ts';
import { entityNameKey } from '../../util/entity-name-key.ts';
import { summarizeEntity } from '../local/profile-summary.ts';
import { jaccard } from '../relate/local-relator.ts';
import { LocalSuperseder } from '../supersede/local-superseder.ts';
import type { JudgedFact } from '../supersede/superseder.ts';
import { type Rehearsal, rehearsal } from './rehearsal.ts';

/** Two topics with fewer words in common, in all of their words, are unrelated. */
const LEAST_OVERLAP = 0.1;

/** The prompts that set what was read beside what memory holds. */
export function memoryRehearsals(): Rehearsal[] {
  return [
    rehearsal(resolveEntities, async (input) => decisions(input)),
    rehearsal(describeEntities, async (input) => profiles(input)),
    rehearsal(relateSegments, async (input) => relations(input)),
    rehearsal(outdatedFacts, async (input) => outdated(input)),
  ];
}

/** Equal names are one entity, in doubt the best candidate's; other names are different ones. */
function decisions({ entities }: ResolveInput) {
  const all = entities.flatMap((entity, at) => {
    const same = entity.candidates.findIndex((candidate) => shareName(entity, candidate));
    return entity.candidates.map((_, place) => ({
      entity: at + 1,
      candidate: place + 1,
      reason: place === same ? 'the same name' : 'another name',
      verdict: place === same ? 'same' : 'different',
      confidence: 0.9,
    }));
  });
  return { decisions: all };
}

function shareName(a: NamedEntity, b: NamedEntity): boolean {
  const names = new Set([a.name, ...a.aliases].map(entityNameKey));
  return [b.name, ...b.aliases].some((name) => names.has(entityNameKey(name)));
}

function profiles({ entities }: DescribeInput) {
  return {
    profiles: entities.map(({ name, descriptions }, at) => {
      const facts = descriptions.map((statement, age) => ({ statement, validAt: age }));
      const { summary, tags } = summarizeEntity({ name, kind: 'thing', facts, mentions: facts.length });
      return { entity: at + 1, summary, tags };
    }),
  };
}

function relations({ topics, pairs }: RelateInput) {
  const words = topics.map(wordsOf);
  const all = pairs.flatMap(({ topic, earlier }) =>
    earlier.map((other) => {
      const overlap = jaccard(words[topic - 1]!, words[other - 1]!);
      const relation = overlap < LEAST_OVERLAP ? 'unrelated' : 'semantic';
      const confidence = Math.round(100 * (0.5 + overlap / 2)) / 100;
      return { topic, earlier: other, relation, from: topic, confidence };
    }),
  );
  return { relations: all };
}

function wordsOf({ keywords, summary }: SummarizedSegment): ReadonlySet<string> {
  return new Set(analyze([...keywords, summary].join('\n')));
}

/** What the local rules say; of whom a fact is, its capitalised words tell. */
async function outdated({ facts, pairs }: OutdatedInput) {
  const judged = facts.map(judgedFact);
  const asked = pairs.map(({ fact, others }) => ({
    fact: judged[fact - 1]!,
    candidates: others.map((other) => judged[other - 1]!),
  }));
  const supersessions = await new LocalSuperseder().supersede(asked);
  return {
    outdated: supersessions.map(({ by, old, kind }) => ({
      by: Number(by),
      old: Number(old),
      reason: kind === 'corrects' ? 'it was taken back' : 'both cannot be so at once',
      kind,
      confidence: 0.9,
    })),
  };
}

function judgedFact({ statement, validAt, invalidAt, said }: ShownFact, at: number): JudgedFact {
  const names = statement.match(/\p{Lu}[\p{L}\p{M}-]*/gu) ?? [];
  return {
    id: String(at + 1) as FactId,
    statement,
    validAt,
    invalidAt,
    event: null,
    confidence: 1,
    order: at + 1,
    names: new Map(names.map((name) => [entityNameKey(name) as EntityId, [name]])),
    said,
  };
}
