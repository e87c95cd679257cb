import type { DropReason } from '../../../inference/language-model/reading/drop-log.ts';
import { shownWords } from '../../../prompts/render-turns.ts';
import { LEAST_WORDS_SAID, TURNS_THAT_EXPLAIN } from '../defaults.ts';
import type { ExtractedFact, TurnToRead } from '../extractor.ts';
import { Grounding } from '../grounding.ts';
import { languagesOf } from '../local/language.ts';
import { readSpeakers, speakerName } from '../local/speakers.ts';
import type { DescribedEntity } from '../segment-reader.ts';
import { isOpen } from './fact-list.ts';
import type { Talk } from './talk.ts';

/** What stands first in a statement about an assistant without a name. */
const ASSISTANT = /^(?:the )?(?:(?:ai|virtual) )?(?:assistant|chatbot)(?![\p{L}\p{N}'’-])/iu;
/** The capitalised words at the beginning: "Ann Berg", "Mel". */
const SUBJECT = /^\p{Lu}[\p{L}\p{M}-]*(?: \p{Lu}[\p{L}\p{M}-]*){0,3}/u;

type Claim = Pick<ExtractedFact, 'statement' | 'participants' | 'event' | 'turns'>;

/** What the rules make of a fact of a reply: its statement, or why it is not stored. */
type Checked = { readonly statement: string } | { readonly fault: DropReason };

/** A turn with the text that a model sees of it. */
function asShown(turn: TurnToRead): TurnToRead {
  return { ...turn, content: shownWords(turn), attachments: [] };
}

/**
 * Checks facts of a model's reply against the turns that they cite. It looks for words, not for meaning: a wrong
 * relation between words that were said passes.
 */
export class FactCheck {
  readonly #turns: readonly TurnToRead[];
  readonly #speakers: readonly string[];
  readonly #called: (word: string) => string | null;
  readonly #grounding: Grounding;

  constructor(talk: Talk, entities: readonly Pick<DescribedEntity, 'name' | 'aliases'>[]) {
    this.#turns = talk.turns;
    this.#speakers = talk.speakers;
    this.#called = readSpeakers(talk.turns).called;
    const { earlier, names } = talk.shown;
    const around = {
      reach: TURNS_THAT_EXPLAIN,
      earlier: earlier.slice(-TURNS_THAT_EXPLAIN).map(asShown),
      names,
    };
    this.#grounding = new Grounding(talk.turns.map(asShown), entities, around);
  }

  check(claim: Claim): Checked {
    const { statement } = claim;
    if (this.#isOfAssistant(claim)) return { fault: 'assistant' };
    if (this.#isInOtherLanguage(claim)) return { statement };
    if (isOpen(statement)) return { fault: 'open-pronoun' };
    if (!this.#grounding.hasNames(claim) || this.#grounding.wordShare(claim) < LEAST_WORDS_SAID)
      return { fault: 'not-said' };
    return this.#inItsVoice(claim);
  }

  /** An assistant's words state nothing of a person who did not take them up. */
  #isOfAssistant({ statement, turns }: Claim): boolean {
    const spoken = turns.filter((at) => this.#turns[at]!.role === 'assistant');
    if (spoken.length === turns.length) return true;
    const subject = this.#subjectOf(statement);
    return (
      spoken.length > 0 && (ASSISTANT.test(statement) || spoken.some((at) => this.#speakers[at] === subject))
    );
  }

  /** Words of another language are inflected, or translated, in ways that these rules do not know. */
  #isInOtherLanguage({ statement, turns }: Claim): boolean {
    return languagesOf([statement, ...turns.map((at) => this.#turns[at]!.content)]).some(
      (each) => each !== null,
    );
  }

  /**
   * A statement about somebody who talks is that person's own. What another one says of them is told as such, if the
   * turn names them and more than two talk: of two, models confuse who said "I" with who is addressed.
   */
  #inItsVoice({ statement, turns }: Claim): Checked {
    const subject = this.#subjectOf(statement);
    if (subject === null || turns.some((at) => this.#speakers[at] === subject)) return { statement };
    const named = turns.find((at) => this.#names(this.#turns[at]!.content, subject));
    if (named === undefined || new Set(this.#speakers).size < 3) return { fault: 'other-voice' };
    return { statement: `${speakerName(this.#turns[named]!)} says that ${statement}` };
  }

  /** The speaker whom a statement is about, or whose thing it is; null if it is about somebody or something else. */
  #subjectOf(statement: string): string | null {
    const first = SUBJECT.exec(statement)?.[0] ?? '';
    return this.#called(first) ?? this.#called(first.split(' ')[0]!);
  }

  #names(text: string, speaker: string): boolean {
    return (text.match(/\p{Lu}[\p{L}\p{M}-]*/gu) ?? []).some((word) => this.#called(word) === speaker);
  }
}
