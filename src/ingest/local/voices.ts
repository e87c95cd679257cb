import type { Speakers } from './speakers.ts';
import { KIN } from './words.ts';

/** Whose words a part of a turn is, when they are not its speaker's. */
export interface Voice {
  /** As a statement calls them: "Anna", "Priya's mom". */
  readonly shown: string;
  /** The entities that this names. */
  readonly names: readonly string[];
  /** Whether they speak to the turn's speaker, who then is "you". */
  readonly toSpeaker: boolean;
}
/** A part of a turn in one voice; null is the turn's own speaker. */
export interface Part {
  readonly text: string;
  readonly voice: Voice | null;
}

const SAY =
  'said|say|says|saying|told|tells|wrote|writes|texted|messaged|announced|replied|answered|shouted|yelled|whispered|asked|added|explained|mentioned|emailed|goes|was like|is like';
/** "Anna told me: “…”", "my mom always says '…'"; without quotes the colon has to tell. */
const SPEECH = new RegExp(
  `\\b(?:${SAY})(?: (to )?(me|us|him|her|them|you|everyone|\\p{Lu}[\\p{L}'-]{1,30}))?(?: that)? ?(?:[,:]? ?"([^"\\n]{2,800})(?:"|$)|: ?(?=(?:I|I'm|I've|I'll|My|We|We're)\\b)([^"\\n]{2,800})$)`,
  'gu',
);
/** "“…,” said Anna", "“…,” my boss told me". */
const SPEECH_FIRST = new RegExp(
  `"([^"\\n]{2,800})",? (?:(?:${SAY}) (\\p{Lu}[\\p{L}'-]{1,30}|(?:my|our) [\\p{L}-]{2,20}|he|she|they)|(\\p{Lu}[\\p{L}'-]{1,30}|(?:my|our) [\\p{L}-]{2,20}|he|she|they) (?:${SAY}))(?: (?:to )?(me|us))?`,
  'gu',
);
const PERSONAL = /\b(?:I|me|my|mine|myself|we|us|our|you|your)\b/i;
/** Between the subject and its verb: "my mom always says". */
const BETWEEN =
  /^(?:always|often|just|then|also|once|even|recently|later|actually|usually|never|had|has|have|only|simply|used|to|likes|like|liked|loves|will|would)$/i;
const QUOTE_MARKS = /[\u201c\u201d\u201e«»]/g;
/** Single quotes that stand around words, not in them. */
const SINGLE =
  /(^|[\s:,(])['\u2018]([^'\u2018\u2019\n]{0,300}(?:['\u2019]\p{L}[^'\u2018\u2019\n]{0,300}){0,8})['\u2019](?=[\s.,!?;)]|$)/gu;

const QUOTED_LINE = /^\s{0,3}(?:>|&gt;|❝)/;
const AUTHOR_LINE =
  /^\s{0,3}(?:(?:On|Am|Le|El|Op) .{3,120}? )?(?:(?:schrieb|schreef) )?(\p{Lu}[\p{L}'. -]{0,40}?)(?: <[^>]{3,80}>)?(?: (?:wrote|a écrit|escribió|schrieb))? ?:\s*$/u;
const MAIL_LINE =
  /^\s{0,3}(?:On|Am|Le|El|Op) .{3,160}\b(?:wrote|schrieb|écrit|escribió|schreef)\b.{0,80}:\s*$/;
const FORWARDED =
  /^\s{0,3}-{2,}\s?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine)/i;
const MAIL_HEADER = /^\s{0,3}(?:From|To|Cc|Sent|Date|Subject|Von|An|Gesendet|Betreff|De|À|Objet): .{1,200}$/;

/**
 * A turn's text by voices: what is quoted is not said by who quotes it. Quoted lines and direct speech of
 * somebody with a name are theirs; those of another speaker of the talk, whose own turn memory has, and of
 * somebody without a name are left out. A quote without "I" or "you" is a title or a saying and stays.
 */
export function splitVoices(content: string, speaker: string, speakers: Speakers): Part[] {
  const own = MAY_QUOTE_LINES.test(content)
    ? withoutQuotedLines(content, speakers)
    : { text: content, parts: [] };
  if (!MAY_QUOTE.test(own.text)) return [{ text: own.text, voice: null }, ...own.parts];
  const text = own.text.replace(QUOTE_MARKS, '"').replace(SINGLE, '$1"$2"');
  return [...splitSpeech(text, speaker, speakers), ...own.parts];
}

const MAY_QUOTE_LINES =
  /^\s{0,3}(?:>|&gt;|❝|-{2,}\s?\p{L}|(?:From|Von|De): )|(?:wrote|schrieb|écrit|escribió|schreef)\b.{0,80}:\s*$/imu;
const MAY_QUOTE = new RegExp(
  `\\b(?:${SAY})\\b.{0,40}(?:["'\u2018\u201c\u201e«]|:)|["\u201d»].{0,50}\\b(?:${SAY})\\b`,
);

function withoutQuotedLines(content: string, speakers: Speakers): { text: string; parts: Part[] } {
  const [kept, parts]: [string[], Part[]] = [[], []];
  let author: string | null = null;
  const lines = content.split('\n');
  for (const [at, line] of lines.entries()) {
    if (FORWARDED.test(line)) break;
    const quoted = QUOTED_LINE.test(line);
    const opens = MAIL_LINE.test(line) || (AUTHOR_LINE.test(line) && QUOTED_LINE.test(lines[at + 1] ?? ''));
    if (opens) author = authorOf(line);
    if (quoted && author !== null && speakers.called(author.split(' ')[0]!) === null)
      parts.push({
        text: line.replace(QUOTED_LINE, ''),
        voice: { shown: author, names: [author], toSpeaker: false },
      });
    if (!quoted && !opens && line.trim() !== '') author = null;
    kept.push(quoted || opens || isHeader(lines, at) ? '' : line);
  }
  return { text: kept.join('\n'), parts };
}

function authorOf(line: string): string | null {
  const name =
    /([\p{Lu}][\p{L}'-]{1,30}(?: \p{Lu}[\p{L}'-]{1,30})?)(?: <[^>]{3,80}>)? (?:wrote|a écrit|escribió)|(?:schrieb|schreef) (\p{Lu}[\p{L}'-]{1,30}(?: \p{Lu}[\p{L}'-]{1,30})?)/u.exec(
      line,
    );
  return name?.[1] ?? name?.[2] ?? /^\s{0,3}(\p{Lu}[\p{L}' -]{1,40}):/u.exec(line)?.[1] ?? null;
}

/** "From: …" beside "Subject: …"; alone it may be an answer in a form. */
function isHeader(lines: readonly string[], at: number): boolean {
  if (!MAIL_HEADER.test(lines[at]!)) return false;
  return [lines[at - 1], lines[at + 1]].some((line) => line !== undefined && MAIL_HEADER.test(line));
}

interface Speech {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly voice: Voice | null;
}

function splitSpeech(text: string, speaker: string, speakers: Speakers): Part[] {
  const speeches = [...speechAfter(text, speaker), ...speechBefore(text, speaker)].sort(
    (a, b) => a.start - b.start,
  );
  const [own, parts]: [string[], Part[]] = [[], []];
  let from = 0;
  for (const { start, end, text: said, voice } of speeches) {
    if (start < from) continue;
    own.push(text.slice(from, start));
    if (voice !== null && !voice.names.some((name) => speakers.called(name) !== null && voice.shown === name))
      parts.push({ text: said, voice });
    from = end;
  }
  return [{ text: [...own, text.slice(from)].join('\n'), voice: null }, ...parts];
}

function* speechAfter(text: string, speaker: string): Generator<Speech> {
  for (const match of text.matchAll(SPEECH)) {
    const said = match[3] ?? match[4] ?? '';
    const subject = subjectBefore(text.slice(Math.max(0, match.index - 80), match.index));
    if (!PERSONAL.test(said) || subject === null || /^(?:i|we)$/i.test(subject.text)) continue;
    const toSpeaker = /^(?:me|us)$/.test(match[2] ?? '');
    yield {
      start: match.index - subject.length,
      end: match.index + match[0].length,
      text: said,
      voice: voiceOf(subject.text, speaker, toSpeaker),
    };
  }
}

function* speechBefore(text: string, speaker: string): Generator<Speech> {
  for (const match of text.matchAll(SPEECH_FIRST)) {
    const [, said = '', after, before] = match;
    if (!PERSONAL.test(said)) continue;
    const voice = voiceOf(after ?? before ?? '', speaker, match[4] !== undefined);
    yield { start: match.index, end: match.index + match[0].length, text: said, voice };
  }
}

/** The words right before the verb that can be who speaks, and how far back they reach. */
function subjectBefore(before: string): { text: string; length: number } | null {
  const words = [...before.matchAll(/[\p{L}'-]+/gu)];
  let last = words.length - 1;
  while (last >= 0 && BETWEEN.test(words[last]![0])) last -= 1;
  let first = last;
  while (
    first > 0 &&
    last - first < 3 &&
    isPartOfSubject(words[first - 1]![0]) &&
    isJoined(before, words, first)
  )
    first -= 1;
  const start = words[first]?.index;
  if (start === undefined) return null;
  const end = words[last]!.index + words[last]![0].length;
  return { text: before.slice(start, end), length: before.length - start };
}

function isPartOfSubject(word: string): boolean {
  return (
    /^\p{Lu}/u.test(word) ||
    /^(?:my|our|your|his|her|their|the|old|little|big|older|younger|best|new)$/i.test(word) ||
    KIN.has(word.toLowerCase())
  );
}

function isJoined(text: string, words: readonly RegExpExecArray[], at: number): boolean {
  const from = words[at - 1]!.index + words[at - 1]![0].length;
  return text.slice(from, words[at]!.index) === ' ';
}

/** Null for one whose name nobody can tell: "he", "the sign", "your aunt". */
function voiceOf(subject: string, speaker: string, toSpeaker: boolean): Voice | null {
  const words = subject.split(' ');
  const name = words.filter((word) => /^\p{Lu}/u.test(word) && !NOT_A_NAME.test(word)).join(' ');
  if (name !== '') return { shown: name, names: [name], toSpeaker };
  const kin = words.at(-1)!;
  if (!/^(?:my|our)$/i.test(words[0]!) || words.length < 2 || !/^[\p{L}-]+$/u.test(kin)) return null;
  const whole = words.slice(1).join(' ');
  return { shown: `${speaker}'s ${whole}`, names: [whole, speaker], toSpeaker };
}

const NOT_A_NAME =
  /^(?:I|My|Our|Your|His|Her|Their|The|He|She|They|You|It|We|Who|And|But|So|Then|That|This|Someone|Everyone|Everybody|Somebody|Nobody|People|Yesterday|Today|Once|When|As)$/;
