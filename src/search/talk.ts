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

/**
 * The place in `TALKS` of the talk of each session, by its number: what a turn's metadata says, else `assistant` where
 * one has this role or name, `group` from three speakers on, `notes` where one speaks alone, and `people`.
 */
export function talkOfSessions({ timeline, conversation, metadata }: EpisodeIndex): Uint8Array {
  const { session, speaker, role, sessions } = timeline;
  const stated = new Uint8Array(sessions.length).fill(TALKS.length);
  const isAssisted = new Uint8Array(sessions.length);
  const speakers = new Uint8Array(sessions.length);
  const known = [new Int32Array(sessions.length).fill(-1), new Int32Array(sessions.length).fill(-1)] as const;
  const isAssistant = timeline.speakers.map((name) => NAME_OF_ASSISTANT.test(name));
  for (let turn = 0; turn < session.length; turn++) {
    if (!conversation.isLive(turn)) continue;
    const number = session.data[turn]!;
    const by = speaker.data[turn]!;
    const talk = TALKS.indexOf(metadata.of(turn)[TALK_KEY] as Talk);
    if (talk >= 0) stated[number] = talk;
    if (role.data[turn] === ASSISTANT || isAssistant[by]) isAssisted[number] = 1;
    if (by === known[0][number] || by === known[1][number] || speakers[number] === GROUP) continue;
    if (speakers[number]! < known.length) known[speakers[number]!]![number] = by;
    speakers[number]!++;
  }
  return stated.map((talk, number) =>
    talk < TALKS.length ? talk : TALKS.indexOf(talkOf(isAssisted[number] === 1, speakers[number]!)),
  );
}

function talkOf(isAssisted: boolean, speakers: number): Talk {
  if (isAssisted) return 'assistant';
  if (speakers >= GROUP) return 'group';
  return speakers === 1 ? 'notes' : 'people';
}
