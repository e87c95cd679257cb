import { type MemoryClient, MOST_PART_BYTES } from '../../main/contract.ts';

/** A multiple of three, so that only the last part's base64 has padding; small enough for a smooth progress. */
export const PART_BYTES = Math.min(1_500_000, MOST_PART_BYTES - (MOST_PART_BYTES % 3));
/** Pauses before another try, as while the engine starts again. */
const PAUSES = [300, 1_000, 2_500, 5_000];
/** Codes of errors that another try may not meet; an error without a code is one of the network. */
const PASSING: ReadonlySet<unknown> = new Set([
  'app-unreachable',
  'engine-unreachable',
  'engine-stopping',
  'engine-stopped',
  'engine-busy',
  undefined,
]);

type UploadClient = Pick<MemoryClient, 'beginUpload' | 'uploadPart' | 'deleteUpload'>;

interface UploadOptions {
  /** Cancels the upload and deletes what the engine received. */
  readonly signal?: AbortSignal;
  /** Told after each part. @param share - from 0 to 1 */
  readonly onProgress?: (share: number) => void;
  /** Milliseconds before each further try of a part. */
  readonly pauses?: readonly number[];
}

/**
 * Sends a file to the engine in parts, and returns the id of the upload. A part that fails is tried again.
 * @throws the engine's error, or the signal's reason after a cancellation
 */
export async function uploadFile(
  client: UploadClient,
  file: File,
  { signal, onProgress, pauses = PAUSES }: UploadOptions = {},
): Promise<string> {
  const upload = crypto.randomUUID();
  const send = <Reply>(request: () => Promise<Reply>) => withRetries(request, pauses, signal);
  await send(() => client.beginUpload({ upload, name: shortName(file.name), bytes: file.size }));
  try {
    onProgress?.(file.size === 0 ? 1 : 0);
    for (let offset = 0; offset < file.size; ) {
      signal?.throwIfAborted();
      const bytes = new Uint8Array(await file.slice(offset, offset + PART_BYTES).arrayBuffer());
      const data = toBase64(bytes);
      const { received } = await send(() => client.uploadPart({ upload, offset, data }, { signal }));
      // The engine's own count decides: after a restart it may have less than was sent.
      offset = Math.min(received, offset + bytes.length);
      onProgress?.(offset / file.size);
    }
    signal?.throwIfAborted();
    return upload;
  } catch (error) {
    await client.deleteUpload({ upload }).catch(() => {
      // The engine deletes an unused upload after a day.
    });
    throw error;
  }
}

async function withRetries<Reply>(
  request: () => Promise<Reply>,
  pauses: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Reply> {
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted();
    try {
      return await request();
    } catch (error) {
      signal?.throwIfAborted();
      const pause = pauses[tries];
      if (pause === undefined || !isPassing(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && PASSING.has((error as { code?: unknown }).code);
}

/** The end of a name that is too long, since it holds the extension. */
function shortName(name: string): string {
  return name === '' ? 'file' : name.slice(-255);
}

/** Bytes as base64; `btoa` takes text, whose arguments must not be too many at once. */
export function toBase64(bytes: Uint8Array): string {
  const pieces: string[] = [];
  for (let at = 0; at < bytes.length; at += 0x6000)
    pieces.push(String.fromCharCode(...bytes.subarray(at, at + 0x6000)));
  return btoa(pieces.join(''));
}
