import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { toast } from 'sonner';
import { useClient } from '../state/connection.tsx';
import { uploadFile } from '../state/uploads.ts';
import { formatBytes, messageOf, text } from '../strings/text.ts';

/** A file on its way into a message. */
export interface Attachment {
  /** Of the window; the upload's own id is known once it is complete. */
  readonly id: string;
  readonly upload: string | null;
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

const MOST_FILES = 20;
const MOST_BYTES = 25_000_000;

export interface Attachments {
  readonly items: readonly Attachment[];
  readonly isBusy: boolean;
  add(files: readonly File[]): void;
  remove(id: string): void;
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
        const id = crypto.randomUUID();
        const controller = new AbortController();
        leaving.current.set(id, controller);
        const change = (part: Partial<Attachment>) =>
          setItems((all) => all.map((each) => (each.id === id ? { ...each, ...part } : each)));
        const { name, size: bytes } = file;
        setItems((all) => [...all, { id, upload: null, name, bytes, share: 0, problem: null }]);
        const onProgress = (share: number) => change({ share });
        void uploadFile(client, file, { signal: controller.signal, onProgress }).then(
          (upload) => change({ upload, share: 1 }),
          (error: unknown) => {
            if (!controller.signal.aborted) change({ problem: messageOf(error) });
          },
        );
      }
    },
    [client],
  );
  const remove = useCallback(
    (id: string) => {
      leaving.current.get(id)?.abort();
      leaving.current.delete(id);
      setItems((all) => {
        const upload = all.find((each) => each.id === id)?.upload ?? null;
        if (upload !== null) client.deleteUpload({ upload }).catch(() => undefined); // deleted in a day anyway
        return all.filter((each) => each.id !== id);
      });
    },
    [client],
  );
  const clear = useCallback(() => setItems([]), []);
  return useMemo(
    () => ({
      items,
      isBusy: items.some(({ upload, problem }) => upload === null && problem === null),
      add,
      remove,
      clear,
    }),
    [items, add, remove, clear],
  );
}

/** Why a file cannot be attached; null if it can. */
function refusal({ name, type, size }: Pick<File, 'name' | 'type' | 'size'>): string | null {
  const words = text.chat.composer;
  if (!EXTENSION.test(name) && !Object.hasOwn(READABLE, type)) return words.refused(name);
  if (size === 0) return words.empty(name);
  return size > MOST_BYTES ? words.tooLarge(name, formatBytes(MOST_BYTES)) : null;
}
