import { CancelledError } from '../../errors/index.ts';
import { describeInterval } from '../local/describe-interval.ts';
import { DAY } from '../local/time-math.ts';
import { capitalized } from './capitalized.ts';
import { chooseStatements } from './choose-statements.ts';
import { chooseTopics, type Topic } from './choose-topics.ts';
import { type ReadSegment, readSegment } from './read-segment.ts';
import {
  MAX_KEYWORDS,
  MAX_SEGMENT_SUMMARY,
  type SegmentSummary,
  type SegmentToSummarize,
  type SummarizeOptions,
  type Summarizer,
} from './summarizer.ts';
import { topicPhrase } from './topic-phrase.ts';

const TOPICS_IN_SUMMARY = 3;
const STATEMENTS_IN_SUMMARY = 2;
const SPEAKERS_NAMED = 4;

/**
 * The local tier's summaries: who talked about which topics when, and the statements that cover most of it. "Gina
 * and Jon talked about an ad campaign and Gina's store on 29 January 2023. Gina launched …". Deterministic.
 */
export class LocalSummarizer implements Summarizer {
  async summarize(segment: SegmentToSummarize, { signal }: SummarizeOptions = {}): Promise<SegmentSummary> {
    if (signal?.aborted) throw new CancelledError('the segment has no summary', signal.reason);
    const read = readSegment(segment);
    const topics = chooseTopics(read, MAX_KEYWORDS);
    const statements = chooseStatements(read, STATEMENTS_IN_SUMMARY);
    const summary = [opening(read, topics, statements), ...statements].join(' ');
    return { keywords: topics.map(({ phrase }) => phrase), summary: summary.slice(0, MAX_SEGMENT_SUMMARY) };
  }
}

function opening(segment: ReadSegment, topics: readonly Topic[], statements: readonly string[]): string {
  const { names } = segment.speakers;
  const verb = names.length > 1 ? 'talked' : 'spoke';
  const about = joined(topics.slice(0, TOPICS_IN_SUMMARY).map(({ phrase }) => topicPhrase(phrase, segment)));
  const what = about !== '' ? `${verb} about ${about}` : statements.length > 0 ? verb : 'made small talk';
  const who = joined(
    names.length > SPEAKERS_NAMED ? [...names.slice(0, SPEAKERS_NAMED - 1), 'others'] : names,
  );
  return capitalized(`${who} ${what} ${when(segment)}.`);
}

function when({ turns }: ReadSegment): string {
  const times = turns.map(({ validAt }) => validAt);
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const precision = end - start < DAY ? 'day' : 'span';
  return `on ${describeInterval({ start, end: end + 1, precision })}`;
}

function joined(parts: readonly string[]): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
