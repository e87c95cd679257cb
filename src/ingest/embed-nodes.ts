import { EmbedderFaultError } from '../errors/index.ts';
import type { EmbeddingId } from '../model/ids.ts';
import type { Embedding } from '../model/nodes.ts';
import { vectorNorm } from '../search/vector-rows.ts';
import { embeddingModel } from '../store/graph-store.ts';
import { type EmbeddableRows, embeddableTexts, type OwnedText } from './embeddable-texts.ts';
import type { IngestContext } from './ingest-context.ts';

type EmbedContext = Pick<IngestContext, 'embedder' | 'newId'>;

/** The embeddings of new rows. */
export async function embedNodes(
  context: EmbedContext,
  nodes: EmbeddableRows,
  signal: AbortSignal | undefined,
): Promise<Embedding[]> {
  return embedTexts(context, embeddableTexts(nodes), signal);
}

/** One row per text, in order. @throws EmbedderFaultError when the vectors are not what the embedder declares. */
export async function embedTexts(
  { embedder, newId }: EmbedContext,
  texts: readonly OwnedText[],
  signal: AbortSignal | undefined,
): Promise<Embedding[]> {
  const vectors = await embedder.embed(
    texts.map(({ text }) => text),
    { as: 'passage', signal },
  );
  checkVectors(vectors, { count: texts.length, dimension: embedder.fingerprint.dimension });
  const model = embeddingModel(embedder.fingerprint);
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
