import {
  affirmedBy,
  afterYes,
  answerOf,
  isFragment,
  type OpenStatement,
  openedBy,
  withOwnVerb,
} from './answers.ts';
import { wholeNote } from './fragments.ts';
import type { NounLexicon } from './noun-lexicon.ts';
import { NO_REFERENT, type Referent, referentIn, withReferent } from './person-before.ts';
import type { ReadSentence, ReadTurn } from './read-turn.ts';
import type { Speakers } from './speakers.ts';
import { isGerund, isPast, isVerb, joinTokens, type Token } from './tagger.ts';
import { KIN } from './words.ts';

/** A person, and the position of the turn that names them. */
interface Named {
  readonly referent: Referent;
  readonly at: number;
}

/** A sentence with what it left out, and the turn that says it, if that is another one. */
interface Whole {
  readonly text: string;
  readonly also: number | null;
}

const SHORT_LEAD = 6;
/** "Got promoted", "Got a place". */
const BARE_LEAD = 4;
const LONGEST_LEAD = 20;
const LONGEST_ADDED = 14;
/** Sentences after a question that may still be about what it names. */
const ABOUT_TOPIC = 2;

/**
 * Completes the sentences of a unit in order: an answer by its question, a note by its subject or verb, "he" and "she" by
 * the only person whom the sentence before names.
 */
export class WholeSentences {
  readonly #speakers: Speakers;
  readonly #lexicon: NounLexicon;
  /** What each speaker stated last. */
  readonly #stated = new Map<string, string>();
  /** Whom each speaker named last. */
  readonly #persons = new Map<string, Named>();
  #turn: {
    readonly speaker: string;
    readonly at: number;
    readonly asked: ReadTurn | null;
    readonly open: OpenStatement | null;
    /** What a "yes" would state. */
    readonly affirmed: string | null;
  } | null = null;
  #named: Named | null = null;
  #sentences = 0;

  constructor(speakers: Speakers, lexicon: NounLexicon) {
    this.#speakers = speakers;
    this.#lexicon = lexicon;
  }

  /** @param before The turn before, if any. */
  beginTurn(speaker: string, before: ReadTurn | undefined): void {
    const other = before === undefined || before.speaker === speaker ? undefined : before;
    const last = other?.sentences.at(-1);
    const question =
      last?.isQuestion === true && !this.#asksAnother(last.tokens, speaker)
        ? this.#withoutName(last.tokens)
        : null;
    this.#turn = {
      speaker,
      at: before === undefined ? 0 : before.at + 1,
      asked: question === null ? null : other!,
      open: question === null ? null : openedBy(question),
      affirmed: question === null ? null : affirmedBy(question),
    };
    const found = (other?.sentences ?? []).map(({ tokens }) =>
      referentIn(tokens, { ...this.#context, isOther: true }),
    );
    const referent = found.findLast((each) => each !== NO_REFERENT);
    if (referent === undefined) this.#named = this.#persons.get(speaker) ?? null;
    else this.#named = referent && { referent, at: other!.at };
    this.#sentences = 0;
  }

  /** "How is he, Rory?" without "Rory". */
  #withoutName(tokens: readonly Token[]): readonly Token[] {
    const last = tokens.at(-1);
    const isCalled =
      tokens.length > 2 &&
      last !== undefined &&
      this.#speakers.names.some((name) => name.split(' ')[0]!.toLowerCase() === last.lower);
    return isCalled ? tokens.slice(0, tokens.at(-2)!.text === ',' ? -2 : -1) : tokens;
  }

  /** The sentence as it stands alone; null if it does already, or if nothing says what it leaves out. */
  whole({ text, tokens, isQuestion, voice, standing, language, isWithdrawn }: ReadSentence): Whole | null {
    if (isQuestion || isWithdrawn || voice !== null || standing !== 'own' || language !== null) return null;
    const { asked, open } = this.#turn!;
    const also = asked?.at ?? null;
    this.#sentences += 1;
    const answer = this.#affirmed(tokens) ?? (open === null ? null : this.#answer(open, tokens, text));
    if (answer !== null) return { text: answer, also };
    const going = this.#goesOn(tokens);
    if (going !== null) return { text: going, also: null };
    const note = wholeNote(tokens, { lexicon: this.#lexicon, isAlone: this.#speakers.users.length < 2 });
    if (note !== null) return { text: note, also: null };
    if (this.#named === null) return null;
    const { referent, at } = this.#named;
    const named = withReferent(joinTokens(tokens), referent);
    return named === null ? null : { text: named, also: at === this.#turn!.at ? null : at };
  }

  /** The sentence before with what this one adds: "A girl, Fenna", "With a dentist". Null for a sentence of its own. */
  joined(
    { tokens, isQuestion, voice, isWithdrawn }: ReadSentence,
    before: ReadSentence | undefined,
  ): string | null {
    if (
      before === undefined ||
      isQuestion ||
      isWithdrawn ||
      voice !== null ||
      before.voice !== null ||
      before.isQuestion
    )
      return null;
    const [first] = tokens;
    if (before.isWithdrawn || before.standing !== 'own' || before.language !== null || first === undefined)
      return null;
    const isShort = before.tokens.length <= SHORT_LEAD;
    const isAdded =
      /^(?:an?|with|to|for|from|in|at|by|on|called)$/.test(first.lower) ||
      (first.pos === 'NUM' && isShort) ||
      (['NOUN', 'PROPN'].includes(first.pos) && before.tokens.length <= BARE_LEAD);
    const hasContent = tokens.some(({ pos }) => ['NOUN', 'PROPN', 'NUM'].includes(pos));
    if (
      !isAdded ||
      !hasContent ||
      tokens.length > LONGEST_ADDED ||
      !isFragment(tokens) ||
      tokens.some(({ text }) => text === ':')
    )
      return null;
    if (!before.tokens.some((token) => isVerb(token)) || before.tokens.length > LONGEST_LEAD) return null;
    const isDirect = first.pos === 'ADP' && !before.tokens.some(({ text }) => text === ',');
    return `${joinTokens(before.tokens)}${isDirect ? '' : ','} ${joinTokens(tokens)}`;
  }

  /** Notes what a sentence states, for those after it. */
  note({ tokens, isQuestion, voice }: ReadSentence): void {
    if (isQuestion || voice !== null || tokens.length === 0) return;
    this.#stated.set(this.#turn!.speaker, joinTokens(tokens));
    const found = referentIn(tokens, { ...this.#context, isOther: false });
    const { speaker, at } = this.#turn!;
    if (found !== NO_REFERENT) this.#named = found && { referent: found, at };
    else if (hasOwnSubject(tokens)) this.#named = null;
    if (this.#named === null) this.#persons.delete(speaker);
    else this.#persons.set(speaker, this.#named);
  }

  get #context() {
    return { speakers: this.#speakers, lexicon: this.#lexicon };
  }

  /** "How is he, Rory?" asks Rory. */
  #asksAnother(tokens: readonly Token[], speaker: string): boolean {
    const names =
      this.#speakers.names.length < 3 ? [] : tokens.map(({ text }) => this.#speakers.called(text));
    const called = names.filter((name) => name !== null);
    return called.length > 0 && !called.includes(speaker);
  }

  /** "Callum passed! Starts in Dundee in May." */
  #goesOn(tokens: readonly Token[]): string | null {
    const [first, next] = tokens;
    if (this.#named === null || first === undefined || next === undefined) return null;
    const isThird =
      first.pos === 'VERB' && first.lower.endsWith('s') && !isPast(first) && first.lower !== first.lemma;
    return isThird && next.pos !== 'PUNCT' ? `${this.#named.referent.name} ${joinTokens(tokens)}` : null;
  }

  /** "Do you pay by the month?" – "Yes, 900". */
  #affirmed(tokens: readonly Token[]): string | null {
    const { affirmed } = this.#turn!;
    const rest = affirmed === null || this.#sentences > 1 ? null : afterYes(tokens);
    if (rest === null) return null;
    if (rest.length === 0) return affirmed;
    const first = rest[0]!;
    if (!isFragment(rest) && first.pos !== 'NUM') return null;
    return ['ADP', 'NUM', 'DET', 'NOUN', 'PROPN', 'ADV'].includes(first.pos)
      ? `${affirmed}, ${joinTokens(rest)}`
      : null;
  }

  #answer(open: OpenStatement, tokens: readonly Token[], original: string): string | null {
    if (open.topic !== null) return this.#aboutTopic(open.topic, tokens);
    if (this.#sentences > 1 || !isFragment(tokens)) return null;
    const said = answerOf(tokens, original, open);
    if (said === null) return null;
    if (said === 'I') return `I ${withOwnVerb(open.after)}`;
    if (!open.isDetail) return singular(`${open.before} ${said} ${open.after}`.trim());
    const before = this.#stated.get(this.#turn!.speaker) ?? '';
    const [, noun] = /^the (.+) is$/.exec(open.before) ?? [];
    if (noun === 'name') return before === '' ? null : `${before}, called ${said}`;
    if (noun !== undefined) return /\b(?:I|we|my|our)\b/.test(before) ? `my ${noun} is ${said}` : null;
    // "Where was that?" – "In Zermatt."
    return before === '' ||
      !/^(?:in|at|on|near|to|from|by|with|since|until|next|last|for|the)$/.test(tokens[0]!.lower)
      ? null
      : `${before} ${said.charAt(0).toLowerCase()}${said.slice(1)}`;
  }

  /** "And the boiler?" – "Fixed, it took five weeks." */
  #aboutTopic(asked: string, tokens: readonly Token[]): string | null {
    const topic = /^s?he$/.test(asked) ? this.#named?.referent.name : asked;
    if (
      this.#sentences > ABOUT_TOPIC ||
      topic === undefined ||
      /^(?:it|they|things?|life|everything)$/.test(topic)
    )
      return null;
    const [first, next] = tokens;
    const text = joinTokens(tokens);
    const isPerson = /^\p{Lu}/u.test(topic) || KIN.has(topic.split(' ').at(-1)!.toLowerCase());
    const isIt = isPerson ? /^(?:he|she)$/ : /^(?:it|they)$/;
    if (isIt.test(first!.lower) && isVerb(next)) return `${topic} ${joinTokens(tokens.slice(1))}`;
    if (this.#sentences > 1) return null;
    // "Sold it to Cem": the speaker did.
    if (
      first!.pos === 'VERB' &&
      !isGerund(first!) &&
      ['PRON', 'DET', 'NOUN', 'PROPN', 'NUM'].includes(next?.pos ?? '')
    )
      return null;
    const isPlural = /^(?:\p{L}+ )?\p{Ll}*[^s]s$/u.test(topic);
    const isState =
      first!.pos === 'ADJ' ||
      first!.pos === 'ADP' ||
      isGerund(first!) ||
      /^(?:back|home|away|off|gone|done|fixed|stolen|sold|lost|broken|dead|finished|healed|closed)$/.test(
        first!.lower,
      );
    const state =
      first!.pos === 'VERB' &&
      isPast(first!) &&
      (next === undefined || next.text === ',' || next.pos === 'ADP');
    if (isState || state)
      return isFragment(tokens.slice(1)) || next?.text === ','
        ? `${topic} ${isPlural ? 'are' : 'is'} ${text}`
        : null;
    return isPast(first!) && next !== undefined ? `${topic} ${text}` : null;
  }
}

/** "My pets are a tortoise": one. */
function singular(text: string): string {
  return text.replace(/^(my \p{L}+)s are (?=an? )/u, '$1 is ');
}

/** "The ring is brass": a "he" after it means nobody whom an earlier sentence names. */
function hasOwnSubject(tokens: readonly Token[]): boolean {
  const verb = tokens.findIndex(isVerb);
  return (
    verb > 0 && tokens.slice(0, verb).every(({ pos }) => ['DET', 'ADJ', 'NOUN', 'PROPN', 'NUM'].includes(pos))
  );
}
