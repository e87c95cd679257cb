import { parseZoned } from './parse-timestamp.ts';

/** Something that was said. */
export interface Spoken {
  readonly validAt: number;
  /** How far the clock of the speaker was ahead of UTC. Default: 0. */
  readonly offset?: number | undefined;
}

/** How far the clock of the speaker was ahead of UTC, by the time as it was written; 0 if that has no zone. */
export function offsetIn({ validAt, atText }: { readonly validAt: number; readonly atText: string }): number {
  const written = parseZoned(atText);
  return written?.at === validAt ? written.offset : 0;
}

/** The time as a clock with that offset shows it, with its zone; the inverse of `offsetIn`. */
export function writtenAt({ validAt, offset = 0 }: Spoken): string {
  const minutes = Math.round(offset / 60_000);
  const local = new Date(validAt + minutes * 60_000).toISOString();
  if (minutes === 0) return local;
  const [hour, minute] = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  const [hh, mm] = [hour, minute].map((each) => String(each).padStart(2, '0'));
  return `${local.slice(0, -1)}${minutes < 0 ? '-' : '+'}${hh}:${mm}`;
}

/** What the clock of the speaker showed, in the form of a UTC time: its day is the day of the speaker. */
export function clockTime({ validAt, offset = 0 }: Spoken): number {
  return validAt + offset;
}

/**
 * The beginning of a fact as the clock of its speaker showed it. A fact that began before it was told is dated by what
 * was told, in days of the speaker already.
 */
export function clockTimeOfFact(fact: Spoken & { readonly saidAt: number }): number {
  return fact.validAt < fact.saidAt ? fact.validAt : clockTime(fact);
}
