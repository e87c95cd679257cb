import { createHash } from 'node:crypto';
import type { Milliseconds } from '../../model/ids.ts';
import { stringsIn } from '../../util/collections.ts';
import { parseJson } from '../../util/parse-json.ts';
import type { TurnToRead } from './extractor.ts';
import type { CheckedReading, ReadOptions, SegmentReader } from './segment-reader.ts';

interface KeptReading {
  /** Times of the turns that were read. */
  readonly times: readonly Milliseconds[];
  /** The time of the last one. */
  readonly at: Milliseconds;
  /** The names about which the reader asked whether memory knows them, with the answers. */
  readonly asked: ReadonlyMap<string, boolean>;
  /** As JSON, which takes a quarter of the memory. */
  readonly reading: string;
  readonly bytes: number;
}

interface Read {
  readonly reading: CheckedReading;
}

/** Enough for some twenty thousand turns. */
const MOST_BYTES = 16 * 2 ** 20;
/** The share of it that is left when room is made. */
const ROOM = 0.9;
/** Of an entry without its texts. */
const BYTES_OF_ENTRY = 500;
/** Of a name that was asked about, without its letters. */
const BYTES_OF_NAME = 50;

/**
 * Keeps what a reader read of segments, without their texts, so that reading the same turns again takes no time: a
 * forgetting ingests the turns that follow the forgotten one again. Requires a reader whose result depends on nothing
 * but the turns and the answers to `known`. A reading is used while memory gives the same answers to the names about
 * which the reader asked.
 *
 * In memory alone, for one scope. Readings of the latest turns are kept: every forgetting needs those.
 */
export class KeptReadings implements SegmentReader {
  readonly #reader: SegmentReader;
  readonly #mostBytes: number;
  /** By the hash of the turns. */
  readonly #kept = new Map<string, KeptReading>();
  #bytes = 0;
  /** Changes when readings are dropped: a reading that began before may be of a forgotten turn. */
  #drops = 0;

  constructor(reader: SegmentReader, { mostBytes = MOST_BYTES }: { readonly mostBytes?: number } = {}) {
    this.#reader = reader;
    this.#mostBytes = mostBytes;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Approximate memory. */
  get bytes(): number {
    return this.#bytes;
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

  /** Begins a reading elsewhere; what it read is kept, unless readings are dropped before. */
  begin(): (turns: readonly TurnToRead[], read: Pick<KeptReading, 'asked'> & Read) => void {
    const drops = this.#drops;
    return (turns, { asked, reading }) => {
      if (drops === this.#drops) this.#keep(turns, asked, reading);
    };
  }

  /** Drops every reading of a turn of these times. */
  forget(times: Iterable<Milliseconds>): void {
    this.#drops += 1;
    const gone = new Set(times);
    for (const [key, { times: read }] of this.#kept) if (read.some((at) => gone.has(at))) this.drop(key);
  }

  clear(): void {
    this.#drops += 1;
    this.#kept.clear();
    this.#bytes = 0;
  }

  /** Every reading, by its key, with the texts in it. */
  *entries(): Iterable<readonly [key: string, texts: Iterable<string>]> {
    for (const [key, { reading, asked }] of this.#kept)
      yield [key, [...asked.keys(), ...stringsIn(readingIn(reading))]];
  }

  drop(key: string): void {
    this.#bytes -= this.#kept.get(key)?.bytes ?? 0;
    this.#kept.delete(key);
  }

  async #readOne(turns: readonly TurnToRead[], options: ReadOptions): Promise<CheckedReading> {
    const key = keyOf(turns);
    const kept = this.#kept.get(key);
    const isAsBefore = kept && [...kept.asked].every(([name, answer]) => options.known(name) === answer);
    if (isAsBefore) return readingIn(kept.reading);
    const asked = new Map<string, boolean>();
    const known = (name: string) => {
      const answer = options.known(name);
      asked.set(name, answer);
      return answer;
    };
    const keep = this.begin();
    const [reading] = await this.#reader.read([turns], { ...options, known });
    keep(turns, { asked, reading: reading! });
    return reading!;
  }

  #keep(turns: readonly TurnToRead[], asked: KeptReading['asked'], read: CheckedReading): void {
    const key = keyOf(turns);
    this.drop(key);
    const times = turns.map(({ validAt }) => validAt);
    const reading = JSON.stringify(read);
    let bytes = BYTES_OF_ENTRY + reading.length;
    for (const name of asked.keys()) bytes += BYTES_OF_NAME + name.length;
    this.#kept.set(key, { times, asked, reading, at: Math.max(...times), bytes });
    this.#bytes += bytes;
    if (this.#bytes > this.#mostBytes) this.#makeRoom();
  }

  /** Drops the readings of the oldest turns, enough of them that this is rarely done. */
  #makeRoom(): void {
    const oldest = [...this.#kept].sort(([, one], [, other]) => one.at - other.at);
    for (const [key] of oldest) {
      if (this.#bytes <= this.#mostBytes * ROOM) return;
      this.drop(key);
    }
  }
}

function readingIn(json: string): CheckedReading {
  const parsed = parseJson(json);
  return (parsed.ok ? parsed.value : null) as CheckedReading;
}

function keyOf(turns: readonly TurnToRead[]): string {
  const read = turns.map(
    ({ content, speaker, role, source, validAt, offset = 0, attachments, user = null }) => [
      content,
      speaker,
      role,
      source,
      validAt,
      offset,
      attachments,
      user,
    ],
  );
  return createHash('sha256').update(JSON.stringify(read)).digest('base64');
}
