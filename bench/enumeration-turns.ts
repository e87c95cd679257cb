import type { TurnInput } from '../src/model/turn-input.ts';
import { ENUMERATION_KINDS, type EnumerationKind, FILLERS, SLOTS } from './enumeration-kinds.ts';
import { randomNumbers } from './synthetic-turns.ts';

const FEWEST_MEMBERS = 12;
const SENTENCES = 6;
const TURNS_PER_SESSION = 20;
const FIRST_DAY = Date.UTC(2022, 0, 3);
const DAY = 86_400_000;
const SPEAKERS = ['Ilan', 'Mara'];

export interface Enumeration {
  readonly kind: string;
  readonly question: string;
  readonly members: readonly string[];
  /** `sourceId`s of the turns that name the members, one each. */
  readonly evidence: readonly string[];
}

export interface EnumerationCorpus {
  readonly turns: readonly TurnInput[];
  readonly enumerations: readonly Enumeration[];
}

type Random = () => number;

interface Drafted {
  readonly speaker: string;
  readonly content: string;
  readonly member: { readonly kind: string; readonly name: string } | null;
}

/**
 * A long conversation on mixed topics. Some turns name one more city, animal, dish …, once each, in a turn about
 * something else and without its kind; a question names only the kind.
 */
export function enumerationCorpus({
  unrelated,
  seed = 1,
}: {
  readonly unrelated: number;
  readonly seed?: number;
}): EnumerationCorpus {
  const random = randomNumbers(seed);
  const kinds = ENUMERATION_KINDS.map((kind) => ({ kind, members: someOf(kind, random) }));
  const drafted: Drafted[] = [
    ...Array.from({ length: unrelated }, () => unrelatedTurn(random)),
    ...kinds.flatMap(({ kind, members }) => members.map((name) => memberTurn(kind, name, random))),
  ];
  const turns = shuffled(drafted, random).map(placed);
  const evidenceOf = (kind: string, name: string) =>
    turns.find(({ draft: { member } }) => member?.kind === kind && member.name === name)!.turn.sourceId!;
  return {
    turns: turns.map(({ turn }) => turn),
    enumerations: kinds.map(({ kind: { name: kind, question }, members }) => ({
      kind,
      question,
      members,
      evidence: members.map((name) => evidenceOf(kind, name)),
    })),
  };
}

function someOf({ members }: EnumerationKind, random: Random): readonly string[] {
  const count = FEWEST_MEMBERS + Math.floor(random() * (members.length - FEWEST_MEMBERS + 1));
  return shuffled(members, random).slice(0, count);
}

function unrelatedTurn(random: Random): Drafted {
  return { speaker: pick(SPEAKERS, random), content: sentences(SENTENCES, random).join(' '), member: null };
}

function memberTurn(
  { name: kind, speaker, mentions }: EnumerationKind,
  name: string,
  random: Random,
): Drafted {
  const article = /^[aeiou]/i.test(name) ? 'an' : 'a';
  const mention = pick(mentions, random).replace('{a}', `${article} ${name}`).replace('{x}', name);
  const others = sentences(SENTENCES - 1, random);
  const at = Math.floor(random() * SENTENCES);
  return { speaker, content: others.toSpliced(at, 0, mention).join(' '), member: { kind, name } };
}

/** Picks distinct elements. */
function sentences(count: number, random: Random): string[] {
  return shuffled(FILLERS, random)
    .slice(0, count)
    .map((text) => text.replace(/\{(\w+)\}/g, (_, slot: string) => pick(SLOTS[slot]!, random)));
}

function placed(draft: Drafted, position: number): { readonly draft: Drafted; readonly turn: TurnInput } {
  const session = Math.floor(position / TURNS_PER_SESSION);
  const index = position % TURNS_PER_SESSION;
  const turn = {
    content: draft.content,
    speaker: draft.speaker,
    session: `day ${session}`,
    index,
    at: FIRST_DAY + session * DAY + index * 60_000,
    source: 'enumeration',
    sourceId: `turn ${position}`,
  };
  return { draft, turn };
}

function pick<T>(values: readonly T[], random: Random): T {
  return values[Math.floor(random() * values.length)]!;
}

function shuffled<T>(values: readonly T[], random: Random): T[] {
  const mixed = [...values];
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!];
  }
  return mixed;
}
