/** Why a text may try to instruct a model that reads it. */
export const INJECTION_SIGNS = [
  'override',
  'role',
  'prompt',
  'secrecy',
  'hidden',
  'encoded',
  'exfiltration',
] as const;
/**
 * `override`: asks to ignore earlier instructions. `role`: gives the model another role. `prompt`: asks for its prompt, or
 * imitates the marks of one. `secrecy`: keeps something from the user. `hidden`: has characters that are not shown.
 * `encoded`: has instructions in Base64. `exfiltration`: an address that would carry data away.
 */
export type InjectionSign = (typeof INJECTION_SIGNS)[number];

/** A sign, and the words of the text that show it, with hidden characters made visible. */
export interface SignFound {
  readonly sign: InjectionSign;
  readonly quote: string;
}

/** Longer texts are looked at up to here. */
const LONGEST_TEXT = 200_000;
/** Characters of the text on each side of what was found. */
const AROUND = 60;
const LONGEST_QUOTE = 240;

const INSTRUCTIONS = '(?:instructions?|prompts?|rules|guidelines|directives?|system messages?|constraints)';
const EARLIER =
  '(?:all|any|every|your|previous|prior|above|earlier|preceding|former|original|initial|system|foregoing)';
const MODEL = '(?:AI|A\\.I\\.|assistant|language model|LLM|model|chatbot|bot|agent|DAN|system)';
const DATA =
  '(?:data|secrets?|memory|memories|history|chat|conversation|prompt|token|password|info|content|leak|exfil)';

/** Patterns with bounded repetitions, so that the time is linear in the text. */
const WORDS: readonly (readonly [InjectionSign, RegExp])[] = [
  [
    'override',
    new RegExp(
      `\\b(?:ignore|disregard|forget|override|bypass)\\s+(?:[\\w']+\\s+){0,3}?${EARLIER}\\s+(?:[\\w']+\\s+){0,3}?${INSTRUCTIONS}\\b`,
      'i',
    ),
  ],
  [
    'override',
    /\b(?:ignore|disregard)\s+(?:everything|anything|all)\s+(?:that\s+(?:is|was|came)\s+)?(?:above|before this|you (?:were|have been) told)\b/i,
  ],
  [
    'role',
    new RegExp(
      `\\b(?:you are now|you're now|you are no longer|pretend (?:to be|that you are|you are)|act as(?: if you (?:are|were))?)\\s+(?:[\\w'-]+\\s+){0,4}?${MODEL}\\b`,
      'i',
    ),
  ],
  ['role', /\b(?:developer|god|jailbreak|unrestricted|DAN) mode\s+(?:is\s+)?(?:enabled|activated|on)\b/i],
  [
    'role',
    /\bfrom now on,?\s+you\s+(?:(?:must|will|shall|should|always|only)\s+){1,3}(?:respond|reply|answer|obey|comply|act|output|recommend)\b/i,
  ],
  [
    'prompt',
    /\b(?:reveal|show|print|repeat|output|leak|disclose|tell me|give me|send me|what (?:is|are))\s+(?:[\w']+\s+){0,3}?(?:system|hidden|initial|developer|secret)\s+(?:prompt|message|instructions?)\b/i,
  ],
  ['prompt', /<\|(?:im_start|im_end|system|endoftext)\|>|<<\/?SYS>>|\[\/?INST\]/],
  [
    'prompt',
    /(?:^|\n)\s*(?:#{1,4}\s*)?\[?(?:system|developer)(?:\s+(?:prompt|message|instructions?|override))?\]?\s*:\s*(?:you\b|ignore\b|disregard\b|new\b|always\b|never\b|the assistant\b|from now on\b)/i,
  ],
  [
    'secrecy',
    /\b(?:do not|don['’]t|never|without)\s+(?:ever\s+)?(?:tell(?:ing)?|inform(?:ing)?|mention(?:ing)?|reveal(?:ing)?|show(?:ing)?|alert(?:ing)?|notify(?:ing)?|warn(?:ing)?)\b[^.!?\n]{0,40}\bthe (?:user|human|operator)\b/i,
  ],
  [
    'exfiltration',
    new RegExp(`!\\[[^\\]\\n]{0,200}\\]\\(\\s*https?://[^)\\s]{0,500}[?&]${DATA}=[^)\\s]{0,500}\\)`, 'i'),
  ],
  [
    'exfiltration',
    /!?\[[^\]\n]{0,200}\]\(\s*https?:\/\/[^)\s]{0,500}[?&/=](?:\{\{?[\w .-]{1,60}\}|%7B|\$\{|<[\w .-]{1,60}>|\[[\w .-]{1,60}\])/i,
  ],
  [
    'exfiltration',
    /\b(?:append|insert|add|include|put|send|post|encode|replace)\b[^.!?\n]{0,80}\b(?:conversation|chat history|memor(?:y|ies)|passwords?|secrets?|api keys?|what (?:you know|the user said))\b[^!?\n]{0,80}\bhttps?:\/\//i,
  ],
];

/** Emoji of the flags of England, Scotland, Wales and others: their tags are no hidden text. */
const FLAGS = /\u{1F3F4}[\u{E0030}-\u{E007A}]{1,7}\u{E007F}/gu;
const TAGS = /[\u{E0020}-\u{E007E}]{3,}/u;
/** The overrides only: embeddings and isolates belong to ordinary text in Arabic and Hebrew. */
const OVERRIDES = /[\u202D\u202E]/u;
/** Single ones belong to Persian, to Indic scripts and to emoji. */
const ZERO_WIDTH = /[\u200B-\u200D\u2060-\u2064\uFEFF\u180E]{3,}/u;
/** A flag, which stays, or characters that `hiddenSigns` looks for. */
const UNSEEN = new RegExp(
  `(${FLAGS.source})|[\\u{E0020}-\\u{E007E}]|${OVERRIDES.source}|${ZERO_WIDTH.source}`,
  'gu',
);

const BASE64 = /[A-Za-z0-9+/]{40,8000}={0,2}/g;
const MOST_BLOBS = 20;
const READABLE = /^[\p{L}\p{N}\p{P}\p{S}\p{Z}\n\r\t]*$/u;
const TO_BE_DECODED =
  /\b(?:decode|base64)\b[^\n]{0,120}\b(?:follow|execute|obey|carry out|do what|comply)\b|\b(?:follow|execute|obey|carry out)\b[^\n]{0,120}\b(?:decoded|base64)\b/i;

/**
 * Signs that a text tries to instruct a model that reads it, by rules. English, apart from hidden characters. It suspects:
 * a person may talk about such instructions, and others use words that are not listed.
 */
export function injectionSigns(text: string): readonly SignFound[] {
  const read = text.slice(0, LONGEST_TEXT);
  return oncePerSign([...signsOfWords(read), ...hiddenSigns(read), ...encodedSigns(read)]);
}

function signsOfWords(text: string): SignFound[] {
  return WORDS.flatMap(([sign, pattern]) => {
    const match = pattern.exec(text);
    return match === null ? [] : [{ sign, quote: quoteAround(text, match.index, match[0].length) }];
  });
}

function hiddenSigns(text: string): SignFound[] {
  const plain = text.replace(FLAGS, '');
  const match = TAGS.exec(plain) ?? ZERO_WIDTH.exec(plain) ?? OVERRIDES.exec(plain);
  return match === null ? [] : [{ sign: 'hidden', quote: quoteAround(plain, match.index, match[0].length) }];
}

function encodedSigns(text: string): SignFound[] {
  let blobs = 0;
  for (const { 0: blob } of text.matchAll(BASE64)) {
    if (++blobs > MOST_BLOBS) return [];
    const decoded = Buffer.from(blob, 'base64').toString('utf8');
    const [found] = READABLE.test(decoded) ? signsOfWords(decoded) : [];
    if (found !== undefined) return [{ sign: 'encoded', quote: found.quote }];
  }
  const match = blobs > 0 ? TO_BE_DECODED.exec(text) : null;
  return match === null ? [] : [{ sign: 'encoded', quote: quoteAround(text, match.index, match[0].length) }];
}

function oncePerSign(found: readonly SignFound[]): SignFound[] {
  return INJECTION_SIGNS.flatMap((sign) => found.find((each) => each.sign === sign) ?? []);
}

function quoteAround(text: string, at: number, length: number): string {
  const from = Math.max(0, at - AROUND);
  const to = Math.min(text.length, at + Math.min(length, LONGEST_QUOTE) + AROUND);
  const shown = visible(text.slice(from, to).toWellFormed()).replace(/\s+/g, ' ').trim();
  return `${from > 0 ? '…' : ''}${shown}${to < text.length ? '…' : ''}`;
}

/** The text with hidden characters replaced by their codes, and tag characters by their letters. */
export function visible(text: string): string {
  return text.replace(UNSEEN, (found, flag: string | undefined) => {
    if (flag !== undefined) return flag;
    return Array.from(found, (character) => {
      const code = character.codePointAt(0)!;
      if (code >= 0xe0020) return String.fromCodePoint(code - 0xe0000);
      return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`;
    }).join('');
  });
}
