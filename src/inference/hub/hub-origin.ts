import { Readable } from 'node:stream';
import { z } from 'zod';
import { HubRefusalError, HubUnavailableError } from '../../errors/index.ts';
import { HubClient, type HubClientOptions } from './hub-client.ts';
import { parseJson } from './model-folder.ts';
import {
  checkSource,
  type Digest,
  type FileBody,
  type ModelOrigin,
  type ModelSource,
  type PublishedFile,
} from './model-origin.ts';

/** The hub that the profiles’ repositories are on; `modelsMirror` names another that serves the same paths. */
export const PUBLIC_HUB = 'https://huggingface.co';

const MOST_PAGES = 50;
/** Characters of one page of a tree; a file takes some hundred. */
const LARGEST_PAGE = 8 * 2 ** 20;

/** Reads from a hub: sizes and checksums from its tree, contents from its resolve address. */
export class HubOrigin implements ModelOrigin {
  readonly #client: HubClient;
  readonly #source: ModelSource;
  #commit: string | null;
  readonly #etags = new Map<string, string>();

  constructor(source: ModelSource, options: HubClientOptions) {
    this.#source = checkSource(source);
    this.#client = new HubClient(options);
    this.#commit = /^[0-9a-f]{40}$/.test(source.revision) ? source.revision : null;
  }

  get commit(): string | null {
    return this.#commit;
  }

  async list(signal: AbortSignal): Promise<readonly PublishedFile[]> {
    const { repository, revision, files } = this.#source;
    const what = `${repository} at ${revision}`;
    const entries: TreeEntry[] = [];
    let query = 'recursive=true';
    for (let page = 0; query !== '' && page < MOST_PAGES; page += 1) {
      const path = `api/models/${repository}/tree/${encodeURIComponent(revision)}?${query}`;
      const reply = await this.#client.get(path, { what, repository, signal });
      entries.push(...parseTree(await readText(reply.response, what), what));
      this.#commit ??= reply.commit;
      query = nextQuery(reply.response);
    }
    return publishedFiles(entries, files);
  }

  async read(file: PublishedFile, from: number, signal: AbortSignal): Promise<FileBody> {
    const { repository, revision } = this.#source;
    const { response, commit } = await this.#client.get(
      `${repository}/resolve/${encodeURIComponent(revision)}/${file.path}`,
      { what: file.path, repository, signal, headers: this.#range(file, from) },
    );
    this.#commit ??= commit;
    const etag = response.headers.get('etag');
    if (etag !== null && !etag.startsWith('W/')) this.#etags.set(file.path, etag);
    else this.#etags.delete(file.path);
    if (response.status === 416) {
      await response.body?.cancel();
      return { from: 0, chunks: Readable.from([]) };
    }
    if (response.body === null) throw new HubUnavailableError(`${file.path} was sent without content`);
    return { from: startOf(response, file.path), chunks: chunksOf(response.body, file.path) };
  }

  /** If-Range makes a server whose file changed since the last part send the whole new file. */
  #range({ path }: PublishedFile, from: number): Record<string, string> {
    if (from === 0) return {};
    const etag = this.#etags.get(path);
    return { range: `bytes=${from}-`, ...(etag === undefined ? {} : { 'if-range': etag }) };
  }
}

/** 206 states its offset; 200 is the whole file, whatever was requested. */
function startOf(response: Response, path: string): number {
  if (response.status !== 206) return 0;
  const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
  if (start === undefined) throw new HubRefusalError(`The hub sent a part of ${path} without its offset`);
  return Number(start);
}

/** A body that ends early fails in several ways; another attempt may help with each. */
async function* chunksOf(body: AsyncIterable<Uint8Array>, path: string): AsyncIterable<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    throw new HubUnavailableError(`${path} ended early`, { cause });
  }
}

async function readText(response: Response, what: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > LARGEST_PAGE) break;
    }
  } catch (cause) {
    throw new HubUnavailableError(`The hub’s list of ${what} ended early`, { cause });
  }
  if (text.length > LARGEST_PAGE)
    throw new HubRefusalError(`The hub sent no valid list of files for ${what}`);
  return text + decoder.decode();
}

/** Only the query of the next page’s address is used, so that no other host is asked. */
function nextQuery({ headers }: Response): string {
  const next = /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1];
  return next === undefined || !URL.canParse(next, PUBLIC_HUB)
    ? ''
    : new URL(next, PUBLIC_HUB).search.slice(1);
}

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const gitBlob = z.string().regex(/^[0-9a-f]{40}$/);

/** The hub’s list of a repository’s files: large files have a SHA-256, small ones git’s blob id. */
const treeSchema = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.number().int().nonnegative().optional(),
    oid: gitBlob.optional(),
    lfs: z.object({ oid: sha256, size: z.number().int().nonnegative() }).optional(),
  }),
);

type TreeEntry = z.infer<typeof treeSchema>[number];

function parseTree(text: string, what: string): readonly TreeEntry[] {
  const parsed = treeSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new HubRefusalError(`The hub sent no valid list of files for ${what}`);
  return parsed.data;
}

/** @throws HubRefusalError when a wanted file is not in the tree, or without size and checksum. */
function publishedFiles(entries: readonly TreeEntry[], wanted: readonly string[]): PublishedFile[] {
  const byPath = new Map(entries.filter(({ type }) => type === 'file').map((entry) => [entry.path, entry]));
  return wanted.map((path) => {
    const entry = byPath.get(path);
    if (entry === undefined) throw new HubRefusalError(`The hub does not have ${path}`);
    const bytes = entry.lfs?.size ?? entry.size;
    const digest = digestOf(entry);
    if (bytes === undefined || digest === null)
      throw new HubRefusalError(`The hub states no size and checksum of ${path}`);
    return { path, bytes, digest };
  });
}

function digestOf({ lfs, oid }: TreeEntry): Digest | null {
  if (lfs !== undefined) return { kind: 'sha256', hex: lfs.oid };
  return oid === undefined ? null : { kind: 'git-blob', hex: oid };
}
