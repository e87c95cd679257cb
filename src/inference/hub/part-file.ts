import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';

const { O_CREAT, O_EXCL, O_RDWR } = constants;

/** The beginning of a file that is being fetched. Survives the process, so that the next one goes on from its end. */
export class PartFile {
  readonly path: string;
  #file: FileHandle;
  #bytes: number;

  private constructor(path: string, file: FileHandle, bytes: number) {
    this.path = path;
    this.#file = file;
    this.#bytes = bytes;
  }

  static async open(path: string): Promise<PartFile> {
    const file = await open(path, O_RDWR | O_CREAT, 0o600);
    return new PartFile(path, file, (await file.stat()).size);
  }

  get bytes(): number {
    return this.#bytes;
  }

  async append(chunk: Uint8Array): Promise<void> {
    for (let done = 0; done < chunk.length; ) {
      const written = await this.#file.write(chunk, done, chunk.length - done, this.#bytes);
      done += written.bytesWritten;
      this.#bytes += written.bytesWritten;
    }
  }

  /** Starts anew, in another file: a process that was overtaken may still write to the old one. */
  async restart(): Promise<void> {
    await this.#file.close();
    await rm(this.path, { force: true });
    this.#file = await open(this.path, O_RDWR | O_CREAT | O_EXCL, 0o600);
    this.#bytes = 0;
  }

  /** Brings every byte to the disk. */
  async sync(): Promise<void> {
    await this.#file.sync();
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
