import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { toast } from 'sonner';
import { MOST_ATTACHMENT_BYTES } from '../../main/contract.ts';
import { useClient } from '../state/connection.tsx';
import { uploadFile } from '../state/uploads.ts';
import { formatBytes, formatDate, messageOf, text } from '../strings/text.ts';

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
  /** How it is read; null until the engine has looked at it. */
  readonly kind: string | null;
  /** Address of an image within the window. */
  readonly preview: string | null;
  /** What the person says that an image shows. */
  readonly caption: string;
  readonly modifiedAt: number;
}

const MOST_FILES = 20;

export interface Attachments {
  readonly items: readonly Attachment[];
  readonly isBusy: boolean;
  add(files: readonly File[]): void;
  remove(id: string): void;
  describe(id: string, caption: string): void;
  /** Empties the list; the uploads belong to a message now. */
  clear(): void;
}

/** Uploads files as soon as they are added, and has the engine look at them: what it cannot read is not sent. */
export function useAttachments(): Attachments {
  const client = useClient();
  const [items, setItems] = useState<readonly Attachment[]>([]);
  const leaving = useRef(new Map<string, AbortController>());
  const previews = useRef<string[]>([]);
  const count = useRef(0);
  count.current = items.length;
  useEffect(() => {
    const running = leaving.current;
    return () => {
      for (const controller of running.values()) controller.abort();
      for (const preview of previews.current) URL.revokeObjectURL(preview);
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
        const { name, size: bytes, lastModified: modifiedAt } = file;
        const empty = { upload: null, share: 0, problem: null, kind: null, preview: null, caption: '' };
        setItems((all) => [...all, { ...empty, id, name, bytes, modifiedAt }]);
        const onProgress = (share: number) => change({ share });
        const { signal } = controller;
        const send = async () => {
          const fitted = isImage(file) ? await (await import('./fit-image.ts')).fitImage(file) : file;
          if (fitted === null) {
            change({ problem: text.chat.composer.unreadableImage(name) });
            return;
          }
          change({ bytes: fitted.size });
          const upload = await uploadFile(client, fitted, { signal, onProgress });
          const { kind } = await client.checkAttachment({ upload }, { signal }).catch((error: unknown) => {
            client.deleteUpload({ upload }).catch(() => undefined); // deleted in a day anyway
            throw error;
          });
          const preview = kind === 'image' ? URL.createObjectURL(fitted) : null;
          if (preview !== null) previews.current.push(preview);
          change({ upload, share: 1, kind, preview });
        };
        void send().catch((error: unknown) => {
          if (!signal.aborted) change({ problem: messageOf(error) });
        });
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
  const describe = useCallback((id: string, caption: string) => {
    setItems((all) => all.map((each) => (each.id === id ? { ...each, caption } : each)));
  }, []);
  const clear = useCallback(() => setItems([]), []);
  return useMemo(
    () => ({
      items,
      isBusy: items.some(({ upload, problem }) => upload === null && problem === null),
      add,
      remove,
      describe,
      clear,
    }),
    [items, add, remove, describe, clear],
  );
}

/** Whether a file is a picture of pixels, by its type; a drawing in SVG is text. */
const isImage = ({ type }: Pick<File, 'type'>): boolean =>
  type.startsWith('image/') && !type.startsWith('image/svg');

/** Why a file cannot be attached; null if it is worth sending to the engine. Images are made smaller. */
function refusal(file: File): string | null {
  const { name, size } = file;
  const words = text.chat.composer;
  if (size === 0) return words.empty(name);
  return size > MOST_ATTACHMENT_BYTES && !isImage(file)
    ? words.tooLarge(name, formatBytes(MOST_ATTACHMENT_BYTES))
    : null;
}

/** What stands for an image that nobody describes. */
export const nameAndDate = ({ name, modifiedAt }: Pick<Attachment, 'name' | 'modifiedAt'>): string =>
  `${name}, ${formatDate(modifiedAt)}`;
