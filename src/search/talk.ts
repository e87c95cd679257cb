import { ROLES } from '../model/codes.ts';
import type { EpisodeIndex } from './episode-index.ts';
import { NONE } from './timeline.ts';

/**
 * The kinds of talk, which differ in what a turn says of its neighbours: two people, a group, a person with an
 * assistant, and notes or documents, whose turns stand alone.
 */
export const TALKS = ['people', 'group', 'assistant', 'notes'] as const;
export type Talk = (typeof TALKS)[number];

/** The key of a turn's metadata that says the kind of talk of its session, whatever the rule says. */
export const TALK_KEY = 'talk';

const ASSISTANT = ROLES.indexOf('assistant');
/** Names under which exports without roles have an assistant. */
const NAME_OF_ASSISTANT =
  /^(?:(?:ai|assistant|bot|chatbot|chatgpt|claude|copilot|gemini|gpt(?:-?\d.*)?|llm)\b|.*\bassistant$)/i;
/** Speakers of a session by which it is a group. */
const GROUP = 3;
/**
 * An assistant without role or known name gives itself away by its lengths: in so many turns or more, the average one
 * of one speaker has so many index terms, and this times the other's. All 44 sessions of BEAM have it (in the middle 342
 * terms against 21) and 139 of LongMemEval's 151; none of LoCoMo's 128 and none of those between people that are ours.
 */
const REPLIES = { turns: 4, terms: 50, ratio: 2 } as const;

export interface Talks {
  /** By the number of a session, a place in `TALKS`. */
  readonly ofSessions: Uint8Array;
  /** By the number of a speaker, 1 for one who has notes alone beside others: the title or author of documents. */
  readonly isTitle: Uint8Array;
}

/**
 * The kind of talk of each session: what a turn's metadata says, else `assistant` where one has this role or name, or
 * where one of two writes as only they do (`REPLIES`), `group` from three speakers on, `notes` where one speaks alone, and `people`.
 */
export function readTalks({ timeline, conversation, metadata }: EpisodeIndex): Talks {
  const { session, speaker, role, sessions, speakers } = timeline;
  const stated = new Uint8Array(sessions.length).fill(TALKS.length);
  const isAssisted = new Uint8Array(sessions.length);
  const heard = new Uint8Array(sessions.length);
  const sides = [0, 1].map(() => ({
    by: new Int32Array(sessions.length).fill(NONE),
    turns: new Float64Array(sessions.length),
    terms: new Float64Array(sessions.length),
  }));
  const isAssistant = speakers.map((name) => NAME_OF_ASSISTANT.test(name));
  for (let turn = 0; turn < session.length; turn++) {
    if (!conversation.isLive(turn)) continue;
    const number = session.data[turn]!;
    const by = speaker.data[turn]!;
    const talk = TALKS.indexOf(metadata.of(turn)[TALK_KEY] as Talk);
    if (talk >= 0) stated[number] = talk;
    if (role.data[turn] === ASSISTANT || isAssistant[by]) isAssisted[number] = 1;
    let side = sides.find((each) => each.by[number] === by);
    if (side === undefined && heard[number]! < GROUP) {
      side = sides[heard[number]!++];
      if (side !== undefined) side.by[number] = by;
    }
    if (side === undefined) continue;
    side.turns[number]!++;
    side.terms[number]! += conversation.lengths.data[turn]!;
  }
  const hasReplies = (number: number) => {
    const [short, long] = sides
      .map(({ turns, terms }) => terms[number]! / turns[number]!)
      .sort((a, b) => a - b);
    const count = sides.reduce((sum, { turns }) => sum + turns[number]!, 0);
    return count >= REPLIES.turns && long! >= REPLIES.terms && long! >= REPLIES.ratio * short!;
  };
  const ofSessions = stated.map((talk, number) => {
    if (talk < TALKS.length) return talk;
    const speakers = heard[number]!;
    const isChat = isAssisted[number] === 1 || (speakers === sides.length && hasReplies(number));
    return TALKS.indexOf(talkOf(isChat, speakers));
  });
  return { ofSessions, isTitle: titles({ timeline, conversation }, ofSessions) };
}

const NOTES = TALKS.indexOf('notes');

function titles(
  { timeline, conversation }: Pick<EpisodeIndex, 'timeline' | 'conversation'>,
  ofSessions: Uint8Array,
): Uint8Array {
  const { session, speaker, speakers } = timeline;
  const talks = new Uint8Array(speakers.length);
  const [INSIDE, OUTSIDE] = [1, 2];
  for (let turn = 0; turn < session.length; turn++)
    if (conversation.isLive(turn))
      talks[speaker.data[turn]!]! |= ofSessions[session.data[turn]!] === NOTES ? INSIDE! : OUTSIDE!;
  const isTitle = talks.map((talk) => (talk === INSIDE ? 1 : 0));
  return isTitle.reduce((count, title) => count + title, 0) > 1 ? isTitle : isTitle.fill(0);
}

function talkOf(isAssisted: boolean, speakers: number): Talk {
  if (isAssisted) return 'assistant';
  if (speakers >= GROUP) return 'group';
  return speakers === 1 ? 'notes' : 'people';
}
