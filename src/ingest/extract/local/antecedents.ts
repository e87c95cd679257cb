import { wordSet } from '../../../util/collections.ts';
import { type Mention, TIME_WORDS } from './find-mentions.ts';
import type { NounLexicon } from './noun-lexicon.ts';
import type { ReadSentence } from './read-turn.ts';
import { isGerund, isPast, isVerb, type Token } from './tagger.ts';
import words from './words.json' with { type: 'json' };
import { FEMALE, KIN, MALE, VAGUE_NOUNS } from './words.ts';

/** Whom or what a noun phrase names, and so which pronouns may mean it. */
interface Referent {
  readonly text: string;
  readonly sort: 'man' | 'woman' | 'person' | 'worker' | 'name' | 'animal' | 'thing' | 'place' | 'several';
  /** The entity, if it is one. */
  readonly mention: Mention | null;
  /** Position of its turn in the unit. */
  readonly turn: number;
}

interface Said {
  readonly turn: number;
  readonly speaker: string;
  readonly referents: readonly Referent[];
}

export interface Speaking {
  /** Position of the turn in the unit. */
  readonly turn: number;
  readonly speaker: string;
  /** The person that "you" refers to, if known. */
  readonly other: string | null;
  readonly lexicon: Pick<NounLexicon, 'isOccupation' | 'isCommon'>;
}

interface Pronoun {
  readonly sorts: readonly Referent['sort'][];
  /** "Its", "their": what owns it may be the subject of the same clause. */
  readonly isOwning: boolean;
  readonly isObject: boolean;
}

export interface Mended {
  readonly sentence: ReadSentence;
  readonly mentions: readonly Mention[];
}

const ANIMALS = wordSet(words.animals);
/** Of a thing of these kinds one has one's own: "Dog is ill", "The landlord is called Piet". */
const OWNED = wordSet(words.owned);
/** Whose these are, the talk decides: the wedding of the brother who was just named. */
const OF_ANYBODY = /^(?:wedding|birthday|surgery|operation|appointment|exam)$/;
const PERSONS: ReadonlySet<Referent['sort']> = new Set(['man', 'woman', 'person', 'worker', 'name']);
const PRONOUNS: Readonly<Record<string, readonly Referent['sort'][]>> = {
  he: ['man', 'person', 'worker', 'name', 'animal'],
  him: ['man', 'person', 'worker', 'name', 'animal'],
  his: ['man', 'person', 'worker', 'name', 'animal'],
  she: ['woman', 'person', 'worker', 'name', 'animal'],
  her: ['woman', 'person', 'worker', 'name', 'animal'],
  it: ['thing', 'name', 'animal'],
  its: ['thing', 'name', 'animal'],
  them: ['several'],
  their: ['several'],
  there: ['place'],
};
const OWNERS: ReadonlySet<string> = new Set(['my', 'our', 'your', 'his', 'her', 'their', 'its']);
/** "It" means nothing after these: "make it", "get it". */
const EMPTY =
  /^(?:make|get|do|take|believe|as|is|be|that|how|worth|call|hear|think|find|feel|like|love|hate)$/;
const JOINS = /^(?:and|but|so|because|since|when|if|that|who|which|[,;:-])$/;
const ANYBODY = /^(?:(?:some|any|every|no)(?:body|one)|who|whoever|people)$/;
/** What is still in mind: the turn itself and the turns just before it. */
const TURNS_IN_MIND = 2;

/**
 * What the last sentences named, and whose things are. A pronoun is replaced by what it means if exactly one of these
 * fits it: "He works nights" after "My brother has a baby" becomes "Ida's brother works nights". In doubt it stays, and
 * its clause is no fact. "Dog is called Keith" becomes "My dog …", unless somebody else has a dog.
 */
export class Antecedents {
  #said: Said[] = [];
  /** Whose a thing is, by its noun. */
  readonly #owners = new Map<string, Set<string>>();
  /** What a thing was called when it was introduced, by its noun: "flight nurse course". */
  readonly #kinds = new Map<string, Map<string, Mention | null>>();
  readonly #standIns = new WeakMap<Token, Referent>();

  mend(sentence: ReadSentence, mentions: readonly Mention[], speaking: Speaking): Mended {
    return this.#withReferents(
      this.#withIdentity(this.#withOwner({ sentence, mentions }, speaking), speaking),
      speaking,
    );
  }

  #withOwner({ sentence, mentions }: Mended, { speaker }: Speaking): Mended {
    const { tokens } = sentence;
    if (sentence.isQuestion) return { sentence, mentions };
    const isBare = tokens[0]?.lower !== 'the';
    const start = isBare ? 0 : 1;
    const head = headAt(tokens, start);
    // "Exams can be hard" is about nobody's.
    if (head === null || (isBare && isPlural(head))) return { sentence, mentions };
    const owner = this.#ownerOf(head.lemma, speaker);
    if (owner === null) return { sentence, mentions };
    const text = owner === speaker ? 'my' : `${owner}'s`;
    const pos = owner === speaker ? 'PRON' : 'PROPN';
    const lead: Token = { text, lower: text.toLowerCase(), lemma: text.toLowerCase(), pos, space: false };
    const rest = tokens.slice(start).map((token, at) => (at === 0 ? { ...token, space: true } : token));
    const by = isBare ? 1 : 0;
    const moved = mentions.map((mention) => ({
      ...mention,
      start: mention.start + by,
      end: mention.end + by,
    }));
    return { sentence: { ...sentence, tokens: [lead, ...rest] }, mentions: moved };
  }

  /**
   * "The bench" as "Grace's bench", "the course" as "the flight nurse course", if the talk has only one; "I met this
   * woman" as "I met a woman".
   */
  #withIdentity({ sentence, mentions }: Mended, speaking: Speaking): Mended {
    if (sentence.isQuestion) return { sentence, mentions };
    const tokens = [...sentence.tokens];
    const known = [...mentions];
    for (const [at, token] of sentence.tokens.entries()) {
      if (!/^(?:the|this|that|these|those)$/.test(token.lower)) continue;
      const head = headOf(tokens, at + 1);
      if (head === null || isNamedAfter(tokens, head)) continue;
      const noun = tokens[head]!;
      if (token.lower !== 'the') {
        if (isIntroduced(tokens, at))
          tokens[at] = isPlural(noun) ? { ...token, text: '', lower: '' } : article(token, tokens[at + 1]!);
        continue;
      }
      const owners = this.#owners.get(noun.lemma);
      if (/^(?:first|last|best|most|only|same|other)$/.test(tokens[at + 1]!.lower)) continue;
      const owner = owners?.size === 1 ? [...owners][0]! : null;
      if (OWNED.has(noun.lemma) && owner === null) continue;
      if (owner === null && GAINED.test(tokens[at - 1]?.lemma ?? '') && !isPlural(noun)) {
        tokens[at] = article(token, tokens[at + 1]!);
        continue;
      }
      if (owner !== null) {
        const text = owner === speaking.speaker ? 'my' : `${owner}'s`;
        const pos = owner === speaking.speaker ? 'PRON' : 'PROPN';
        tokens[at] = { ...token, text, lower: text.toLowerCase(), lemma: text.toLowerCase(), pos };
      } else if (head === at + 1 && this.#kinds.get(noun.lemma)?.size === 1) {
        const [[kind, mention]] = [...this.#kinds.get(noun.lemma)!] as [[string, Mention | null]];
        tokens[head] = { ...noun, text: kind, lower: kind.toLowerCase(), pos: 'PROPN' };
        if (mention !== null) known.push({ ...mention, start: head, end: head + 1 });
      }
    }
    const isChanged = tokens.some((token, at) => token !== sentence.tokens[at]);
    return { sentence: isChanged ? { ...sentence, tokens } : sentence, mentions: known };
  }

  /** Whose "the dog" is: of the only one who is known to have one, else of the speaker, or of whom the speaker asks. */
  #ownerOf(noun: string, holder: string | null): string | null {
    const owners = this.#owners.get(noun);
    const isAnothers = OF_ANYBODY.test(noun) && this.#hasSomebodyElse(holder);
    if (owners === undefined) return OWNED.has(noun) && !isAnothers ? holder : null;
    return owners.size === 1 ? [...owners][0]! : null;
  }

  #hasSomebodyElse(holder: string | null): boolean {
    const isPerson = ({ sort, text }: Referent) => PERSONS.has(sort) && text !== holder;
    return this.#said.some(({ referents }) => referents.some(isPerson));
  }

  /** The sentence with its pronouns replaced, each by one token, so that positions stay. */
  #withReferents({ sentence, mentions }: Mended, speaking: Speaking): Mended {
    const meant = this.#meantIn({ sentence, mentions }, speaking);
    // "She met him" is about two.
    const texts = [...meant.values()].map(({ text }) => text);
    if (meant.size === 0 || new Set(texts).size < texts.length) return { sentence, mentions };
    const tokens = [...sentence.tokens];
    const known = [...mentions];
    let { also } = sentence;
    for (const [at, referent] of meant) {
      tokens[at] = standIn(tokens[at]!, referent, isOwner(tokens, at));
      this.#standIns.set(tokens[at], referent);
      if (referent.mention !== null) known.push({ ...referent.mention, start: at, end: at + 1 });
      if (referent.turn !== speaking.turn) also = referent.turn;
    }
    return { sentence: { ...sentence, tokens, also }, mentions: known };
  }

  /** What the pronouns mean, by position; of several for the same the first. */
  #meantIn({ sentence: { tokens }, mentions }: Mended, speaking: Speaking): Map<number, Referent> {
    const meant = new Map<number, Referent>();
    const seen = new Set<string>();
    for (const [at, { lower }] of tokens.entries()) {
      const sorts = PRONOUNS[lower];
      if (sorts === undefined || seen.has(sorts.join()) || !isPronoun(tokens, at)) continue;
      seen.add(sorts.join());
      const isOwning = /^(?:its|their)$/.test(lower);
      const isObject = /^(?:him|her|it|them)$/.test(lower) && !isOwner(tokens, at);
      const before = tokens.slice(0, at);
      if (this.#isBound(before, mentions, { sorts, speaking, isOwning, isObject })) continue;
      const referent = this.#theOnly(sorts, speaking);
      const isSaid = before.some(({ text }) => text === referent?.text);
      if (referent !== null && !isSaid) meant.set(at, referent);
    }
    return meant;
  }

  /** Whether the words of the sentence before a pronoun have what it may mean. */
  #isBound(
    before: readonly Token[],
    mentions: readonly Mention[],
    { sorts, speaking, isOwning, isObject }: Pronoun & { readonly speaking: Speaking },
  ): boolean {
    if (isOwning && before.some(({ pos }) => pos === 'NOUN' || pos === 'PROPN')) return true;
    // Whom "Luka will call him" means, it is not Luka.
    const others = isObject ? withoutSubject(before) : before;
    if (sorts.includes('thing')) return others.some(({ pos }) => pos === 'NOUN' || pos === 'DET');
    const isAnybody = ({ lower }: Token): boolean => ANYBODY.test(lower);
    const named = this.#referentsOf(others, mentions, speaking);
    return before.some(isAnybody) || named.some(({ sort }) => sorts.includes(sort));
  }

  note({ sentence, mentions }: Mended, speaking: Speaking): void {
    const isOthers = sentence.voice !== null || sentence.language !== null;
    const { turn, speaker, other } = speaking;
    const holder = sentence.isQuestion ? other : speaker;
    const referents = isOthers ? [] : this.#referentsOf(sentence.tokens, mentions, { ...speaking, holder });
    if (!isOthers) this.#noteThings({ sentence, mentions }, speaking);
    this.#said = [...this.#said, { turn, speaker, referents }].filter(
      (said) => turn - said.turn <= TURNS_IN_MIND,
    );
  }

  #theOnly(sorts: readonly Referent['sort'][], { turn, speaker }: Speaking): Referent | null {
    const fits = (each: Referent): boolean =>
      sorts.includes(each.sort) && (each.sort !== 'worker' || each.turn === turn);
    const fitting = this.#said.map(({ referents }) => referents.filter(fits));
    // Things are meant by the last sentence that names some, persons and places by any of
    // the turn, else by any in mind.
    const isNear = sorts.includes('thing') || sorts.includes('several');
    const near = this.#said.map((said, at) => (turn - said.turn <= 1 ? fitting[at]! : [])).slice(-3);
    const own = fitting.flat().filter((each) => each.turn === turn);
    const any = own.length > 0 ? own : fitting.flat();
    const meant = isNear ? (near.findLast(({ length }) => length > 0) ?? []) : any;
    const [only] = meant;
    const isOne = new Set(meant.map(({ text }) => text)).size === 1;
    // Who or what only has a name may be a person, a firm, a thing: it is in doubt, and makes others so.
    if (!isOne || only!.text === speaker || (only!.sort === 'name' && !isNear)) return null;
    // "The" things, people and animals are too many: of another turn only what is somebody's or has a name.
    const isAny = only!.text.startsWith('the ');
    return isAny && (only!.turn !== turn || only!.sort === 'several' || only!.sort === 'animal')
      ? null
      : only!;
  }

  /** The noun phrases that a pronoun of a later sentence may mean. */
  #referentsOf(
    tokens: readonly Token[],
    mentions: readonly Mention[],
    speaking: Speaking & { readonly holder?: string | null },
  ): readonly Referent[] {
    const { turn, speaker, holder = speaker } = speaking;
    const found: Referent[] = [];
    for (const [at, token] of tokens.entries()) {
      const standIn = this.#standIns.get(token);
      if (standIn !== undefined) {
        found.push({ ...standIn, turn });
        continue;
      }
      // "Rafa's bike" names Rafa, too.
      if (tokens[at + 1]?.lower === "'s" && token.pos === 'PROPN' && token.text !== speaker) {
        found.push({ text: token.text, sort: 'person', mention: null, turn });
        continue;
      }
      const mention = mentions.find(({ start, end }) => start <= at && at < end) ?? null;
      if (mention !== null && /^\p{Lu}/u.test(token.text) && token.pos !== 'PRON') {
        const sort = mention.kind === 'person' || mention.kind === 'place' ? mention.kind : 'name';
        if (at === mention.end - 1 && mention.name !== speaker && mention.kind !== 'date')
          found.push({ text: mention.name, sort, mention, turn });
        continue;
      }
      // "Piet met Karl": a name that opens the sentence.
      if (at === 0 && token.pos === 'NOUN' && !speaking.lexicon.isCommon(token.lower))
        found.push({ text: token.text, sort: 'name', mention, turn });
      // "The neighbour's ewe" may be she.
      if (token.pos === 'NOUN' && tokens[at + 1]?.lower === "'s") {
        found.push({ text: token.text, sort: 'name', mention, turn });
        continue;
      }
      if (token.pos !== 'NOUN' || tokens[at + 1]?.pos === 'NOUN' || VAGUE_NOUNS.has(token.lower)) continue;
      if (TIME_WORDS.has(token.lower) || /day$/.test(token.lower)) continue;
      const start = phraseStart(tokens, at);
      const lead = leadOf(tokens, start, speaking);
      const sort = sortOf(token, speaking);
      if (lead === null && sort !== 'thing' && sort !== 'several') continue;
      const noun = tokens.slice(start, at + 1).map(({ text }) => text);
      const isDefinite = tokens[start - 1]?.lower === 'the';
      const owner = isDefinite ? this.#ownerOf(token.lemma, holder) : null;
      found.push({
        text: `${owner === null ? (lead ?? 'the') : `${owner}'s`} ${noun.join(' ')}`,
        sort,
        mention,
        turn,
      });
    }
    return found;
  }

  #noteThings({ sentence: { tokens }, mentions }: Mended, speaking: Speaking): void {
    for (const [at, token] of tokens.entries()) {
      if (token.pos !== 'NOUN' || tokens[at + 1]?.pos === 'NOUN') continue;
      const start = phraseStart(tokens, at);
      const lead = leadOf(tokens, start, speaking);
      const owner = lead === 'the' ? takerOf(tokens, start, speaking) : (lead?.replace(/'s$/, '') ?? null);
      if (owner !== null && owner !== '')
        this.#owners.set(token.lemma, (this.#owners.get(token.lemma) ?? new Set()).add(owner));
      const kind = kindOf(tokens, start, at);
      if (kind === null) continue;
      const mention = mentions.find(({ end }) => end === at + 1) ?? null;
      this.#kinds.set(token.lemma, (this.#kinds.get(token.lemma) ?? new Map()).set(kind, mention));
    }
  }
}

/** Without the subject of the clause that the words end in; its positions in the rest are those of the sentence. */
function withoutSubject(before: readonly Token[]): readonly Token[] {
  let start = before.length;
  while (start > 0 && !JOINS.test(before[start - 1]!.lower)) start -= 1;
  const verb = before.findIndex((token, at) => at >= start && isVerb(token));
  const isSimple = verb >= 0 && !before.slice(verb).some(({ pos }) => pos === 'NOUN' || pos === 'PROPN');
  return isSimple ? before.slice(0, start) : before;
}

function isPronoun(tokens: readonly Token[], at: number): boolean {
  const { lower } = tokens[at]!;
  const [before, next] = [tokens[at - 1], tokens[at + 1]];
  if (lower === 'it') {
    // As a subject "it" is often empty ("it rains"); a sentence that opens with it extends the one before.
    const isObject = before !== undefined && (before.pos === 'VERB' || before.pos === 'ADP');
    const isNamed = before?.lemma === 'call' && /^\p{Lu}/u.test(next?.text ?? '');
    return isObject && (isNamed || !EMPTY.test(before.lemma)) && next?.lower !== 'is';
  }
  if (lower === 'there') return next?.lemma !== 'be' && /^(?:VERB|AUX|ADV|NOUN)$/.test(before?.pos ?? '');
  return true;
}

function isOwner(tokens: readonly Token[], at: number): boolean {
  const { lower } = tokens[at]!;
  if (/^(?:his|its|their)$/.test(lower)) return true;
  return lower === 'her' && /^(?:NOUN|ADJ|NUM|PROPN)$/.test(tokens[at + 1]?.pos ?? '');
}

function standIn(token: Token, { text, sort }: Referent, isOwner: boolean): Token {
  const shown = sort === 'place' ? `in ${text}` : isOwner ? `${text}'s` : text;
  const pos = sort === 'place' ? 'ADV' : 'PROPN';
  return { ...token, text: shown, lower: shown.toLowerCase(), lemma: shown.toLowerCase(), pos };
}

/** The subject's noun, if the sentence opens with it and its verb follows: "New dog is called Keith". */
function headAt(tokens: readonly Token[], start: number): Token | null {
  let end = start;
  while (/^(?:NOUN|ADJ)$/.test(tokens[end]?.pos ?? '') && end - start < 3) end += 1;
  const head = tokens[end - 1];
  return end > start && head!.pos === 'NOUN' && isVerb(tokens[end]) ? head! : null;
}

/** The first adjective or noun of the phrase. */
function phraseStart(tokens: readonly Token[], head: number): number {
  let start = head;
  while (start > 0 && /^(?:NOUN|ADJ)$/.test(tokens[start - 1]!.pos)) start -= 1;
  return start;
}

/** Position of the noun of a phrase that begins here; null if a name is in it, or something else follows. */
function headOf(tokens: readonly Token[], start: number): number | null {
  let end = start;
  while (/^(?:NOUN|ADJ)$/.test(tokens[end]?.pos ?? '') && end - start < 4) end += 1;
  const isNoun = end > start && tokens[end - 1]!.pos === 'NOUN' && !TIME_WORDS.has(tokens[end - 1]!.lower);
  return isNoun && tokens[end]?.pos !== 'PROPN' && tokens[end]?.lower !== "'s" ? end - 1 : null;
}

/** "The end of the month", "the bench that I bought": what follows says which. */
function isNamedAfter(tokens: readonly Token[], head: number): boolean {
  const [next, second] = tokens.slice(head + 1);
  if (/^(?:of|that|who|which|called|named)$/.test(next?.lower ?? '')) return true;
  return (
    /^(?:in|at|from)$/.test(next?.lower ?? '') &&
    /^\p{Lu}/u.test(second?.text ?? '') &&
    second?.pos === 'PROPN'
  );
}

const INTRODUCE =
  /^(?:meet|adopt|make|paint|buy|find|get|see|read|write|bake|cook|draw|take|build|try|attend|join|finish|design|decorate|watch|visit|create)$/;

/** "Bought the polytunnel" tells no less as "a polytunnel". */
const GAINED = /^(?:buy|order|adopt|sell|lend|borrow|hire|rent)$/;

/** "Adopted this pup": named for the first time. */
function isIntroduced(tokens: readonly Token[], at: number): boolean {
  const isFound = tokens[at - 1]?.lower === 'across' || tokens[at - 1]?.lower === 'upon';
  if (isFound) return /^(?:come|stumble)$/.test(tokens[at - 2]?.lemma ?? '');
  const verb = tokens[at - 1];
  return verb !== undefined && INTRODUCE.test(verb.lemma) && (isPast(verb) || isGerund(verb));
}

function article(token: Token, next: Token): Token {
  const text = /^[aeiou]/.test(next.lower) ? 'an' : 'a';
  return { ...token, text, lower: text, lemma: text };
}

const TAKE = /^(?:have|get|buy|adopt|own|rent|build|receive|win)$/;

/** Who has "a bench": "Grace got a bench", "I have bought a bench". */
function takerOf(tokens: readonly Token[], start: number, { speaker }: Speaking): string | null {
  if (!/^an?$/.test(tokens[start - 1]?.lower ?? '') || !TAKE.test(tokens[start - 2]?.lemma ?? ''))
    return null;
  let at = start - 2;
  while (at >= 0 && (isVerb(tokens[at]) || tokens[at]!.pos === 'ADV')) at -= 1;
  const [first, ...verbs] = tokens.slice(at, start - 1);
  if (
    first === undefined ||
    verbs.some(({ lower }) => /^(?:not|never|will|would|could|can|should|to|may|might)$/.test(lower))
  )
    return null;
  if (/^(?:i|we)$/.test(first.lower)) return speaker;
  return first.pos === 'PROPN' && tokens[at - 1]?.pos !== 'PROPN' && tokens[at - 1]?.lower !== 'and'
    ? first.text
    : null;
}

/** "Flight nurse course", "bridge in Silkeborg"; null for a noun by itself. */
function kindOf(tokens: readonly Token[], start: number, head: number): string | null {
  const [next, name] = tokens.slice(head + 1);
  const isPlaced =
    /^(?:in|at|from|to)$/.test(next?.lower ?? '') &&
    name?.pos === 'PROPN' &&
    /^\p{Lu}/u.test(name.text) &&
    !/day$/.test(name.text);
  const isCompound = start < head && tokens.slice(start, head).some(({ pos }) => pos === 'NOUN');
  const isOpened = /^(?:an?|the|my|our)$/.test(tokens[start - 1]?.lower ?? '') && head - start < 3;
  if (!isOpened || isPlural(tokens[head]!) || !(isCompound || isPlaced)) return null;
  const from = isCompound ? tokens.slice(start, head).findIndex(({ pos }) => pos === 'NOUN') + start : head;
  return tokens
    .slice(from, isPlaced ? head + 3 : head + 1)
    .map(({ text }) => text)
    .join(' ');
}

/** Whose it is, or "the"; null without any determiner. */
function leadOf(tokens: readonly Token[], start: number, { speaker, other }: Speaking): string | null {
  const [owner, before] = [tokens[start - 1], tokens[start - 2]];
  if (owner === undefined) return null;
  if (owner.lower === 'my' || owner.lower === 'our') return `${speaker}'s`;
  if (owner.lower === 'your') return other === null ? null : `${other}'s`;
  if (OWNERS.has(owner.lower)) return null;
  if (owner.lower === "'s" && before?.pos === 'PROPN') return `${before.text}'s`;
  if (owner.text.endsWith("'s")) return owner.text;
  return /^(?:a|an|the|this|that)$/.test(owner.lower) ? 'the' : null;
}

function sortOf(token: Token, { lexicon }: Speaking): Referent['sort'] {
  const { lemma } = token;
  if (isPlural(token)) return 'several';
  if (MALE.has(lemma)) return 'man';
  if (FEMALE.has(lemma)) return 'woman';
  if (ANIMALS.has(lemma)) return 'animal';
  if (KIN.has(lemma)) return 'person';
  return lexicon.isOccupation(lemma) ? 'worker' : 'thing';
}

function isPlural({ lower, lemma }: Token): boolean {
  return lower !== lemma && lower.endsWith('s');
}
