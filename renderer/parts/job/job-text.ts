import type { Job } from '../../../main/contract.ts';
import { imports } from '../../strings/english-imports.ts';
import { formatBytes, formatDuration, shortNumber } from '../../strings/text.ts';

type Worded = Pick<Job, 'kind' | 'state' | 'phase' | 'share' | 'secondsToGo' | 'counts'>;

/**
 * What a job is doing, in a line: "Reading for facts · 42 % · about 3 min to go".
 *
 * @param before The name of the job that it waits for.
 */
export function progressText({ state, phase, share, secondsToGo }: Worded, before?: string): string {
  const words = imports.jobs;
  if (state === 'waiting' && before !== undefined) return words.waitsFor(before);
  if (state !== 'running') return words.states[state];
  const doing = words.phases[phase] ?? capitalised(phase);
  const percent = share > 0 ? `${Math.floor(share * 100)} %` : '';
  const toGo = secondsToGo === null ? '' : words.toGo(formatDuration(secondsToGo));
  return joined([doing, percent, toGo]);
}

/** What a job has done, in a line; empty before it has done anything. */
export function countsText({ kind, state, counts }: Worded): string {
  if (kind === 'import') return importText(counts, state === 'done');
  if (kind === 'restore') return restoreText(counts);
  if (kind === 'archive') return archiveText(counts);
  const { bytes = 0, totalBytes = 0, texts = 0, totalTexts = 0 } = counts;
  if (totalBytes > 0)
    return bytes < totalBytes && state !== 'done'
      ? imports.counts.of(formatBytes(bytes), formatBytes(totalBytes))
      : formatBytes(totalBytes);
  if (totalTexts > 0) return imports.counts.of(texts.toLocaleString(), imports.counts.texts(totalTexts));
  return bytes > 0 ? formatBytes(bytes) : '';
}

function importText(counts: Job['counts'], isDone: boolean): string {
  const words = imports.counts;
  const {
    added = 0,
    superseding = 0,
    known = 0,
    rejected = 0,
    setAside = 0,
    dropped = 0,
    consolidated = 0,
    pending = 0,
    facts = 0,
    entities = 0,
    tokens = 0,
  } = counts;
  const stored = added + superseding;
  const isReading = !isDone && consolidated > 0 && pending > 0;
  return joined([
    stored > 0 || isDone ? words.stored(stored) : '',
    known > 0 ? words.known(known) : '',
    isReading ? words.read(consolidated, consolidated + pending) : '',
    facts > 0 ? words.facts(facts) : '',
    isDone && entities > 0 ? words.entities(entities) : '',
    rejected > 0 ? words.rejected(rejected) : '',
    setAside > 0 ? words.setAside(setAside) : '',
    dropped > 0 ? words.dropped(dropped) : '',
    tokens > 0 ? words.tokens(shortNumber(tokens)) : '',
  ]);
}

function restoreText({ turns = 0, forgotten = 0 }: Job['counts']): string {
  const words = imports.counts;
  return joined([turns > 0 ? words.turns(turns) : '', forgotten > 0 ? words.forgottenAgain(forgotten) : '']);
}

function archiveText({ rows, skipped = 0, forgotten = 0 }: Job['counts']): string {
  const words = imports.counts;
  return joined([
    rows === undefined ? '' : words.rows(rows),
    skipped > 0 ? words.skipped(skipped) : '',
    forgotten > 0 ? words.stayForgotten(forgotten) : '',
  ]);
}

export const joined = (parts: readonly string[]): string => parts.filter((part) => part !== '').join(' · ');

const capitalised = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);
