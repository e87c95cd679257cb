import type { CallbackManagerForRetrieverRun } from '@langchain/core/callbacks/manager';
import { Document } from '@langchain/core/documents';
import { BaseRetriever, type BaseRetrieverInput } from '@langchain/core/retrievers';
import type { MemoryScope, SearchOptions } from '../engine/memory-scope.ts';
import type { RetrievedItem, SearchResult, SourceTurn, Vote } from '../model/retrieved-item.ts';

type Kind = RetrievedItem['kind'];

export interface MnemisRetrieverOptions extends BaseRetrieverInput {
  /** Whose memory is read: bound here, because a retriever's calls carry no user. */
  readonly memory: MemoryScope;
  /** Episodes per question; entities and facts get twice as many. Default 10. */
  readonly k?: number;
  readonly recipe?: SearchOptions['recipe'];
  /** Kinds to return, in this order. Default: episodes only, the raw evidence. */
  readonly kinds?: readonly Kind[];
}

/** What stands in a document's metadata besides its `id`. */
export interface EvidenceMetadata {
  readonly kind: Kind;
  readonly rank: number;
  readonly score: number;
  readonly why: readonly Vote[];
  readonly sources: readonly SourceTurn[];
  /** ISO 8601; of episodes and facts. */
  readonly validAt?: string;
  readonly speaker?: string;
  readonly session?: string;
}

/** A LangChain retriever over one scope: each item of a search is a Document that says where it comes from. */
export class MnemisRetriever extends BaseRetriever<EvidenceMetadata> {
  static override lc_name(): string {
    return 'MnemisRetriever';
  }

  override readonly lc_namespace = ['mnemis', 'retrievers'];
  readonly #memory: MemoryScope;
  readonly #search: SearchOptions;
  readonly #kinds: readonly Kind[];

  constructor({ memory, k, recipe, kinds = ['episode'], ...fields }: MnemisRetrieverOptions) {
    super(fields);
    this.#memory = memory;
    this.#search = { ...(k === undefined ? {} : { k }), ...(recipe === undefined ? {} : { recipe }) };
    this.#kinds = kinds;
  }

  override async _getRelevantDocuments(
    query: string,
    _callbacks?: CallbackManagerForRetrieverRun,
  ): Promise<Document<EvidenceMetadata>[]> {
    const result = await this.#memory.search(query, this.#search);
    return this.#kinds.flatMap((kind) => itemsOf(kind, result).map(toDocument));
  }
}

function itemsOf(kind: Kind, { episodes, entities, facts }: SearchResult): readonly RetrievedItem[] {
  return { episode: episodes, entity: entities, fact: facts }[kind];
}

function toDocument(item: RetrievedItem): Document<EvidenceMetadata> {
  const { kind, rank, score, why, sources } = item;
  const metadata: EvidenceMetadata = {
    ...{ kind, rank, score, why, sources },
    ...(item.kind === 'entity' ? {} : { validAt: new Date(item.validAt).toISOString() }),
    ...(item.kind === 'episode' ? { speaker: item.speaker, session: item.session } : {}),
  };
  return new Document({ id: item.id, pageContent: contentOf(item), metadata });
}

function contentOf(item: RetrievedItem): string {
  if (item.kind === 'fact') return item.statement;
  if (item.kind === 'entity') return `${item.name}: ${item.summary}`;
  const seen = item.attachments.map((attachment) => ` [${attachment.kind}: ${attachment.description}]`);
  return `${item.speaker}: ${item.content}${seen.join('')}`;
}
