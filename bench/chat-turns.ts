import type { TurnInput } from '../src/model/turn-input.ts';
import { FILLERS, SLOTS } from './enumeration-kinds.ts';

type Random = () => number;

const TURNS_PER_SESSION = 20;
const DAY = 86_400_000;
const FIRST_DAY = Date.UTC(2023, 0, 2);

const LISTS: Readonly<Record<string, readonly string[]>> = {
  ...SLOTS,
  speaker: 'Carla,Tomas,Nora,Yusuf,Ilan,Mara,Bea,Oskar'.split(','),
  relative: 'sister,brother,cousin,aunt,teacher,neighbour,colleague,manager,flatmate,grandmother'.split(','),
  name: 'Yusuf,Elena,Priya,Marcel,Agnes,Dmitri,Lotte,Kofi,Hana,Bruno,Sanne,Viktor,Amara,Jules,Rosa,Pieter'.split(
    ',',
  ),
  city: 'Ghent,Bruges,Antwerp,Leuven,Lille,Porto,Krakow,Bergen,Turin,Seville,Graz,Tartu,Cork,Basel,Nantes'.split(
    ',',
  ),
  workplace:
    'library,bakery,hospital,theatre,harbour,town hall,primary school,brewery,museum,post office'.split(','),
  hobby:
    'chess,bouldering,pottery,rowing,archery,birdwatching,fencing,knitting,beekeeping,juggling,sailing,origami'.split(
      ',',
    ),
  animal: 'terrier,tabby cat,parrot,tortoise,rabbit,hamster,whippet,goldfish'.split(','),
  dish: 'lentil soup,paella,dumplings,ratatouille,pancakes,goulash,risotto,shakshuka'.split(','),
};

/** Sentences that give entities, facts and facts that end. A turn is one of them and one or two of `FILLERS`. */
const STATEMENTS: readonly string[] = [
  'My {relative} {name} works at the {workplace} in {city}.',
  'I moved to {city} last month.',
  'I started {hobby} yesterday; my teacher {name} recommended the beginners group in {city}.',
  'My {relative} {name} adopted a {animal} on {day}.',
  'I live in {city} now, close to the {workplace}.',
  'I stopped {hobby} because of my shoulder.',
  '{name} said "{hobby} is the best" when I told her that I live in {city}.',
  'I cooked {dish} for {name} and my {relative}.',
  'My {relative} {name} is moving from {city} to {city} next year.',
  'I work at the {workplace} on {day}s.',
  'We visited {city} with {name} last summer and ate {dish}.',
  'My favourite dish is {dish}, whatever {name} says.',
];

export const QUESTIONS: readonly string[] = [
  'Where does {name} live?',
  'Who works at the {workplace}?',
  'What did {speaker} say about {hobby}?',
  'Which animal did {name} adopt?',
  'When did {speaker} move to {city}?',
  'Who likes {dish}?',
  'What broke in the {room}?',
  'Which hobbies does {speaker} have?',
];

/** Short everyday turns of several people in one conversation, in sessions of twenty turns, one per day. */
export class Conversation {
  readonly #random: Random;
  #turns = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Number of started sessions. */
  get sessions(): number {
    return Math.ceil(this.#turns / TURNS_PER_SESSION);
  }

  next(): TurnInput {
    const session = Math.floor(this.#turns / TURNS_PER_SESSION);
    const index = this.#turns % TURNS_PER_SESSION;
    this.#turns += 1;
    const sentences = [pick(STATEMENTS, this.#random), pick(FILLERS, this.#random)];
    if (this.#random() < 0.4) sentences.push(pick(FILLERS, this.#random));
    return {
      content: filled(sentences.join(' '), this.#random),
      speaker: pick(LISTS.speaker!, this.#random),
      session: sessionName(session),
      index,
      at: FIRST_DAY + session * DAY + index * 60_000,
      source: 'chat',
      sourceId: `turn ${this.#turns}`,
    };
  }
}

export function sessionName(number: number): string {
  return `day ${number}`;
}

/** Fills each slot of a template with a random word. */
export function filled(template: string, random: Random): string {
  return template.replace(/\{(\w+)\}/g, (_, slot: string) => pick(LISTS[slot]!, random));
}

export function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)]!;
}
