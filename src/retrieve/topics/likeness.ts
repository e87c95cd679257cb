import { highestScore, mixScores } from '../mix-scores.ts';
import type { RouteInput } from '../route.ts';
import { within } from '../system1/turn-scores.ts';
import type { Archive } from './archive.ts';
import type { TopicsRoute } from './settings.ts';

/** How near the rows of one kind are to the question, by ordinal; 0 for what is not archived. */
export interface Likeness {
  /** The cosine; BM25 where no vector speaks for a row. */
  readonly near: () => Float32Array;
  /** Words and vectors, from 0 to 1. */
  readonly mixed: () => Float32Array;
}

type Asked = Pick<RouteInput, 'context' | 'queryVector' | 'question' | 'rows'>;

/** Of turns, each read in its conversation; `near` is of the turn by itself. */
export function likenessOfTurns(asked: Asked, archive: Archive, { reading }: TopicsRoute): Likeness {
  const { episodes } = asked.context.index;
  const { turnScores } = asked.rows();
  const archived = archive.turns();
  const words = () => within(turnScores.lexical(reading).slice(), archived);
  const cosines = () => {
    const scores = new Float32Array(archived.length);
    episodes.vectors.score(asked.queryVector, scores);
    return positive(scores, archived);
  };
  return {
    near: () => firstThatSpeaks(cosines(), words),
    mixed: () => mixScores(words(), within(turnScores.vector(reading).slice(), archived)),
  };
}

/** Of what was noted of topics: keywords and summaries. */
export function likenessOfTopics(asked: Asked, archive: Archive): Likeness {
  const { segments } = asked.context.index;
  const topics = archive.topics();
  const words = () => within(segments.lexicalScores(asked.question.allTerms), topics);
  const cosines = () => {
    const scores = new Float32Array(topics.length);
    segments.vectors.score(asked.queryVector, scores);
    return positive(scores, topics);
  };
  return {
    near: () => firstThatSpeaks(cosines(), words),
    mixed: () => mixScores(words(), cosines()),
  };
}

/** A row without a vector has −Infinity, which no factor makes 0. */
function positive(scores: Float32Array, offered: Uint8Array): Float32Array {
  for (let at = 0; at < scores.length; at++)
    scores[at] = offered[at] === 1 && scores[at]! > 0 ? scores[at]! : 0;
  return scores;
}

function firstThatSpeaks(scores: Float32Array, others: () => Float32Array): Float32Array {
  return highestScore(scores) > 0 ? scores : others();
}
