import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { toast } from 'sonner';
import type { MemoryClient } from '../../main/contract.ts';
import { useClient } from '../state/connection.tsx';
import { formatBytes, text } from '../strings/text.ts';

/** A file on its way into a message. */
export interface Attachment {
  readonly upload: string;
  readonly name: string;
  readonly bytes: number;
  /** From 0 to 1. */
  readonly share: number;
  readonly problem: string | null;
}

/** Types that memory can read, for file choosers. */
export const READABLE = {
  'text/plain': ['.txt', '.text'],
  'text/markdown': ['.md', '.markdown'],
  'application/pdf': ['.pdf'],
};
const EXTENSION = /\.(txt|text|md|markdown|pdf)$/i;

export const MOST_FILES = 20;
const MOST_BYTES = 25_000_000;
/** Bytes of one request: small enough to show progress, and a multiple of 3, so that base64 has no filler inside. */
const PART = 1_500_000;

export interface Attachments {
  readonly items: readonly Attachment[];
  readonly isBusy: boolean;
  add(files: readonly File[]): void;
  remove(upload: string): void;
  /** Empties the list; the uploads belong to a message now. */
  clear(): void;
}

/** Uploads files as soon as they are added. */
export function useAttachments(): Attachments {
  const client = useClient();
  const [items, setItems] = useState<readonly Attachment[]>([]);
  const leaving = useRef(new Map<string, AbortController>());
  const count = useRef(0);
  count.current = items.length;
  useEffect(() => {
    const running = leaving.current;
    return () => {
      for (const controller of running.values()) controller.abort();
    };
  }, []);

  const add = useCallback(
    (files: readonly File[]) => {
      let room = MOST_FILES - count.current;
      for (const file of files) {
        const problem = refusal(file) ?? (room <= 0 ? text.chat.composer.tooMany(MOST_FILES) : null);
        if (problem !== null) {
          toast.error(problem);
          continue;
        }
        room -= 1;
        const upload = crypto.randomUUID();
        const controller = new AbortController();
        leaving.current.set(upload, controller);
        const change = (part: Partial<Attachment>) =>
          setItems((all) => all.map((each) => (each.upload === upload ? { ...each, ...part } : each)));
        setItems((all) => [...all, { upload, name: file.name, bytes: file.size, share: 0, problem: null }]);
        void send(client, { upload, file, signal: controller.signal, onShare: (share) => change({ share }) })
          .catch((error: unknown) => {
            if (!controller.signal.aborted)
              change({ problem: error instanceof Error ? error.message : text.app.problem });
          })
          .finally(() => leaving.current.delete(upload));
      }
    },
    [client],
  );
  const remove = useCallback(
    (upload: string) => {
      leaving.current.get(upload)?.abort();
      setItems((all) => all.filter((each) => each.upload !== upload));
      client.deleteUpload({ upload }).catch(() => undefined); // deleted by itself within a day
    },
    [client],
  );
  const clear = useCallback(() => setItems([]), []);
  return useMemo(
    () => ({
      items,
      isBusy: items.some(({ share, problem }) => share < 1 && problem === null),
      add,
      remove,
      clear,
    }),
    [items, add, remove, clear],
  );
}

/** Why a file cannot be attached; null if it can. */
export function refusal({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): string | null {
  const words = text.chat.composer;
  if (!EXTENSION.test(name) && !Object.hasOwn(READABLE, type)) return words.refused(name);
  if (size === 0) return words.empty(name);
  return size > MOST_BYTES ? words.tooLarge(name, formatBytes(MOST_BYTES)) : null;
}

interface Sending {
  readonly upload: string;
  readonly file: File;
  readonly signal: AbortSignal;
  readonly onShare: (share: number) => void;
}

async function send(client: MemoryClient, { upload, file, signal, onShare }: Sending): Promise<void> {
  await client.beginUpload({ upload, name: file.name.slice(-255), bytes: file.size }, { signal });
  for (let offset = 0; offset < file.size; offset += PART) {
    const data = await base64Of(file.slice(offset, offset + PART));
    const { received, isComplete } = await client.uploadPart({ upload, offset, data }, { signal });
    onShare(isComplete ? 1 : Math.min(0.99, received / file.size));
  }
}

function base64Of(part: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result).replace(/^[^,]*,/, ''));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(part);
  });
}
