import type { Milliseconds } from '../../model/ids.ts';
import type { ScopeIndex } from '../../search/scope-index.ts';
import { type AskedTime, type Span, spansOf } from '../asked-time.ts';

const DAY = 86_400_000;
/** A period up to this long is a day: what was told around it is mostly about it. */
const SHORT = 2 * DAY;
/** What happened on a day is told within so many days around it, and of a longer period after it. */
const TOLD_WITHIN = 14 * DAY;
/** What counts a turn that was said in a period and may be about it … */
export const SAID_THEN = 0.9;
/** … one that mentions another time, as a share … */
const TELLS_OF_ANOTHER = 0.8;
/** … one that was said after a longer period, at once … */
const TOLD_AFTER = 0.5;
/** … and one with a fact that had begun before and held then, if that is asked. */
const HELD = 0.7;

/**
 * How far what each turn says happened at the time that a question names, from 0 to 1 by ordinal: it mentions a time in
 * it, has a fact that began in it, or was said in it or soon after. Of a question for what was
 * said, only the last. Null if the question names no time.
 */
export function nearnessOfTurns(index: ScopeIndex, time: AskedTime): Float32Array | null {
  if (time.periods.length === 0) return null;
  const { conversation, timeline, length } = index.episodes;
  const said = timeline.validAt.data;
  const spans = spansOf(time, spanOf(said.subarray(0, length)));
  const near = new Float32Array(length);
  const elsewhere = new Uint8Array(length);
  const told = time.asksTold ? 0 : timeline.timesOf.length;
  const [of, from, to] = [timeline.timesOf.data, timeline.timesFrom.data, timeline.timesTo.data];
  for (let at = 0; at < told; at++) {
    const value = overlapOf({ start: from[at]!, end: to[at]! }, spans);
    if (value === 0) elsewhere[of[at]!] = 1;
    else if (value > near[of[at]!]!) near[of[at]!] = value;
  }
  if (!time.asksTold) raiseByFacts(near, index, { spans, asksState: time.asksState });
  for (let turn = 0; turn < length; turn++) {
    if (!conversation.isLive(turn)) near[turn] = 0;
    else if (near[turn]! < 1) {
      const value =
        toldNear(said[turn]!, spans) * (elsewhere[turn] === 1 && near[turn] === 0 ? TELLS_OF_ANOTHER : 1);
      if (value > near[turn]!) near[turn] = value;
    }
  }
  return near;
}

function spanOf(times: Float64Array): Span {
  let [start, end] = [Number.POSITIVE_INFINITY, 0];
  for (const time of times) {
    if (time < start) start = time;
    if (time > end) end = time;
  }
  return { start: Math.min(start, end), end };
}

/** The share of an interval that is in one of the spans, by its root: "in 2023" says little of a day. */
function overlapOf({ start, end }: Span, spans: readonly Span[]): number {
  let most = 0;
  for (const span of spans) {
    const shared = Math.min(end, span.end) - Math.max(start, span.start);
    if (shared > most) most = shared;
  }
  return most === 0 ? 0 : Math.sqrt(most / (end - start));
}

function toldNear(at: Milliseconds, spans: readonly Span[]): number {
  let most = 0;
  for (const { start, end } of spans) {
    const isShort = end - start <= SHORT;
    const [before, after] = [start - at, at - end + 1];
    let value = 0;
    if (before <= 0 && after <= 0) value = SAID_THEN;
    else if (isShort) value = SAID_THEN * (1 - Math.max(0, Math.max(before, after) - DAY) / TOLD_WITHIN);
    else if (after > 0) value = TOLD_AFTER * (1 - after / TOLD_WITHIN);
    if (value > most) most = value;
  }
  return most;
}

/** Raises the turns that the live facts of the spans cite. */
function raiseByFacts(
  near: Float32Array,
  { facts, validity, graphs, episodes }: ScopeIndex,
  { spans, asksState }: { readonly spans: readonly Span[]; readonly asksState: boolean },
): void {
  const { offsets, others } = graphs.evidence.adjacency('out');
  const said = episodes.timeline.validAt.data;
  for (let fact = 0; fact < facts.length; fact++) {
    const [from, to] = [validity.validAt(fact), validity.invalidAt(fact)];
    const began = spans.some(({ start, end }) => start <= from && from < end);
    const held = asksState && spans.some(({ start }) => from < start && !(to <= start));
    const value = began ? 1 : held ? HELD : 0;
    if (value === 0 || !facts.lexical.has(fact)) continue;
    // A fact without edges may be beyond the last offset.
    const end = offsets[fact + 1] ?? 0;
    for (let at = offsets[fact] ?? 0; at < end; at++) {
      const turn = others[at]!;
      // What began when it was said is the turn's own time.
      if (value > near[turn]! && (held || said[turn]! !== from)) near[turn] = value;
    }
  }
}
