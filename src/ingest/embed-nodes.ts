import type { EmbeddingId } from '../model/ids.ts';
import type { EmbeddedField, Embedding, Episode, Fact, Profile } from '../model/nodes.ts';
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
  const model = fingerprintText(embedder.fingerprint);
  return texts.map(({ owner, field }, position) => ({
    id: newId() as EmbeddingId,
    owner,
    field,
    model,
    vector: vectors[position]!,
  }));
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
