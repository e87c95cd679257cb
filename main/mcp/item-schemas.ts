import { z } from 'zod';
import type {
  RetrievedEntity,
  RetrievedEpisode,
  RetrievedFact,
  RetrievedItem,
} from '../../src/model/retrieved-item.ts';
import { clip } from '../../src/prompts/as-data.ts';

const LONGEST_TURN = 4_000;
const LONGEST_SUMMARY = 2_000;
const MOST_SOURCES = 5;

const why = z.array(z.string()).describe('The routes that found it, the strongest first.');
const sources = z.array(z.string()).describe('Addresses of its evidence turns, at most 5.');

export const turnItemSchema = z.object({
  id: z.string(),
  uri: z.string().describe('Address of the turn as a resource.'),
  content: z.string(),
  complete: z
    .boolean()
    .describe('False if the middle of a long turn is omitted; the resource has all of it.'),
  speaker: z.string(),
  role: z.string(),
  session: z.string(),
  index: z.number(),
  saidAt: z.string(),
  score: z.number(),
  why,
});

export const factItemSchema = z.object({
  id: z.string(),
  statement: z.string(),
  validFrom: z.string(),
  validUntil: z.string().nullable().describe('Null if it still holds.'),
  confidence: z.number(),
  score: z.number(),
  why,
  sources,
});

export const entityItemSchema = z.object({
  id: z.string(),
  kind: z.enum(['entity', 'category']),
  name: z.string(),
  summary: z.string(),
  tags: z.array(z.string()),
  score: z.number(),
  why,
  sources,
});

type Told<Schema extends z.ZodType> = z.input<Schema>;

export function turnItem(item: RetrievedEpisode, scope: string): Told<typeof turnItemSchema> {
  const { id, speaker, role, session, index, score } = item;
  return {
    id,
    uri: episodeUri(scope, id),
    speaker,
    role,
    session,
    index,
    score,
    content: clip(item.content, LONGEST_TURN),
    complete: item.content.length <= LONGEST_TURN,
    saidAt: isoTime(item.validAt),
    why: routesOf(item),
  };
}

export function factItem(item: RetrievedFact, scope: string): Told<typeof factItemSchema> {
  const { id, statement, validAt, invalidAt, confidence, score } = item;
  return {
    id,
    statement: clip(statement, LONGEST_SUMMARY),
    confidence,
    score,
    validFrom: isoTime(validAt),
    validUntil: invalidAt === null ? null : isoTime(invalidAt),
    why: routesOf(item),
    sources: sourcesOf(item, scope),
  };
}

export function entityItem(item: RetrievedEntity, scope: string): Told<typeof entityItemSchema> {
  const { id, name, tags, layer, score } = item;
  return {
    id,
    name,
    tags: [...tags],
    score,
    kind: layer > 0 ? 'category' : 'entity',
    summary: clip(item.summary, LONGEST_SUMMARY),
    why: routesOf(item),
    sources: sourcesOf(item, scope),
  };
}

/** Addresses of the turns of an item, where their original text can be read. */
export function sourcesOf(item: RetrievedItem, scope: string): string[] {
  if (item.kind === 'episode') return [episodeUri(scope, item.id)];
  return item.sources.slice(0, MOST_SOURCES).map(({ episode }) => episodeUri(scope, episode));
}

/** ISO 8601, UTC; empty for an invalid time. */
export function isoTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

function routesOf({ why }: RetrievedItem): string[] {
  return [...new Set(why.map(({ route }) => route))];
}

/** The scope is part of the address, so that a server rejects addresses of another scope. */
const baseOf = (scope: string): string => `mnemis://${encodeURIComponent(scope.toWellFormed())}/episode/`;

export function episodeUri(scope: string, id: string): string {
  return `${baseOf(scope)}${encodeURIComponent(id.toWellFormed())}`;
}

/** Template for clients that build such an address themselves. */
export function episodeUriTemplate(scope: string): string {
  return `${baseOf(scope)}{id}`;
}
