import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { describeIssues } from '../../util/describe-issues.ts';

/** What to fetch: files of one repository at one revision, stored under Mnemis’ name of the model. */
export interface ModelSource {
  readonly name: string;
  /** `owner/name` on the hub. */
  readonly repository: string;
  readonly revision: string;
  readonly files: readonly string[];
}

/** A path that stays inside its folder on every system. Names with a leading dot are reserved. */
export const safePath = z
  .string()
  .max(400)
  .regex(/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/, 'it must be a relative path of plain names')
  .refine((path) => path.split('/').every((part) => !part.endsWith('.')), 'no name may end with a dot');

export const modelName = z
  .string()
  .max(100)
  .regex(/^[\w-][\w.-]*$/, 'it must be a plain name')
  .refine((name) => !name.endsWith('.'), 'it must not end with a dot');

const sourceSchema = z.object({
  name: modelName,
  repository: z.string().regex(/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)?$/, 'it must be owner/name'),
  revision: safePath,
  files: z.array(safePath).min(1),
});

/** @throws InvalidInputError for names that could lead out of the model’s folder. */
export function checkSource(source: ModelSource): ModelSource {
  const parsed = sourceSchema.safeParse(source);
  if (!parsed.success)
    throw new InvalidInputError(`This model cannot be fetched: ${describeIssues(parsed.error)}`);
  return { ...parsed.data, files: [...new Set(parsed.data.files)] };
}

export interface Digest {
  /** `git-blob` is SHA-1 over "blob", the size, a zero byte and the content: git’s own id of a file. */
  readonly kind: 'sha256' | 'git-blob';
  readonly hex: string;
}

export interface PublishedFile {
  readonly path: string;
  readonly bytes: number;
  /** Null where the origin states none. */
  readonly digest: Digest | null;
}

export interface FileBody {
  /** Offset of the first chunk: the requested one, or 0 from an origin that cannot skip. */
  readonly from: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Where models come from: a hub, a mirror of it, a folder. One object serves one pull. */
export interface ModelOrigin {
  /** The commit of the revision, once a reply has named it. */
  readonly commit: string | null;
  /** Every wanted file with its size. @throws HubRefusalError when one is not there. */
  list(signal: AbortSignal): Promise<readonly PublishedFile[]>;
  /** @throws HubUnavailableError when trying again may help. */
  read(file: PublishedFile, from: number, signal: AbortSignal): Promise<FileBody>;
}
