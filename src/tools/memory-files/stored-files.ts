import { randomUUID } from 'node:crypto';
import type { MemoryScope } from '../../engine/memory-scope.ts';
import type { Episode } from '../../model/nodes.ts';
import { isWithin } from './file-path.ts';

/** `source` of the turns that are files. */
const SOURCE = 'memory-file';
/** Kind of the attachment that has the path. It is shown with the text wherever a search shows the turn. */
const KIND = 'file';
const PAGE = 500;

/** A file that the model wrote. */
export interface StoredFile {
  readonly path: string;
  readonly content: string;
  /** The turns with this path: as a rule one, several where two processes created it at once. */
  readonly turns: readonly Episode[];
}

/** The part of a scope that stores files. */
export type FileMemory = Pick<MemoryScope, 'add' | 'forget' | 'preview' | 'knowledge'>;

/** A new version of a file; without `of`, a new file. */
export interface FileVersion {
  readonly path: string;
  readonly content: string;
  readonly of?: StoredFile | undefined;
}

/**
 * The files that a model wrote in one scope. A file is a turn of the assistant, with its path as the session and as an
 * attachment, which an empty file needs: so it is searched, read for facts, redacted, exported and forgotten as any
 * turn is. An edit is a new version of the turn; its former text stays only in the history.
 */
export class StoredFiles {
  readonly #memory: FileMemory;

  constructor(memory: FileMemory) {
    this.#memory = memory;
  }

  /** All files by path, sorted. A file whose text a retention rule removed is left out. */
  async all(): Promise<ReadonlyMap<string, StoredFile>> {
    const files = new Map<string, StoredFile>();
    let after: string | undefined;
    do {
      const page = await this.#memory.knowledge.turns({ source: SOURCE, limit: PAGE, after });
      // The latest first.
      for (const turn of page.items) {
        const path = turn.attachments.find(({ kind }) => kind === KIND)?.description;
        if (path === undefined) continue;
        const { content, turns } = files.get(path) ?? { content: turn.content, turns: [] };
        files.set(path, { path, content, turns: [...turns, turn] });
      }
      after = page.next ?? undefined;
    } while (after !== undefined);
    return new Map([...files].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** Why memory would not take the path itself, such as a key in it; null if it does. */
  async refusalOf(path: string): Promise<string | null> {
    const [outcome] = (await this.#memory.preview([{ content: path }])).outcomes;
    if (outcome?.status === 'rejected') return outcome.reason;
    const secrets = outcome !== undefined && 'redacted' in outcome ? kindsOf(outcome) : [];
    return secrets.length === 0 ? null : `it contains a secret (${secrets.join(', ')})`;
  }

  /** Stores versions in one step; `refusal` is the first reason why one was not stored. */
  async write(
    versions: readonly FileVersion[],
    signal: AbortSignal | undefined,
  ): Promise<{ readonly refusal: string | null; readonly redacted: readonly string[] }> {
    const turns = versions.map(({ path, content, of }) => ({
      content,
      role: 'assistant' as const,
      trust: 'low' as const,
      session: path,
      source: SOURCE,
      sourceId: of?.turns[0]?.sourceId ?? randomUUID(),
      attachments: [{ kind: KIND, description: path }],
    }));
    const { outcomes } = await this.#memory.add(turns, { signal });
    const refused = outcomes.find(({ status }) => status === 'rejected');
    return {
      refusal: refused !== undefined && 'reason' in refused ? refused.reason : null,
      redacted: [...new Set(outcomes.flatMap((outcome) => ('redacted' in outcome ? kindsOf(outcome) : [])))],
    };
  }

  /** Forgets files with all their versions. */
  async remove(files: readonly StoredFile[], signal: AbortSignal | undefined): Promise<void> {
    const episodes = files.flatMap(({ turns }) => turns.map(({ id }) => id));
    await this.#memory.forget({ episodes }, { author: 'agent', signal });
  }
}

/** The files at the path or in the directory of that name. */
export const filesAt = (files: ReadonlyMap<string, StoredFile>, path: string): readonly StoredFile[] =>
  [...files.values()].filter((file) => isWithin(file.path, path));

const kindsOf = ({ redacted = [] }: { readonly redacted?: readonly { readonly kind: string }[] }) =>
  redacted.map(({ kind }) => kind);
