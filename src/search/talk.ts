import { ROLES } from '../model/codes.ts';
import type { EpisodeIndex } from './episode-index.ts';

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

export interface Talks {
  /** By the number of a session, a place in `TALKS`. */
  readonly ofSessions: Uint8Array;
  /** By the number of a speaker, 1 for one who has notes alone beside others: the title or author of documents. */
  readonly isTitle: Uint8Array;
}

/**
 * The kind of talk of each session: what a turn's metadata says, else `assistant` where one has this role or name,
 * `group` from three speakers on, `notes` where one speaks alone, and `people`.
 */
export function readTalks({ timeline, conversation, metadata }: EpisodeIndex): Talks {
  const { session, speaker, role, sessions, speakers } = timeline;
  const stated = new Uint8Array(sessions.length).fill(TALKS.length);
  const isAssisted = new Uint8Array(sessions.length);
  const heard = new Uint8Array(sessions.length);
  const known = [new Int32Array(sessions.length).fill(-1), new Int32Array(sessions.length).fill(-1)] as const;
  const isAssistant = speakers.map((name) => NAME_OF_ASSISTANT.test(name));
  for (let turn = 0; turn < session.length; turn++) {
    if (!conversation.isLive(turn)) continue;
    const number = session.data[turn]!;
    const by = speaker.data[turn]!;
    const talk = TALKS.indexOf(metadata.of(turn)[TALK_KEY] as Talk);
    if (talk >= 0) stated[number] = talk;
    if (role.data[turn] === ASSISTANT || isAssistant[by]) isAssisted[number] = 1;
    if (by === known[0][number] || by === known[1][number] || heard[number] === GROUP) continue;
    if (heard[number]! < known.length) known[heard[number]!]![number] = by;
    heard[number]!++;
  }
  const ofSessions = stated.map((talk, number) =>
    talk < TALKS.length ? talk : TALKS.indexOf(talkOf(isAssisted[number] === 1, heard[number]!)),
  );
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
