import { CancelledError } from '../../errors/index.ts';
import { DAY, describeInterval } from '../../time/calendar.ts';
import { Breather } from '../../util/breathe.ts';
import { escaped } from '../../util/escaped.ts';
import { clockTime } from '../../util/speaker-clock.ts';
import { capitalized } from '../../util/tidy.ts';
import type { ExtractedFact } from '../extract/extractor.ts';
import { toSentences } from '../extract/local/clean-text.ts';
import { chooseTopics, contentTerms, type ReadSegment, readSegment, topicPhrase } from './choose-topics.ts';
import { MAX_KEYWORDS, MAX_SEGMENT_SUMMARY } from './defaults.ts';
import type { SegmentSummary, SegmentToSummarize, SummarizeOptions, Summarizer } from './summarizer.ts';

/** Longer statements are not shown in a summary. */
const LONGEST_STATEMENT = 180;
const PHOTO = /^.{1,80}? shared (?:a photo|an attachment)/;
/** Openings that refer to an earlier sentence: "This recipe", "They". */
const OPEN_START = /^(?:this|that|these|those|they|it|he|she|here|there|such|its|their|his|her)\b/i;
/** Factors below 1 lower the weight of a statement, factors above 1 raise it. */
const FACTOR = { photo: 0.25, openStart: 0.4, aboutOthers: 0.7, dated: 1.3, quote: 0.5 };
/** The weight of a statement with fewer content words is reduced in proportion: "The studio looks awesome". */
const ENOUGH_CONTENT_WORDS = 4;
/** A further statement must reach this share of the best one's weight. */
const LEAST_SHARE = 0.2;
/** Maximum number of sentences per turn that are considered when a segment has no statements. */
const MOST_SENTENCES = 150;

interface Candidate {
  readonly text: string;
  /** Position of its turn. */
  readonly turn: number;
  readonly terms: readonly string[];
  readonly factor: number;
}

/**
 * The statements that together cover most of the terms that the segment's turns share, in turn order: those of the
 * extraction or, if there are none, the sentences with the greatest weight, in quotes.
 */
function chooseStatements(segment: ReadSegment, count: number): string[] {
  const facts = segment.extraction.facts.map((fact) => factCandidate(fact, segment));
  const isReadable = facts.some(({ factor }) => factor > FACTOR.photo);
  const candidates = isReadable ? facts : [...facts, ...sentences(segment)];
  const [chosen, said]: [Candidate[], Set<string>] = [[], new Set()];
  let least = 0;
  while (chosen.length < count) {
    const { found, score } = best(candidates, { segment, said });
    if (found === null || score <= least) break;
    if (chosen.length === 0) least = score * LEAST_SHARE;
    chosen.push(found);
    for (const term of found.terms) said.add(term);
  }
  return chosen.sort((a, b) => a.turn - b.turn).map(({ text }) => text);
}

function factCandidate(fact: ExtractedFact, { speakers }: ReadSegment): Candidate {
  const { statement, turns } = fact;
  return {
    text: ended(shortened(statement)),
    turn: turns[0]!,
    terms: contentTerms(statement, speakers),
    factor: factorOf(fact, speakers.names),
  };
}

function factorOf(
  { statement, participants, confidence, event }: ExtractedFact,
  speakers: readonly string[],
): number {
  if (PHOTO.test(statement)) return FACTOR.photo;
  const isAboutThem = participants.some((name) => speakers.includes(name));
  return (
    confidence *
    (OPEN_START.test(statement) ? FACTOR.openStart : 1) *
    (isAboutThem ? 1 : FACTOR.aboutOthers) *
    (event === null ? 1 : FACTOR.dated)
  );
}

function sentences({ turns, read, speakers }: ReadSegment): Candidate[] {
  return turns.flatMap(({ content }, turn) =>
    toSentences(content, MOST_SENTENCES)
      .filter(({ isQuestion }) => !isQuestion)
      .map(({ text }) => ({
        text: capitalized(`${read[turn]!.speaker} said: "${ended(shortened(text.replaceAll('"', "'")))}"`),
        turn,
        terms: contentTerms(text, speakers),
        factor: FACTOR.quote,
      }))
      .filter(({ terms }) => terms.length > 1),
  );
}

/** Weighs by length, so that a long statement does not win by its length alone; half of its words must be new. */
function best(
  candidates: readonly Candidate[],
  { segment, said }: { segment: ReadSegment; said: ReadonlySet<string> },
): { found: Candidate | null; score: number } {
  let [found, most]: [Candidate | null, number] = [null, 0];
  for (const candidate of candidates) {
    const { terms, text, factor } = candidate;
    const fresh = terms.filter((term) => !said.has(term));
    const covered = fresh.reduce((sum, term) => sum + (segment.spread.get(term) ?? 0), 0);
    const worth = factor * Math.min(1, terms.length / ENOUGH_CONTENT_WORDS);
    const score = (worth * covered) / Math.sqrt(text.length + 40);
    if (fresh.length * 2 > terms.length && score > most) [found, most] = [candidate, score];
  }
  return { found, score: most };
}

/** Cuts at a space if possible. */
function shortened(text: string): string {
  if (text.length <= LONGEST_STATEMENT) return text;
  const cut = text.slice(0, LONGEST_STATEMENT).replace(/[\ud800-\udbff]$/, '');
  return `${cut.replace(/[\s,;:-]+\S*$/, '')}…`;
}

function ended(text: string): string {
  return /[.!?…。！？]["')]?$/.test(text) ? text : `${text}.`;
}

interface Opening {
  readonly speakers: readonly string[];
  /** As topics are used in a sentence. */
  readonly topics: readonly string[];
  /** Such as "8 May 2023". */
  readonly date: string;
  /** Whether statements follow. A segment without statements and topics was small talk. */
  readonly hasStatements: boolean;
}

const SPEAKERS_NAMED = 4;
const OTHERS = 'others';
const OPENING =
  /^(.{1,400}?) (?:talked|spoke|made small talk)(?: about (.{1,400}?))? on (?:week of )?\d[^.]{3,60}\.(?: |$)/u;

/** "Gina and Jon talked about a store on 8 May 2023." */
export function writeOpening({ speakers, topics, date, hasStatements }: Opening): string {
  const verb = speakers.length > 1 ? 'talked' : 'spoke';
  const about = topics.length > 0 ? `${verb} about ${joined(topics)}` : null;
  const named =
    speakers.length > SPEAKERS_NAMED ? [...speakers.slice(0, SPEAKERS_NAMED - 1), OTHERS] : speakers;
  return capitalized(`${joined(named)} ${about ?? (hasStatements ? verb : 'made small talk')} on ${date}.`);
}

/**
 * The text that a segment's topic vector is computed from: keywords, the opening's topics, statements. Omits what all
 * segments of a conversation share: its speakers, dates and fixed phrases. Empty for small talk.
 *
 * On LoCoMo's development split with the static embedder, vectors of this text find 65 % of the segments with
 * evidence among ten, vectors of the unchanged summary 59 %, vectors of the turns 64 %.
 */
export function topicText({ keywords, summary }: { keywords: readonly string[]; summary: string }): string {
  const [opening, speakers = '', topics = ''] = OPENING.exec(summary) ?? [''];
  const statements = summary.slice(opening.length);
  const parts = [
    keywords.join(', '),
    ...[topics, statements].map((part) => withoutNames(part, namesOf(speakers))),
  ];
  return parts.filter((part) => part !== '').join('. ');
}

function namesOf(list: string): string[] {
  return list.split(/, | and /).filter((name) => name !== '' && name !== OTHERS);
}

function withoutNames(text: string, names: readonly string[]): string {
  if (names.length === 0) return text.trim();
  const longestFirst = names.toSorted((a, b) => b.length - a.length).map(escaped);
  const name = new RegExp(`(?<![\\p{L}\\p{N}])(?:${longestFirst.join('|')})(?:'s)?(?![\\p{L}\\p{N}])`, 'giu');
  return text.replace(name, ' ').replace(/ {2,}/g, ' ').trim();
}

function joined(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

const TOPICS_IN_SUMMARY = 3;
const STATEMENTS_IN_SUMMARY = 2;

/**
 * The local tier's summaries: who talked about which topics when, and the statements that cover most of them. "Gina
 * and Jon talked about an ad campaign and Gina's store on 29 January 2023. Gina launched …". Deterministic.
 */
export class LocalSummarizer implements Summarizer {
  async summarize(segment: SegmentToSummarize, { signal }: SummarizeOptions = {}): Promise<SegmentSummary> {
    if (signal?.aborted) throw new CancelledError('the segment has no summary', signal.reason);
    const breather = new Breather();
    const read = readSegment(segment);
    await breather.breathe();
    const topics = chooseTopics(read, MAX_KEYWORDS);
    await breather.breathe();
    const statements = chooseStatements(read, STATEMENTS_IN_SUMMARY);
    const opening = writeOpening({
      speakers: read.speakers.names,
      topics: topics.slice(0, TOPICS_IN_SUMMARY).map(({ phrase }) => topicPhrase(phrase, read)),
      date: dateOf(read),
      hasStatements: statements.length > 0,
    });
    const summary = [opening, ...statements].join(' ').slice(0, MAX_SEGMENT_SUMMARY).toWellFormed();
    return { keywords: topics.map(({ phrase }) => phrase), summary };
  }
}

function dateOf({ turns }: ReadSegment): string {
  const times = turns.map(clockTime);
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const precision = end - start < DAY ? 'day' : 'span';
  return describeInterval({ start, end: end + 1, precision });
}
