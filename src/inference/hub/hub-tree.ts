import { z } from 'zod';
import { HubRefusalError } from '../../errors/index.ts';
import type { Digest, PublishedFile } from './model-origin.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const gitBlob = z.string().regex(/^[0-9a-f]{40}$/);

/** The hub’s list of a repository’s files: large files state their SHA-256, small ones git’s id. */
const treeSchema = z.array(
  z.object({
    type: z.string(),
    path: z.string(),
    size: z.number().int().nonnegative().optional(),
    oid: gitBlob.optional(),
    lfs: z.object({ oid: sha256, size: z.number().int().nonnegative() }).optional(),
  }),
);

export type TreeEntry = z.infer<typeof treeSchema>[number];

/** @throws HubRefusalError when the text is no tree. */
export function parseTree(text: string, what: string): readonly TreeEntry[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = null;
  }
  const parsed = treeSchema.safeParse(json);
  if (!parsed.success) throw new HubRefusalError(`What the hub says of ${what} is no list of files`);
  return parsed.data;
}

/** @throws HubRefusalError when a wanted file is not in the tree, or without size and checksum. */
export function publishedFiles(entries: readonly TreeEntry[], wanted: readonly string[]): PublishedFile[] {
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
