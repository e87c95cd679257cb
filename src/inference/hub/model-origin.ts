/** A number that tells contents apart, as the origin states it. */
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
  /** Where in the file the chunks start: what was asked for, or 0 from an origin that cannot skip. */
  readonly from: number;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** Where models come from: a hub, a mirror of it, a folder. One object serves one pull. */
export interface ModelOrigin {
  /** The commit that the revision is, as far as a reply has told it. */
  readonly commit: string | null;
  /** Every wanted file with its size. @throws HubRefusalError when one is not there. */
  list(signal: AbortSignal): Promise<readonly PublishedFile[]>;
  /** @throws HubUnavailableError when trying again may help. */
  read(file: PublishedFile, from: number, signal: AbortSignal): Promise<FileBody>;
}
