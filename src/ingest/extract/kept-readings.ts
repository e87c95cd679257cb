import { createHash } from 'node:crypto';
import type { Milliseconds } from '../../model/ids.ts';
import { stringsIn } from '../../util/collections.ts';
import type { TurnToRead } from './extractor.ts';
import type { CheckedReading, ReadOptions, SegmentReader } from './segment-reader.ts';

interface KeptReading {
  /** Times of the turns that were read. */
  readonly times: ReadonlySet<Milliseconds>;
  /** The names about which the reader asked whether memory knows them, with the answers. */
  readonly asked: ReadonlyMap<string, boolean>;
  readonly reading: CheckedReading;
  readonly bytes: number;
}

const MOST_BYTES = 8 * 2 ** 20;
/** Of an entry without its texts. */
const BYTES_OF_ENTRY = 500;

/**
 * Keeps what a reader read of segments, without their texts, so that reading the same turns again takes no time: a
 * forgetting ingests the turns that follow the forgotten one again. Requires a reader whose result depends on nothing
 * but the turns and the answers to `known`. A reading is used while memory gives the same answers to the names about
 * which the reader asked.
 *
 * In memory alone, for one scope; the readings that were used least recently are dropped first.
 */
export class KeptReadings implements SegmentReader {
  readonly #reader: SegmentReader;
  readonly #mostBytes: number;
  /** By the hash of the turns, in order of use. */
  readonly #kept = new Map<string, KeptReading>();
  #bytes = 0;

  constructor(reader: SegmentReader, { mostBytes = MOST_BYTES }: { readonly mostBytes?: number } = {}) {
    this.#reader = reader;
    this.#mostBytes = mostBytes;
  }

  /** Number of readings. */
  get size(): number {
    return this.#kept.size;
  }

  /** As the reader does: names of one segment count as known in those after it. */
  async read(
    segments: readonly (readonly TurnToRead[])[],
    options: ReadOptions,
  ): Promise<readonly CheckedReading[]> {
    const named = new Set<string>();
    const known = (name: string) => named.has(name.toLowerCase()) || options.known(name);
    const readings: CheckedReading[] = [];
    for (const turns of segments) {
      const reading = await this.#readOne(turns, { ...options, known });
      for (const { name } of reading.extraction.entities) named.add(name.toLowerCase());
      readings.push(reading);
    }
    return readings;
  }

  /** Drops every reading of a turn of these times. */
  forget(times: Iterable<Milliseconds>): void {
    const gone = [...times];
    for (const [key, { times: read }] of this.#kept) if (gone.some((at) => read.has(at))) this.drop(key);
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  /** Every reading, by its key, with the texts in it. */
  *entries(): Iterable<readonly [key: string, texts: Iterable<string>]> {
    for (const [key, { reading, asked }] of this.#kept) yield [key, [...asked.keys(), ...stringsIn(reading)]];
  }

  drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }

  async #readOne(turns: readonly TurnToRead[], options: ReadOptions): Promise<CheckedReading> {
    const key = keyOf(turns);
    const kept = this.#kept.get(key);
    if (kept !== undefined) {
      this.#kept.delete(key);
      this.#kept.set(key, kept);
      if ([...kept.asked].every(([name, answer]) => options.known(name) === answer)) return kept.reading;
    }
    const asked = new Map<string, boolean>();
    const known = (name: string) => {
      const answer = options.known(name);
      asked.set(name, answer);
      return answer;
    };
    const [reading] = await this.#reader.read([turns], { ...options, known });
    this.drop(key);
    this.#keep(key, { times: new Set(turns.map(({ validAt }) => validAt)), asked, reading: reading! });
    return reading!;
  }

  #keep(key: string, entry: Omit<KeptReading, 'bytes'>): void {
    let bytes = BYTES_OF_ENTRY;
    for (const name of entry.asked.keys()) bytes += 2 * name.length;
    for (const text of stringsIn(entry.reading)) bytes += 2 * text.length;
    this.#kept.set(key, { ...entry, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#mostBytes) return;
      this.drop(oldest);
    }
  }
}

function keyOf(turns: readonly TurnToRead[]): string {
  const read = turns.map(({ content, speaker, role, validAt, attachments }) => [
    content,
    speaker,
    role,
    validAt,
    attachments,
  ]);
  return createHash('sha256').update(JSON.stringify(read)).digest('base64');
}
