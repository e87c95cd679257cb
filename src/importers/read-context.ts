import type { ImportFile, ImportFiles } from './files/import-file.ts';
import type { ReadSettings } from './import-settings.ts';
import type { ReadOptions } from './importer.ts';
import { throwIfCancelled } from './tolerate.ts';
import { WallClock } from './wall-clock.ts';

/** What a format needs to know while it reads the files of one import. */
export class ReadContext {
  readonly path: string;
  readonly settings: ReadSettings;
  readonly files: ImportFiles;
  /** Names of conversations that were read, so that a second one of the same name is noticed. */
  readonly known = new Set<string>();
  /** Of an export of several people's memories, whose they are. */
  readonly groups = new Set<string>();
  readonly #options: ReadOptions;
  readonly #noted = new Set<string>();
  readonly #total: number | null;
  #clock: WallClock | null = null;
  #done = 0;

  constructor(files: ImportFiles, settings: ReadSettings, options: ReadOptions) {
    this.path = files.path;
    this.files = files;
    this.settings = settings;
    this.#options = options;
    const sizes = files.files.map((file) => file.bytes);
    this.#total = sizes.includes(null) ? null : sizes.reduce((sum: number, size) => sum + size!, 0);
  }

  /** Reads times that are written without a zone. */
  get clock(): WallClock {
    this.#clock ??= new WallClock(this.settings.timeZone);
    return this.#clock;
  }

  /** Before a place within a file: empty where there is only one file. */
  in(file: ImportFile): string {
    return this.files.files.length > 1 ? `${file.name}, ` : '';
  }

  leftOut(where: string, reason: string): void {
    this.#options.onLeftOut?.({ where, reason });
  }

  /** Each note once. */
  note(note: string): void {
    if (this.#noted.has(note)) return;
    this.#noted.add(note);
    this.#options.onNote?.(note);
  }

  /** To be told where a file's times have no zone. */
  noteTimeZone(): void {
    this.note(`Its times have no zone and are read as ${this.settings.timeZone}`);
  }

  /** So many bytes were read. Throws CancelledError when the signal has fired. */
  advance(bytes: number): void {
    throwIfCancelled(this.#options.signal);
    this.#done += bytes;
    this.#options.onProgress?.({ unit: 'bytes', done: this.#done, total: this.#total });
  }
}
