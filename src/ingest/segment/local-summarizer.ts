import { CancelledError } from '../../errors/index.ts';
import { Breather } from '../../util/breathe.ts';
import { describeInterval } from '../local/describe-interval.ts';
import { DAY } from '../local/time-math.ts';
import { chooseStatements } from './choose-statements.ts';
import { chooseTopics } from './choose-topics.ts';
import { type ReadSegment, readSegment } from './read-segment.ts';
import {
  MAX_KEYWORDS,
  MAX_SEGMENT_SUMMARY,
  type SegmentSummary,
  type SegmentToSummarize,
  type SummarizeOptions,
  type Summarizer,
} from './summarizer.ts';
import { writeOpening } from './summary-opening.ts';
import { topicPhrase } from './topic-phrase.ts';

const TOPICS_IN_SUMMARY = 3;
const STATEMENTS_IN_SUMMARY = 2;

/**
 * The local tier's summaries: who talked about which topics when, and the statements that cover most of it. "Gina
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
  const times = turns.map(({ validAt }) => validAt);
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const precision = end - start < DAY ? 'day' : 'span';
  return describeInterval({ start, end: end + 1, precision });
}
