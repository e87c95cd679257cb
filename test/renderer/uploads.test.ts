import { describe, expect, it } from 'vitest';
import type { MemoryClient } from '../../main/contract.ts';
import { PART_BYTES, toBase64, uploadFile } from '../../renderer/state/uploads.ts';

/** Keeps the uploads as an engine does. */
class Receiver {
  readonly files = new Map<string, { readonly name: string; readonly size: number; bytes: Buffer }>();
  /** Errors that the next parts meet. */
  readonly faults: unknown[] = [];
  parts = 0;

  readonly client = {
    beginUpload: async ({ upload, name, bytes }) => {
      this.files.set(upload, { name, size: bytes, bytes: Buffer.alloc(0) });
      return { upload };
    },
    uploadPart: async ({ upload, offset, data }) => {
      this.parts += 1;
      const fault = this.faults.shift();
      if (fault) throw fault;
      const file = this.files.get(upload)!;
      expect(offset).toBeLessThanOrEqual(file.bytes.length);
      file.bytes = Buffer.concat([file.bytes.subarray(0, offset), Buffer.from(data, 'base64')]);
      return { received: file.bytes.length, isComplete: file.bytes.length === file.size };
    },
    deleteUpload: async ({ upload }) => {
      this.files.delete(upload);
      return { upload };
    },
  } satisfies Pick<MemoryClient, 'beginUpload' | 'uploadPart' | 'deleteUpload'>;
}

const content = (length: number) => Buffer.from(Array.from({ length }, (_, index) => (index * 31) % 256));

describe('uploadFile', () => {
  it('sends a file in parts and reports its progress', async () => {
    const receiver = new Receiver();
    const bytes = Buffer.concat([content(PART_BYTES), content(1_000)]);
    const shares: number[] = [];
    const upload = await uploadFile(receiver.client, new File([bytes], 'chats.zip'), {
      onProgress: (share) => shares.push(share),
    });
    expect(receiver.files.get(upload)).toMatchObject({ name: 'chats.zip', size: bytes.length });
    expect(receiver.files.get(upload)!.bytes.equals(bytes)).toBe(true);
    expect(receiver.parts).toBe(2);
    expect(shares[0]).toBe(0);
    expect(shares.at(-1)).toBe(1);
  });

  it('sends an empty file without parts', async () => {
    const receiver = new Receiver();
    const upload = await uploadFile(receiver.client, new File([], 'empty.txt'));
    expect(receiver.files.get(upload)!.size).toBe(0);
    expect(receiver.parts).toBe(0);
  });

  it('tries a part again that the engine did not take', async () => {
    const receiver = new Receiver();
    receiver.faults.push(new Error('gone'), new Error('gone'));
    const upload = await uploadFile(receiver.client, new File([content(50)], 'a.txt'), { pauses: [1, 1] });
    expect(receiver.files.get(upload)!.bytes.equals(content(50))).toBe(true);
    expect(receiver.parts).toBe(3);
  });

  it('gives up on an error that stays, and deletes the upload', async () => {
    const receiver = new Receiver();
    receiver.faults.push(Object.assign(new Error('no'), { code: 'invalid-input' }));
    const sending = uploadFile(receiver.client, new File([content(50)], 'a.txt'), { pauses: [1, 1] });
    await expect(sending).rejects.toThrow('no');
    expect(receiver.parts).toBe(1);
    expect(receiver.files.size).toBe(0);
  });

  it('cancels, and deletes what was received', async () => {
    const receiver = new Receiver();
    const stop = new AbortController();
    const sending = uploadFile(receiver.client, new File([content(PART_BYTES + 1)], 'a.txt'), {
      signal: stop.signal,
      onProgress: (share) => share > 0 && stop.abort(),
    });
    await expect(sending).rejects.toThrow('aborted');
    expect(receiver.parts).toBe(1);
    expect(receiver.files.size).toBe(0);
  });
});

it('toBase64 equals the base64 of Node.js for every length', () => {
  for (const length of [0, 1, 2, 3, 0x6000 - 1, 0x6000, 0x6000 + 1, 100_000])
    expect(toBase64(content(length))).toBe(content(length).toString('base64'));
});
