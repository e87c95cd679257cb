import { BESIDE_FOUND, type RetrievedEpisode } from '../model/retrieved-item.ts';
import { NONE } from '../search/timeline.ts';
import { firstSentence } from '../util/sentences.ts';
import { hydrateEpisodes } from './hydrate.ts';
import type { PreparedQuery } from './search.ts';

/** Best turns whose reply is added if they end with a question, and whose turn before if they lean on it. */
const REPLIES_WITHIN = 25;
const LEANING_WITHIN = 10;

/** A bracket, a quotation mark or an exclamation mark may follow the question mark. */
const ASKS = /[?？][!！?？)”’"']*\s*$/u;
const OPENS_AS_REPLY =
  /^\W*(?:yes|yeah|yep|yup|no|nope|sure|exactly|definitely|absolutely|totally|of course|right|same|thanks|thank you|me too|not really|it|that|this|those|these|they|he|she|there)\b/i;
const POINTS_BACK = /\b(?:it|that|this|those|these|them|they|he|she|him|her|there|one|ones)\b/i;

/**
 * Turns of the conversation beside found ones that these need to be understood: the reply to a question ("Where was
 * that?" – "In Zermatt."), and the turn before one that leans on it ("It was a gift"). Their ranks follow those of the
 * found turns, in the order of these; the vote says which turn of what rank they stand beside.
 */
export async function turnsBeside(
  { context, view, rows }: PreparedQuery,
  found: readonly RetrievedEpisode[],
): Promise<readonly RetrievedEpisode[]> {
  const { ids, timeline } = context.index.episodes;
  const eligible = rows().eligible.episode;
  const taken = new Set<string>(found.map(({ id }) => id));
  const items = found.slice(0, REPLIES_WITHIN).flatMap(({ id, content, rank }) => {
    const turn = ids.ordinalOf(id);
    if (turn === undefined) return [];
    const sides = [
      ...(ASKS.test(content) ? [{ list: 'reply', ordinal: timeline.next.at(turn) }] : []),
      ...(rank <= LEANING_WITHIN && leans(content)
        ? [{ list: 'before', ordinal: timeline.previous.at(turn) }]
        : []),
    ];
    return sides.flatMap(({ list, ordinal }) => {
      if (ordinal === NONE || eligible?.[ordinal] === 0) return [];
      const key = ids.idOf(ordinal);
      if (taken.has(key)) return [];
      taken.add(key);
      return [{ key, score: 0, votes: [{ route: BESIDE_FOUND, list, rank, score: 0 }] }];
    });
  });
  const turns = await hydrateEpisodes({ ...context, view }, items);
  return turns.map((turn) => ({ ...turn, rank: found.length + turn.rank }));
}

/** Whether a turn opens as a reply, or its first sentence points back. */
function leans(content: string): boolean {
  return OPENS_AS_REPLY.test(content) || POINTS_BACK.test(firstSentence(content.trim()));
}
