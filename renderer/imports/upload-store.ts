import { create } from 'zustand';
import type { InputOf, MemoryClient } from '../../main/contract.ts';
import { uploadFile } from '../state/uploads.ts';
import { messageOf } from '../strings/text.ts';

export type ImportSettings = NonNullable<InputOf<'previewUpload'>['settings']>;

/** A file on its way into memory: sent, looked at, then imported. */
export interface PendingFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: number;
  /** Of the file that was sent, from 0 to 1. */
  readonly share: number;
  /** Of the upload; null until the file is complete there. */
  readonly upload: string | null;
  readonly problem: string | null;
  /** Who speaks in it, as far as that is known. */
  readonly speakers: readonly string[];
  /** Its import begins as soon as what is in it is known. */
  readonly isWanted: boolean;
  readonly controller: AbortController;
}

interface UploadStore {
  readonly files: readonly PendingFile[];
  /** Sends files, one after another. */
  add(client: MemoryClient, files: readonly File[]): void;
  /** Stops sending a file, or deletes what was sent, and takes it from the list. */
  remove(client: MemoryClient, id: string): void;
  /** Imports all files of the list, as each says. */
  wantAll(): void;
  noteSpeakers(id: string, speakers: readonly string[]): void;
  /** Takes a wish back, because the import has begun or cannot begin. */
  unwant(id: string): void;
  /** Takes a file from the list whose import has begun. */
  started(id: string): void;
}

/** Files that were chosen; they are kept while other screens are shown. */
export const useUploads = create<UploadStore>()((set, get) => {
  const change = (id: string, changes: Partial<PendingFile>) =>
    set(({ files }) => ({ files: files.map((file) => (file.id === id ? { ...file, ...changes } : file)) }));
  const drop = (id: string) => set(({ files }) => ({ files: files.filter((file) => file.id !== id) }));
  let sending: Promise<void> = Promise.resolve();

  async function send(client: MemoryClient, pending: PendingFile, file: File): Promise<void> {
    const { id, controller } = pending;
    if (controller.signal.aborted) return;
    try {
      const upload = await uploadFile(client, file, {
        signal: controller.signal,
        onProgress: (share) => change(id, { share }),
      });
      change(id, { upload, share: 1 });
    } catch (error) {
      if (controller.signal.aborted) return;
      change(id, { problem: messageOf(error) });
    }
  }

  return {
    files: [],
    add(client, chosen) {
      for (const file of chosen) {
        const pending: PendingFile = {
          id: crypto.randomUUID(),
          name: file.name,
          bytes: file.size,
          share: 0,
          upload: null,
          problem: null,
          speakers: [],
          isWanted: false,
          controller: new AbortController(),
        };
        set(({ files }) => ({ files: [...files, pending] }));
        sending = sending.then(() => send(client, pending, file));
      }
    },
    remove(client, id) {
      const file = get().files.find((each) => each.id === id);
      file?.controller.abort();
      if (file?.upload)
        client.deleteUpload({ upload: file.upload }).catch(() => {
          // The engine deletes an unused upload after a day.
        });
      drop(id);
    },
    wantAll: () => set(({ files }) => ({ files: files.map((file) => ({ ...file, isWanted: true })) })),
    noteSpeakers: (id, speakers) => change(id, { speakers }),
    unwant: (id) => change(id, { isWanted: false }),
    started: drop,
  };
});
