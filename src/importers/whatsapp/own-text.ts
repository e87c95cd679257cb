import { PHONE_WORDS, type PhoneWords } from './phone-words.ts';

/** What WhatsApp itself writes in place of a message. */
export type OwnText = 'deleted' | 'omitted' | 'note';

interface Patterns {
  /** A text has this kind if it has words of each of these groups, and only words of the language. */
  readonly needed: Readonly<Record<OwnText | 'edited', readonly RegExp[]>>;
  readonly all: Readonly<Record<OwnText | 'edited', RegExp>>;
}

const KINDS = ['deleted', 'omitted', 'note'] as const;
/** What may stand between the words. */
const GAPS = /[\s.,!:;।。、،\-–—]+/gu;
const LONGEST = 120;
const EDIT_MARK = /\s*<([^<>\n]{2,60})>\s*$/u;

/** Made once for a file. */
export class OwnTexts {
  readonly #languages: readonly Patterns[] = Object.values(PHONE_WORDS).map(patternsOf);
  /** What most messages lack: one word of the kinds in any language. */
  readonly #any = anyWordOf(Object.values(PHONE_WORDS));

  /** Null for words of a person. */
  find(text: string): OwnText | null {
    const plain = plainWords(/^<(.+)>$/su.exec(text)?.[1] ?? text);
    return plain === null || !this.#any.test(plain)
      ? null
      : (KINDS.find((kind) => this.#is(plain, kind)) ?? null);
  }

  /** The text without a mark at its end that it was edited. */
  withoutEdit(text: string): string {
    const mark = EDIT_MARK.exec(text);
    const plain = mark === null ? null : plainWords(mark[1]!);
    return plain !== null && this.#is(plain, 'edited') ? text.slice(0, mark!.index) : text;
  }

  #is(plain: string, kind: OwnText | 'edited'): boolean {
    return this.#languages.some(
      ({ all, needed }) =>
        needed[kind].every((words) => words.test(plain)) && plain.replace(all[kind], '').trim() === '',
    );
  }
}

/** In lower case, with a space around each word; null if it is too long. */
function plainWords(text: string): string | null {
  return text.length > LONGEST ? null : ` ${text.toLowerCase().replace(GAPS, ' ').trim()} `;
}

function anyWordOf(all: readonly PhoneWords[]): RegExp {
  const words = (isJoined: boolean) =>
    all
      .filter((each) => (each.isJoined === true) === isJoined)
      .flatMap(({ deleted, notes, omitted }) => [deleted, omitted, notes])
      .join('|')
      .replaceAll('-', ' ');
  return new RegExp(` (?:${words(false)}) |${words(true)}`, 'u');
}

function patternsOf(words: PhoneWords): Patterns {
  const { deleted, edited, isJoined, media, message, notes, omitted, small } = words;
  const groups = {
    deleted: [deleted, message],
    omitted: [omitted, media],
    edited: [edited],
    note: [notes],
  };
  const [before, after] = isJoined ? ['', ''] : ['(?<= )', '(?= )'];
  const pattern = (texts: readonly string[], flags: string) =>
    new RegExp(`${before}(?:${texts.join('|').replaceAll('-', ' ')})${after}`, flags);
  const each = <Value>(make: (kind: keyof typeof groups) => Value) =>
    ({
      deleted: make('deleted'),
      omitted: make('omitted'),
      edited: make('edited'),
      note: make('note'),
    }) as const;
  return {
    needed: each((kind) => groups[kind].map((text) => pattern([text], 'u'))),
    all: each((kind) => pattern([...groups[kind], ...(kind === 'edited' ? [message] : []), small], 'gu')),
  };
}
