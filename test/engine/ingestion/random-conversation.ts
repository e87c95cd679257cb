import type { TurnInput } from '../../../src/model/turn-input.ts';

/** Whole names, one person's or pet's each: which of two namesakes is meant may depend on what came together. */
const NAMES = ['Dmitri Volkov', 'Esther Lang', 'Farid Haddad', 'Hugo Berg'];
const CITIES = ['Oslo', 'Lisbon', 'Bergen', 'Madrid', 'Vienna'];
const PETS = ['beagle named Rex', 'parrot named Coco', 'hamster named Pixel'];

/** Some say something of somebody, some ask, some say nothing at all. */
const SENTENCES = [
  'I called Carla Moss on Monday.',
  'I moved to {city} last month.',
  'I adopted a {pet}.',
  'I visited {name} yesterday.',
  'I cooked for {name}, who is allergic to peanuts.',
  'I started piano lessons with {name}.',
  'We planted ferns and roses in the garden of {name}.',
  'I missed the night train from {city} to {city}.',
  'How is {name} doing these days?',
  'Wow, that sounds great!',
  'Thanks, see you soon.',
  'I bought a red bicycle in {city} on 3 May 2023.',
] as const;

const MINUTE = 60_000;
const FIRST = Date.UTC(2023, 4, 8, 10);

export interface ConversationOptions {
  readonly turns: number;
  /** One after the other. Default 1. */
  readonly sessions?: number;
}

/** Turns of two people in order, with pauses of more than half an hour here and there; each has a `sourceId`. */
export function randomConversation(
  random: () => number,
  { turns, sessions = 1 }: ConversationOptions,
): TurnInput[] {
  let at = FIRST;
  return Array.from({ length: turns }, (_, number) => {
    at += random() < 0.15 ? 45 * MINUTE : MINUTE;
    return {
      content: randomSentence(random),
      speaker: number % 2 === 0 ? 'Ann' : 'Bob',
      session: `s${Math.floor((number * sessions) / turns)}`,
      at,
      sourceId: String(number),
    };
  });
}

export function randomSentence(random: () => number): string {
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)]!;
  const lists: Readonly<Record<string, readonly string[]>> = {
    name: NAMES,
    city: CITIES,
    pet: PETS,
  };
  return pick(SENTENCES).replaceAll(/\{(\w+)\}/g, (_, kind: string) => pick(lists[kind]!));
}
