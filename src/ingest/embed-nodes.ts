import { EmbedderFaultError } from '../errors/index.ts';
import type { EmbeddingId } from '../model/ids.ts';
import type { EmbeddedField, Embedding, Episode, Fact, Profile } from '../model/nodes.ts';
import { vectorNorm } from '../search/rounding.ts';
import type { IngestContext } from './ingest-context.ts';

interface Embeddable {
  readonly episode?: readonly Episode[];
  readonly fact?: readonly Fact[];
  readonly profile?: readonly Profile[];
}

/** The embeddings of new rows: a turn's words, a fact's statement, a profile's name and summary. */
export async function embedNodes(
  { embedder, newId }: Pick<IngestContext, 'embedder' | 'newId'>,
  nodes: Embeddable,
  signal: AbortSignal | undefined,
): Promise<Embedding[]> {
  const texts = textsOf(nodes);
  const vectors = await embedder.embed(
    texts.map(({ text }) => text),
    { as: 'passage', signal },
  );
  checkVectors(vectors, { count: texts.length, dimension: embedder.fingerprint.dimension });
  const model = fingerprintText(embedder.fingerprint);
  return texts.map(({ owner, field }, position) => ({
    id: newId() as EmbeddingId,
    owner,
    field,
    model,
    vector: vectors[position]!,
  }));
}

/** Before anything is written: a vector of another length would fit neither the graph nor the index. */
function checkVectors(
  vectors: readonly Float32Array[],
  { count, dimension }: { count: number; dimension: number },
): void {
  if (vectors.length !== count) throw new EmbedderFaultError(`${vectors.length} vectors for ${count} texts`);
  for (const vector of vectors) {
    if (vector.length !== dimension)
      throw new EmbedderFaultError(`a vector of ${vector.length} numbers instead of ${dimension}`);
    if (vectorNorm(vector) === null)
      throw new EmbedderFaultError('a vector with numbers that are not finite or far too large');
  }
}

export function fingerprintText({ model, dimension }: { model: string; dimension: number }): string {
  return `${model}@${dimension}`;
}

function textsOf({ episode = [], fact = [], profile = [] }: Embeddable) {
  const texts: { owner: string; field: EmbeddedField; text: string }[] = [];
  for (const { id, content, attachments } of episode)
    texts.push({
      owner: id,
      field: 'content',
      text: [content, ...attachments.map((attachment) => attachment.description)].join(' \n'),
    });
  for (const { id, statement } of fact) texts.push({ owner: id, field: 'statement', text: statement });
  for (const { id, name, summary } of profile) {
    texts.push({ owner: id, field: 'name', text: name });
    texts.push({ owner: id, field: 'summary', text: summary });
  }
  return texts;
}
