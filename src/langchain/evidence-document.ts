import { Document } from '@langchain/core/documents';
import type { Role } from '../model/nodes.ts';
import type { RetrievedItem, SourceTurn, Vote } from '../model/retrieved-item.ts';

/** Metadata of a document, as plain JSON. Its fields depend on the kind. */
export interface EvidenceMetadata {
  /** As the document's own `id`: an episode, fact, entity or category. */
  readonly id: string;
  readonly kind: RetrievedItem['kind'];
  /** Place in the list of its kind, from 1. */
  readonly rank: number;
  /** Fused score; comparable within one kind of one search only. */
  readonly score: number;
  /** From 0 to 1; comparable over questions. */
  readonly relevance?: number;
  /** Every vote for it, the strongest first: route, list, rank (from 1) and raw score. */
  readonly why: readonly Vote[];
  /** Its evidence turns. */
  readonly sources: readonly SourceTurn[];
  /** Names from the top of the hierarchy to where it was found, if it was found by a walk down the categories. */
  readonly categoryPath?: readonly string[];
  /** ISO 8601. Of an episode: when it was said. Of a fact: when it began to hold. */
  readonly validAt?: string;
  /** ISO 8601; when the fact stopped holding. */
  readonly invalidAt?: string;
  /** Of a fact: the time that it is about, a half-open interval, ISO 8601. */
  readonly event?: { readonly start: string; readonly end: string };
  /** Of a fact: from 0 to 1. */
  readonly confidence?: number;
  /** Of an episode. */
  readonly speaker?: string;
  readonly role?: Role;
  readonly session?: string;
  readonly index?: number;
  readonly source?: string;
  readonly sourceId?: string;
  /** Of an entity: 0; of a category: its layer, from 1. */
  readonly layer?: number;
  readonly name?: string;
  readonly aliases?: readonly string[];
  readonly tags?: readonly string[];
}

/** Converts an item of a search to a document with its sources. */
export function evidenceDocument(item: RetrievedItem): Document<EvidenceMetadata> {
  const { id, kind, rank, score, relevance, why, sources } = item;
  const path = why.find((vote) => (vote.path?.length ?? 0) > 0)?.path;
  const metadata: EvidenceMetadata = {
    id,
    kind,
    rank,
    score,
    ...(relevance === undefined ? {} : { relevance }),
    ...(path === undefined ? {} : { categoryPath: [...path] }),
    ...fieldsOf(item),
    why,
    sources,
  };
  return new Document({ id, pageContent: contentOf(item), metadata });
}

function fieldsOf(item: RetrievedItem): Partial<EvidenceMetadata> {
  switch (item.kind) {
    case 'episode': {
      const { speaker, role, session, index, source, sourceId, validAt } = item;
      const named = sourceId === null ? {} : { sourceId };
      return { speaker, role, session, index, source, ...named, ...time('validAt', validAt) };
    }
    case 'fact': {
      const { confidence, validAt, invalidAt, event } = item;
      const happened =
        event === null ? {} : { event: { start: isoTime(event.start), end: isoTime(event.end) } };
      return { confidence, ...time('validAt', validAt), ...time('invalidAt', invalidAt), ...happened };
    }
    case 'entity': {
      const { layer, name, aliases, tags } = item;
      return { layer, name, aliases: [...aliases], tags: [...tags] };
    }
  }
}

function time<Name extends 'validAt' | 'invalidAt'>(name: Name, at: number | null) {
  return at === null ? {} : { [name]: isoTime(at) };
}

/** A stored time may exceed the range of Date. */
function isoTime(at: number): string {
  const date = new Date(at);
  return Number.isNaN(date.getTime()) ? String(at) : date.toISOString();
}

function contentOf(item: RetrievedItem): string {
  if (item.kind === 'fact') return item.statement;
  if (item.kind === 'entity') return [item.name, item.summary].filter((part) => part !== '').join(': ');
  const seen = item.attachments
    .filter(({ description }) => description !== '')
    .map(({ kind, description }) => `[${kind}: ${description}]`);
  return `${item.speaker}: ${[item.content, ...seen].filter((part) => part !== '').join(' ')}`;
}
