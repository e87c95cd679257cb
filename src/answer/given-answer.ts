import { TIERS } from '../model/options.ts';
import type { Answer, Citation, RetrievedItem, SearchResult, Usage } from '../model/retrieved-item.ts';
import { follow } from '../util/follow.ts';

export const ANSWERERS = TIERS;
/** `local` quotes memory; `llm` has a language model read it. */
export type Answerer = (typeof ANSWERERS)[number];

/** A source that an answer was composed from. */
export interface AnswerSource {
  readonly kind: RetrievedItem['kind'];
  readonly id: string;
  /** As the answerer reads it. */
  readonly text: string;
  /** Estimated for the text alone. */
  readonly tokens: number;
}

/** What an answer was composed from, and how long it took; for `ask` with `traced`. */
export interface AnswerTrace {
  /** Of the search and the answer together. */
  readonly milliseconds: number;
  readonly context: {
    /** In the order of the text. */
    readonly items: readonly AnswerSource[];
    /** Of the whole text, with numbers and headings. */
    readonly tokens: number;
    /** Number of sources left out for lack of budget. */
    readonly leftOut: number;
  };
  /** Estimated tokens of the prompt by part, where a model was asked. */
  readonly prompt?: { readonly rules: number; readonly question: number; readonly memory: number };
}

/** An answer, with its confidence and notes. */
export interface GivenAnswer extends Answer {
  readonly answerer: Answerer;
  /** Its confidence from 0 to 1, also for an abstention; null if a model answers. */
  readonly confidence: number | null;
  /** What went wrong or was left out, for the reader. */
  readonly notes: readonly string[];
  /**
   * What the quoted statements come to, where they decide it: "Yes", "No", "No, since 1 May 2026", "At least 3", "At
   * least €125", "21 days", "7 as of 1 May 2026". The text begins with it.
   */
  readonly verdict?: string;
  /** Of an abstention without a model: the nearest that memory holds, which is no answer. */
  readonly found?: Citation;
  /** `usage` by the name of the prompt; the engine's answers have it. */
  readonly byStage?: Readonly<Record<string, Usage>>;
  /** If the question was asked with `traced`. */
  readonly trace?: AnswerTrace;
}

/**
 * The answer without a model that a list of statements gives, each with its citation: the surer, the more there are. Null
 * if there are none.
 */
export function listedAnswer(
  search: SearchResult,
  { lines, citations }: { readonly lines: readonly string[]; readonly citations: readonly Citation[] },
): GivenAnswer | null {
  if (citations.length === 0) return null;
  return {
    question: search.query,
    answered: true,
    text: lines.join('\n'),
    citations,
    search,
    usage: search.usage,
    answerer: 'local',
    confidence: 1 - 0.5 ** citations.length,
    notes: [],
  };
}

/**
 * The events of a streamed answer: the search result, then the answer's text in pieces, then the whole answer. The
 * pieces joined are its text; an abstention has none. If a model fails after the first piece, discard the pieces: the
 * answer then quotes memory, and its notes say so.
 */
export type AnswerEvent =
  | { readonly type: 'found'; readonly result: SearchResult }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'answer'; readonly answer: GivenAnswer };

/** Callbacks for progress while an answer is produced. */
export interface AnswerListener {
  readonly onFound?: ((result: SearchResult) => void) | undefined;
  /** Receives the answer's text piece by piece. */
  readonly onText?: ((text: string) => void) | undefined;
}

/**
 * An answer as a stream. Ending the iteration early cancels it.
 *
 * @param signal - cancels the answer too.
 */
export async function* streamAnswer(
  ask: (listener: AnswerListener & { readonly signal: AbortSignal }) => Promise<GivenAnswer>,
  given?: AbortSignal,
): AsyncGenerator<AnswerEvent, void> {
  yield* follow<AnswerEvent>(async (emit, signal) => {
    const answer = await ask({
      onFound: (result) => emit({ type: 'found', result }),
      onText: (text) => emit({ type: 'text', text }),
      signal,
    });
    emit({ type: 'answer', answer });
  }, given);
}
