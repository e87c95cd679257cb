import { EmbedderFaultError } from '../../errors/index.ts';
import type { Embedder } from '../../inference/embedder.ts';
import type { NodeCounts } from '../../model/graph-changes.ts';
import type { EmbeddingId, Scope } from '../../model/ids.ts';
import type {
  Description,
  EmbeddedField,
  Embedding,
  Episode,
  Fact,
  Profile,
  Segment,
} from '../../model/nodes.ts';
import { passagesOf } from '../../search/passages.ts';
import { embeddingModel, type GraphStore } from '../../store/graph-store.ts';
import { isUsableVector, roundedVector } from '../../util/rounded-vector.ts';
import { topicText } from '../describe/local-summarizer.ts';
import type { IngestContext } from '../ingest-context.ts';

/** A text that has a vector, with its row and field. */
export interface OwnedText {
  readonly owner: string;
  readonly field: EmbeddedField;
  readonly text: string;
}

const EPISODE = ['id', 'role', 'content', 'attachments'] as const;
const FACT = ['id', 'statement'] as const;
const PROFILE = ['id', 'name', 'summary'] as const;
const SEGMENT = ['id', 'keywords', 'summary'] as const;
const DESCRIPTION = ['id', 'text'] as const;

interface EmbeddableRows {
  readonly episode?: readonly Pick<Episode, (typeof EPISODE)[number]>[];
  readonly fact?: readonly Pick<Fact, (typeof FACT)[number]>[];
  readonly profile?: readonly Pick<Profile, (typeof PROFILE)[number]>[];
  readonly segment?: readonly Pick<Segment, (typeof SEGMENT)[number]>[];
  readonly description?: readonly Pick<Description, (typeof DESCRIPTION)[number]>[];
}

/** Characters of a token, at least: a turn that is shorter than the window in these is seen whole. */
const CHARACTERS_OF_TOKEN = 4;

type Sight = Pick<Embedder, 'maxTokens'>;

/**
 * The passages of a turn of which the embedder sees only the beginning. An assistant's replies have none: their
 * beginning says what they are about (docs/decisions/2026-11-29-passages.md).
 */
function passageTexts(
  { role, content }: Pick<Episode, 'role' | 'content'>,
  { maxTokens = Number.POSITIVE_INFINITY }: Sight,
): string[] {
  if (role === 'assistant' || content.length <= CHARACTERS_OF_TOKEN * maxTokens) return [];
  const passages = [...passagesOf(content)].map(({ start, end }) => content.slice(start, end).trim());
  return passages.length > 1 ? passages.filter((passage) => passage !== '') : [];
}

/**
 * A turn's content and the passages of a long one, a fact's statement, a profile's name and summary, a segment's
 * topics, a description. Every kind of row with a vector must be listed here and in the two functions below:
 * re-embedding uses them, and deletes other vectors as leftovers.
 */
function embeddableTexts(
  { episode = [], fact = [], profile = [], segment = [], description = [] }: EmbeddableRows,
  sight: Sight,
): OwnedText[] {
  const texts: OwnedText[] = [];
  for (const turn of episode) {
    const { id, content, attachments } = turn;
    const text = [content, ...attachments.map((attachment) => attachment.description)].join(' \n');
    // Without text since a retention rule removed it, or since the turn only carries records of a program.
    if (text.trim() !== '') texts.push({ owner: id, field: 'content', text });
    for (const passage of passageTexts(turn, sight))
      texts.push({ owner: id, field: 'passage', text: passage });
  }
  for (const { id, statement } of fact) texts.push({ owner: id, field: 'statement', text: statement });
  for (const { id, name, summary } of profile) {
    texts.push({ owner: id, field: 'name', text: name });
    texts.push({ owner: id, field: 'summary', text: summary });
  }
  for (const row of segment) texts.push({ owner: row.id, field: 'summary', text: topicText(row) });
  for (const { id, text } of description) texts.push({ owner: id, field: 'text', text });
  return texts;
}

/** All such texts of a scope in batches, including those of superseded rows. */
export async function* scanEmbeddableTexts(
  store: GraphStore,
  scope: Scope,
  sight: Sight,
): AsyncGenerator<readonly OwnedText[]> {
  for await (const episode of store.scan(scope, 'episode', EPISODE))
    yield embeddableTexts({ episode }, sight);
  for await (const fact of store.scan(scope, 'fact', FACT)) yield embeddableTexts({ fact }, sight);
  for await (const profile of store.scan(scope, 'profile', PROFILE))
    yield embeddableTexts({ profile }, sight);
  for await (const segment of store.scan(scope, 'segment', SEGMENT))
    yield embeddableTexts({ segment }, sight);
  for await (const description of store.scan(scope, 'description', DESCRIPTION))
    yield embeddableTexts({ description }, sight);
}

/** Number of texts that `scanEmbeddableTexts` yields for a scope with these numbers of rows, besides passages. */
export function countEmbeddableTexts({ episode, fact, profile, segment, description }: NodeCounts): number {
  return episode + fact + 2 * profile + segment + description;
}

type EmbedContext = Pick<IngestContext, 'embedder' | 'newId'>;

/** The embeddings of new rows. Equal texts are embedded once: a new entity's profile often repeats its fact. */
export async function embedNodes(
  context: EmbedContext,
  nodes: EmbeddableRows,
  signal: AbortSignal | undefined,
): Promise<Embedding[]> {
  const texts = embeddableTexts(nodes, context.embedder);
  const places = new Map<string, number>();
  for (const { text } of texts) if (!places.has(text)) places.set(text, places.size);
  const vectors = await vectorsOf(context, [...places.keys()], signal);
  return texts.map((text) => rowOf(context, text, vectors[places.get(text.text)!]!));
}

/** One row per text, in order. @throws EmbedderFaultError when the vectors are not what the embedder declares. */
export async function embedTexts(
  context: EmbedContext,
  texts: readonly OwnedText[],
  signal: AbortSignal | undefined,
): Promise<Embedding[]> {
  const vectors = await vectorsOf(
    context,
    texts.map(({ text }) => text),
    signal,
  );
  return texts.map((text, at) => rowOf(context, text, vectors[at]!));
}

/** Rounded, as memory keeps them: whatever compares a row's vector sees these numbers. */
async function vectorsOf(
  { embedder }: EmbedContext,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly Float32Array[]> {
  const vectors = await embedder.embed(texts, { as: 'passage', signal });
  checkVectors(vectors, { count: texts.length, dimension: embedder.fingerprint.dimension });
  return vectors.map(roundedVector);
}

function rowOf(
  { embedder, newId }: EmbedContext,
  { owner, field }: OwnedText,
  vector: Float32Array,
): Embedding {
  return { id: newId() as EmbeddingId, owner, field, model: embeddingModel(embedder.fingerprint), vector };
}

/** Runs before anything is written: a vector of another length would fit neither the graph nor the index. */
function checkVectors(
  vectors: readonly Float32Array[],
  { count, dimension }: { count: number; dimension: number },
): void {
  if (vectors.length !== count) throw new EmbedderFaultError(`${vectors.length} vectors for ${count} texts`);
  for (const vector of vectors) {
    if (vector.length !== dimension)
      throw new EmbedderFaultError(`a vector of ${vector.length} numbers instead of ${dimension}`);
    if (!isUsableVector(vector))
      throw new EmbedderFaultError('a vector with numbers that are not finite or far too large');
  }
}
