import { capitalized } from '../../util/capitalized.ts';
import type { ExtractedFact } from '../extractor.ts';
import { toSentences } from '../local/clean-text.ts';
import { type ReadSegment, tellingTerms } from './read-segment.ts';

/** Longer ones are not for a list of topics. */
const LONGEST_STATEMENT = 180;
const PHOTO = /^.{1,80}? shared (?:a photo|an attachment)/;
/** "This recipe", "They": said of something before. */
const OPEN_START = /^(?:this|that|these|those|they|it|he|she|here|there|such|its|their|his|her)\b/i;
/** Below 1, what speaks against a statement; above, what speaks for it. */
const FACTOR = { photo: 0.25, openStart: 0.4, aboutOthers: 0.7, dated: 1.3, quote: 0.5 };
/** A statement with fewer telling words counts in proportion: "The studio looks awesome". */
const TELLING_WORDS = 4;
/** A further statement must be worth this share of the best. */
const LEAST_SHARE = 0.2;
/** Of a turn that is quoted in the absence of statements. */
const MOST_SENTENCES = 150;

interface Candidate {
  readonly text: string;
  /** Position of the turn it is from. */
  readonly turn: number;
  readonly terms: readonly string[];
  readonly factor: number;
}

/**
 * The statements that together cover most of what a segment's turns share, in the order in which they were said:
 * those that were read from the turns, or, where there are none, the most telling sentences in quotes.
 */
export function chooseStatements(segment: ReadSegment, count: number): string[] {
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
    terms: tellingTerms(statement, speakers),
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
        terms: tellingTerms(text, speakers),
        factor: FACTOR.quote,
      }))
      .filter(({ terms }) => terms.length > 1),
  );
}

/** Per length, so that a long statement does not win by its length alone; half of its words must be new. */
function best(
  candidates: readonly Candidate[],
  { segment, said }: { segment: ReadSegment; said: ReadonlySet<string> },
): { found: Candidate | null; score: number } {
  let [found, most]: [Candidate | null, number] = [null, 0];
  for (const candidate of candidates) {
    const { terms, text, factor } = candidate;
    const fresh = terms.filter((term) => !said.has(term));
    const covered = fresh.reduce((sum, term) => sum + (segment.spread.get(term) ?? 0), 0);
    const worth = factor * Math.min(1, terms.length / TELLING_WORDS);
    const score = (worth * covered) / Math.sqrt(text.length + 40);
    if (fresh.length * 2 > terms.length && score > most) [found, most] = [candidate, score];
  }
  return { found, score: most };
}

/** At a space, if there is one. */
function shortened(text: string): string {
  if (text.length <= LONGEST_STATEMENT) return text;
  const cut = text.slice(0, LONGEST_STATEMENT).replace(/[\ud800-\udbff]$/, '');
  return `${cut.replace(/[\s,;:-]+\S*$/, '')}…`;
}

function ended(text: string): string {
  return /[.!?…。！？]["')]?$/.test(text) ? text : `${text}.`;
}
