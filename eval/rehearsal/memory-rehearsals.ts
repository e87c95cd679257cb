import {
  type CategorizeInput,
  categorizeNodes,
  type NodeToCategorize,
} from '../../src/hierarchy/categorize/llm/categorize-nodes-prompt.ts';
import {
  type DescribeCategoriesInput,
  describeCategories,
} from '../../src/hierarchy/describe/describe-categories-prompt.ts';
import {
  type NounSense,
  type NounTaxonomy,
  sharedNounTaxonomy,
} from '../../src/inference/taxonomy/noun-taxonomy.ts';
import {
  type DescribeInput,
  describeEntities,
  type EntityNote,
} from '../../src/ingest/describe/describe-entities-prompt.ts';
import { summarizeEntity } from '../../src/ingest/describe/profile-summary.ts';
import {
  type NamedEntity,
  type ResolveInput,
  resolveEntities,
} from '../../src/ingest/resolve/resolve-entities-prompt.ts';
import {
  type RelateInput,
  relateSegments,
  type SummarizedSegment,
} from '../../src/ingest/segment/relate/relate-segments-prompt.ts';
import { jaccard } from '../../src/ingest/segment/relate/segment-relator.ts';
import { LocalSuperseder } from '../../src/ingest/supersede/local-superseder.ts';
import {
  type OutdatedInput,
  outdatedFacts,
  type ShownFact,
} from '../../src/ingest/supersede/outdated-facts-prompt.ts';
import type { JudgedFact } from '../../src/ingest/supersede/superseder.ts';
import type { EntityId, FactId } from '../../src/model/ids.ts';
import { readNames } from '../../src/retrieve/traversal/match-entities.ts';
import { parseQuestion } from '../../src/retrieve/traversal/parse-question-prompt.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { groupBy } from '../../src/util/collections.ts';
import { capitalized, entityNameKey, shorten } from '../../src/util/tidy.ts';
import { type Rehearsal, rehearsal } from './reading-rehearsals.ts';

/** Two topics with a smaller share of common words are unrelated. */
const LEAST_OVERLAP = 0.1;

/** The prompts that compare what was read with memory. */
export function memoryRehearsals(): Rehearsal[] {
  return [
    rehearsal(resolveEntities, async (input) => decisions(input)),
    rehearsal(describeEntities, async (input) => profiles(input)),
    rehearsal(relateSegments, async (input) => relations(input)),
    rehearsal(outdatedFacts, async (input) => outdated(input)),
    rehearsal(parseQuestion, async ({ question }) => ({ entities: capitalizedNames(question) })),
  ];
}

const NO_NAMES = { idsOfName: () => [], idsOfStart: () => [] };

function capitalizedNames(text: string): readonly string[] {
  return readNames(text, NO_NAMES, { longestName: 1, limit: { check: () => undefined } }).unknown;
}

/** Equal names are one entity, the best candidate if there are several; other pairs are left out. */
function decisions({ entities }: ResolveInput) {
  const all = entities.flatMap((entity, at) => {
    const same = entity.candidates.findIndex((candidate) => shareName(entity, candidate));
    if (same === -1) return [];
    const [reason, verdict] = ['the same name', 'same'];
    return [{ entity: at + 1, candidate: same + 1, reason, verdict, confidence: 0.9 }];
  });
  return { matches: all };
}

function shareName(a: NamedEntity, b: NamedEntity): boolean {
  const names = new Set([a.name, ...a.aliases].map(entityNameKey));
  return [b.name, ...b.aliases].some((name) => names.has(entityNameKey(name)));
}

function profiles({ entities }: DescribeInput) {
  return {
    profiles: entities.map(({ name, summary: before, notes }, at) => {
      const facts = [{ statement: before, validAt: -Infinity }, ...notes.map(noted)];
      const { summary, tags } = summarizeEntity({ name, kind: 'thing', facts, mentions: facts.length });
      return { entity: at + 1, summary, tags };
    }),
  };
}

function noted({ text, at }: EntityNote) {
  return { statement: text, validAt: at };
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

/** Decides by the local rules; capitalized words give the entities of a fact. */
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

function judgedFact({ statement, validAt, invalidAt, toldAt, said }: ShownFact, at: number): JudgedFact {
  const names = statement.match(/\p{Lu}[\p{L}\p{M}-]*/gu) ?? [];
  return {
    id: String(at + 1) as FactId,
    statement,
    validAt,
    invalidAt,
    event: null,
    confidence: 1,
    told: { session: String(toldAt), index: at, at: toldAt, offset: 0 },
    retold: [],
    names: new Map(names.map((name) => [entityNameKey(name) as EntityId, [name]])),
    said,
  };
}

/** Common names for kinds of entities; the kind of all others is uninformative. */
const KINDS: Readonly<Record<string, string>> = {
  person: 'People',
  place: 'Places',
  organisation: 'Organisations',
  date: 'Dates',
};
const PLAIN_KIND = 'thing';
/** Depth of each layer's kinds below "entity", the finest first. */
const DEPTHS = [7, 5, 4, 3, 2];
/** How much deeper the parts of a category are. */
const FINER = 2;
const LONGEST_SUMMARY = 240;

/** The prompts of the hierarchy. A taxonomy of nouns replaces the model's knowledge of kinds. */
export function categoryRehearsals(): Rehearsal[] {
  let taxonomy: Promise<NounTaxonomy> | undefined;
  return [
    rehearsal(categorizeNodes, async (input) => {
      taxonomy ??= sharedNounTaxonomy();
      return categories(input, await taxonomy);
    }),
    rehearsal(describeCategories, async (input) => summaries(input)),
  ];
}

function categories(
  { nodes, layer, within, known, minimumChildren }: CategorizeInput,
  taxonomy: NounTaxonomy,
) {
  const depth = (DEPTHS[layer - 1] ?? 1) + (within === undefined ? 0 : FINER);
  const tagged = groupBy(nodes.flatMap(tagsOf), (tag) => tag);
  const named = nodes.flatMap((node, at) => {
    const shared = tagsOf(node).filter((tag) => tagged.get(tag)!.length > 1);
    const kinds = node.tags.flatMap((tag) => (within === undefined ? (KINDS[tag] ?? []) : []));
    const names = [...kinds, ...shared, kindOf(node.name, depth, taxonomy) ?? lastWord(node.name)];
    return [...new Set(names.map(capitalized))].map((name) => ({ name, at }));
  });
  const groups = Array.from(
    groupBy(named, ({ name }) => name),
    ([category, members]) => ({
      category,
      tags: known.includes(category) ? [] : [category.toLowerCase()],
      nodes: members.map(({ at }) => at + 1),
    }),
  ).filter((each) => each.nodes.length >= minimumChildren || known.includes(each.category));
  const placed = new Set(groups.flatMap((each) => each.nodes));
  return { categories: groups, alone: nodes.map((_, at) => at + 1).filter((number) => !placed.has(number)) };
}

function tagsOf({ tags }: NodeToCategorize): string[] {
  return [...new Set(tags)].filter((tag) => tag !== PLAIN_KIND && KINDS[tag] === undefined);
}

/** The taxonomy's name of the kind at this depth below "entity", or just above the thing itself. */
function kindOf(name: string, depth: number, taxonomy: NounTaxonomy): string | undefined {
  const head = lastWord(name);
  const forms = [name, head, head.replace(/ies$/, 'y'), head.replace(/es$/, ''), head.replace(/s$/, '')];
  const [sense] = forms.flatMap((form) => taxonomy.sensesOf(form.toLowerCase()));
  if (sense === undefined) return undefined;
  const chain = chainTo(sense, taxonomy);
  const kind = chain[Math.max(0, Math.min(depth, chain.length - 2))]!;
  return taxonomy.namesOf(kind)[0];
}

function chainTo(sense: NounSense, taxonomy: NounTaxonomy): NounSense[] {
  const chain: NounSense[] = [];
  for (let at: NounSense | undefined = sense; at !== undefined; at = taxonomy.parentsOf(at)[0])
    chain.unshift(at);
  return chain;
}

function lastWord(name: string): string {
  return /[\p{L}\p{N}]+(?=[^\p{L}\p{N}]*$)/u.exec(name)?.[0].toLowerCase() ?? 'thing';
}

/** Descriptions of the first children. */
function summaries({ categories }: DescribeCategoriesInput) {
  return {
    summaries: categories.map(({ name, children }, at) => {
      const told = children.map(({ summary }) => summary).filter((summary) => summary !== '');
      const names = children.slice(0, 5).map((child) => child.name);
      const summary = `${name}: ${names.join(', ')}. ${told.slice(0, 3).join(' ')}`;
      return { category: at + 1, summary: shorten(summary, LONGEST_SUMMARY) };
    }),
  };
}
