import { sentenceSpans } from '../../../util/sentences.ts';
import { FORWARDED, MAIL_HEADER, QUOTED_LINE, taggedIn, unstatedIn } from '../../../util/unstated.ts';
import type { Sentence } from './clean-text.ts';
import type { Speakers } from './speakers.ts';
import { KIN } from './words.ts';

/** Whose words a part of a turn is, if not its speaker's. */
export interface Voice {
  /** As statements name them: "Anna", "Priya's mom". */
  readonly shown: string;
  /** The entities in that name. */
  readonly names: readonly string[];
  /** Whether they address the turn's speaker, who is "you" then. */
  readonly toSpeaker: boolean;
}
/** A part of a turn in one voice; null for the turn's own speaker. */
interface Part {
  readonly text: string;
  readonly voice: Voice | null;
  /** Whether it is a document or the like, in which "I" is nobody that is known. */
  readonly isDocument: boolean;
}

const SAY =
  'said|say|says|saying|told|tells|wrote|writes|texted|messaged|announced|replied|answered|shouted|yelled|whispered|asked|added|explained|mentioned|emailed|goes|was like|is like';
/** "Anna told me: “…”", "my mom always says '…'"; without quotes the colon is required. */
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
/** Words between the subject and its verb: "my mom always says". */
const BETWEEN =
  /^(?:always|often|just|then|also|once|even|recently|later|actually|usually|never|had|has|have|only|simply|used|to|likes|like|liked|loves|will|would)$/i;
const QUOTE_MARKS = /[\u201c\u201d\u201e«»]/g;
/** Single quotes around words, not apostrophes in them. */
const SINGLE =
  /(^|[\s:,(])['\u2018]([^'\u2018\u2019\n]{0,300}(?:['\u2019]\p{L}[^'\u2018\u2019\n]{0,300}){0,8})['\u2019](?=[\s.,!?;)]|$)/gu;

const AUTHOR_LINE =
  /^\s{0,3}(?:(?:On|Am|Le|El|Op) .{3,120}? )?(?:(?:schrieb|schreef) )?(\p{Lu}[\p{L}'. -]{0,40}?)(?: <[^>]{3,80}>)?(?: (?:wrote|a écrit|escribió|schrieb))? ?:\s*$/u;
const MAIL_LINE =
  /^\s{0,3}(?:On|Am|Le|El|Op) .{3,160}\b(?:wrote|schrieb|écrit|escribió|schreef)\b.{0,80}:\s*$/;

/**
 * Splits a turn's text by voices, because a speaker does not state what they quote. Quoted lines and direct speech of
 * a person with a name are attributed to that person. Quotes of another speaker, whose own turn memory has, and of
 * persons without a name are omitted, and so is what is made up. A quote without "I" or "you" is a title or a saying
 * and stays.
 */
export function splitVoices(content: string, speaker: string, speakers: Speakers): Part[] {
  const lines = MAY_QUOTE_LINES.test(content)
    ? withoutQuotedLines(content, speakers)
    : { text: content, parts: [] };
  const { text, documents } = withoutUnstated(content, lines.text);
  const parts = [...lines.parts, ...documents];
  if (!MAY_QUOTE.test(text)) return [ownPart(text), ...parts];
  const plain = text.replace(QUOTE_MARKS, '"').replace(SINGLE, '$1"$2"');
  return [...splitSpeech(plain, speaker, speakers), ...parts];
}

function ownPart(text: string): Part {
  return { text, voice: null, isDocument: false };
}

/** @param text The content with its quoted lines blanked. */
function withoutUnstated(content: string, text: string): { text: string; documents: Part[] } {
  const [kept, documents]: [string[], Part[]] = [[], []];
  let from = 0;
  for (const { start, end, kind } of unstatedIn(content)) {
    kept.push(text.slice(from, start));
    if (kind === 'quoted') documents.push({ text: text.slice(start, end), voice: null, isDocument: true });
    from = end;
  }
  return { text: [...kept, text.slice(from)].join('\n'), documents };
}

const MAY_QUOTE_LINES =
  /^\s{0,3}(?:>|&gt;|❝|-{2,}\s?\p{L}|(?:From|Von|De): )|(?:wrote|schrieb|écrit|escribió|schreef)\b.{0,80}:\s*$/imu;
const MAY_QUOTE = new RegExp(
  `\\b(?:${SAY})\\b.{0,40}(?:["'\u2018\u201c\u201e«]|:)|["\u201d»].{0,50}\\b(?:${SAY})\\b`,
);

/** The text with quoted lines blanked, so that places in it stay. */
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
        isDocument: false,
      });
    if (!quoted && !opens && line.trim() !== '') author = null;
    kept.push(quoted || opens || isHeader(lines, at) ? ' '.repeat(line.length) : line);
  }
  return { text: kept.join('\n'), parts };
}

function authorOf(line: string): string | null {
  const name =
    /([\p{Lu}][\p{L}'-]{1,30}(?: \p{Lu}[\p{L}'-]{1,30})?)(?: <[^>]{3,80}>)? (?:wrote|a écrit|escribió)|(?:schrieb|schreef) (\p{Lu}[\p{L}'-]{1,30}(?: \p{Lu}[\p{L}'-]{1,30})?)/u.exec(
      line,
    );
  return name?.[1] ?? name?.[2] ?? NAME_ALONE.exec(line)?.[1] ?? null;
}

/** A name above what it said; "Here is the e-mail I got:" and "Original text:" are none. */
const NAME_ALONE =
  /^\s{0,3}(?!(?:Here|Text|E-?mails?|Quotes?|Original|Article|Notes?|Message|Letter|Review|Answer|Reply|Summary|Examples?|Comment|Post|Context|Input|Output|Translation|Excerpt|Document)\b)(\p{Lu}[\p{L}'-]{1,30}(?: (?:\p{Lu}[\p{L}'.-]{0,30}|van|von|de|der|den|da|di|le|la|el|al|bin)){0,3}):/u;

/** "From: …" near "Subject: …"; alone it may be a form field. */
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
      parts.push({ text: said, voice, isDocument: false });
    from = end;
  }
  return [ownPart([...own, text.slice(from)].join('\n')), ...parts];
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

/** The words directly before the verb that may name who speaks, and their length. */
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

/** Null for an unidentified person: "he", "the sign", "your aunt". */
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

/** Whether a sentence is meant literally. "Doubtful" sentences are read with low confidence. */
export type Sincerity = 'sincere' | 'doubtful' | 'ironic';

const MARKED =
  /(?:^|\s)\/(?:s|sarcasm|sarc|j)\s*$|\bsaid (?:no ?one|nobody) ever\b|#(?:sarcasm|irony|not)\b/i;
const OPENS_IRONY =
  /^(?:(?:oh|well|ha|haha|sure),? )?(?:yeah,? right|as if\b|(?:sure|right|yeah),? (?:and|because) (?:I am|I'm|we are|we're|the|pigs)\b|lucky me\b)/i;
/** "Just kidding": the sentence before was a joke. */
const TAKEN_BACK =
  /^(?:(?:haha|lol|ha|nah|no),? ?)*(?:(?:just|only|totally) (?:kidding|joking)|kidding|jk|j\/k|not|psych|I(?:'m| am) (?:(?:just|only|totally) )?(?:kidding|joking|messing|pulling your leg))(?=\s{0,2}(?:$|[,;:-]))/i;
/** "I married a duck, just kidding". */
const JOKED =
  /(?:[,;]|\s-) ?(?:(?:just|only) (?:kidding|joking)|kidding)$|\b(?:jk|j\/k)$|\((?:(?:just )?(?:kidding|joking)|(?:a )?joke|jk)\)$|^(?:jk|j\/k)\b/i;
const AFFECT =
  /\b(?:lov(?:e|es|ed|ing)|ador(?:e|es|ed)|enjoy(?:s|ed|ing)?|thrilled|delighted|overjoyed|ecstatic|can(?:'t|not| not) wait|favou?rite|living the dream|what an? (?:treat|joy|dream|pleasure|delight)|nothing (?:says|beats|like|better than)|so (?:glad|happy|excited|grateful|lucky|thankful|fun)|always wanted|always dream(?:ed|t)|made my day|how (?:lovely|wonderful|delightful|charming))\b/i;
const LIKING = new RegExp(`${AFFECT.source}|\\b(?:likes?|liked|great|nice|fun)\\b`, 'i');
const SITUATION =
  /\b(?:stuck (?:in|on|at|behind)|traffic(?: jams?)?|broken|broke down|breaks? down|breakdown|crash(?:es|ed|ing)?|cancell?ed|delay(?:s|ed)?|stolen|leak(?:s|ed|ing|y)?|flooded|unpaid|ignored|yelled at|shouted at|screamed at|rejected|fired|laid off|queu(?:e|es|ing)|wait(?:ing)? (?:in line|on hold|for hours|forever)|on hold|parking (?:ticket|fine)s?|speeding ticket|tax(?:es| returns?| audit)|paperwork|root canal|food poisoning|the flu|fever|migraines?|hangovers?|mosquito(?:es)?|spam|power (?:cut|outage)s?|soaked|drenched|pouring rain|flat tyres?|flat tires?|woken up|jackhammers?|drill(?:ing|s) at|alarm at|overtime|working (?:all|on) (?:weekends?|sundays?|saturdays?|night)|lost (?:luggage|my|our)|losing (?:my|our)|spilled|spilling|stepp(?:ed|ing) in|late fees?|bills?|rip-?offs?|scammed|dumped|puke|vomit|mould|mold|cockroach(?:es)?|bed ?bugs|blackouts?)\b/i;
/** Between a feeling and its cause, these show that the misery is over or is not the cause. */
const NOT_ITS_CAUSE =
  /\b(?:but|after|although|though|despite|because|instead|without|even|when|while|no|not|never|finally|until|before|and|to (?:fix|repair|avoid|help)|than)\b/i;
const FEIGNED_OPENING =
  /^(?:(?:oh|wow|well|ah|ugh|and),? )*(?:great|wonderful|fantastic|lovely|perfect|brilliant|awesome|amazing|super|fabulous|terrific|joy|yay|goody|nice|marvell?ous|splendid|thanks|fun|how (?:lovely|wonderful|nice|charming|delightful))\b(?=[,!.]| ?-|$)/i;
const EYE_ROLL = /\u{1F644}|\u{1F643}/u;
/** Maximum distance of the cause from the feeling, in characters. */
const CAUSE_WITHIN = 60;

/** The sincerity of each of a turn's own sentences, in order; uses cues in the words only. */
export function sinceritiesOf(content: string, sentences: readonly Sentence[]): Sincerity[] {
  const marked = EYE_ROLL.test(content);
  let feigned = false;
  const found = sentences.map(({ text }) => {
    feigned ||= FEIGNED_OPENING.test(text);
    return sincerityOf(text, { feigned, marked });
  });
  for (const [at, { text }] of sentences.entries()) {
    if (!TAKEN_BACK.test(text)) continue;
    found[at] = 'ironic';
    if (at > 0) found[at - 1] = 'ironic';
  }
  return found;
}

function sincerityOf(text: string, { feigned, marked }: { feigned: boolean; marked: boolean }): Sincerity {
  if ((/[/#]|\bever\b/i.test(text) && MARKED.test(text)) || OPENS_IRONY.test(text)) return 'ironic';
  if (/kidding|jok|\bj\/?k\b/i.test(text) && JOKED.test(text)) return 'ironic';
  if (!praisesMisery(text, marked ? LIKING : AFFECT)) return 'sincere';
  return marked || feigned ? 'ironic' : 'doubtful';
}

/** "I love being stuck in traffic". */
function praisesMisery(text: string, feeling: RegExp): boolean {
  const affect = feeling.exec(text);
  if (affect === null) return false;
  const rest = text.slice(affect.index + affect[0].length, affect.index + affect[0].length + CAUSE_WITHIN);
  const situation = SITUATION.exec(rest);
  return situation !== null && !NOT_ITS_CAUSE.test(rest.slice(0, situation.index));
}

const ROLE_LABEL =
  /^\W{0,4}(?:(?:system|assistant|developer|root)(?: (?:prompt|message|note|update))?|(?:admin|new|hidden|important|updated|secret) (?:system |admin )?(?:prompt|message|instructions?|override|command|rule)s?)\W{0,3}:/i;
const TEMPLATE_MARK =
  /<\|[\w ]{1,40}\|>|\[\/?(?:INST|SYS|SYSTEM)\]|<<\/?SYS>>|<\/?(?:system|assistant|instructions?|prompt|developer)>|^#{2,} ?(?:system|instructions?|prompt)\b/i;
const OVERRIDE =
  /\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|other|your|these|those|system)\b.{0,20}\b(?:instructions?|prompts?|rules?|guidelines?|directions?|orders?|context|programming)\b/i;
const RESET =
  /\b(?:delete|erase|wipe|purge|clear|drop|forget|overwrite|reset)\b.{0,12}\b(?:all|every|everything|your|the (?:whole|entire))\b.{0,30}\b(?:memor(?:y|ies)|records?|data|database|facts?|(?:told|know|stored|saved|learned))\b/i;
const NEW_IDENTITY =
  /\b(?:you are now|act as|pretend (?:to be|you are)|switch to|enter|enable|activate)\b.{0,30}\b(?:mode|unrestricted|jailbroken|jailbreak|dan|root|admin(?:istrator)?|superuser|without (?:any )?(?:rules|restrictions|filters?))\b/i;
const AS_MEMORY =
  /\b(?:store|save|record|write|insert|add|put)\b.{0,25}\b(?:as (?:a )?(?:fact|memory|truth)|(?:in|into|to) (?:your|the|long-term) memory)\b/i;
const COMMANDS = [ROLE_LABEL, TEMPLATE_MARK, OVERRIDE, RESET, NEW_IDENTITY, AS_MEMORY];
/** Quick test that nearly every turn fails. */
const MAY_COMMAND =
  /system|assistant|developer|\broot\b|admin|prompt|instruct|rule|guideline|direction|order|context|programming|memor|records?\b|\bdata|\bfacts?\b|\b(?:forget|erase|wipe|delete|reset|clear)\b|\bmode\b|restrict|jailb|command|<\||\[\/?INST|<</i;
/** A command is recognised in this many characters at a line's start. */
const LONGEST_COMMAND = 400;

/**
 * The lines of a text before those that command the reader ("ignore all previous instructions", "SYSTEM: …"). Claims
 * in a command are not statements of the speaker; the turn keeps its words.
 */
export function withoutInstructions(content: string): string {
  if (!MAY_COMMAND.test(content)) return content;
  return content.split('\n').map(beforeCommand).join('\n');
}

function beforeCommand(line: string): string {
  if (!MAY_COMMAND.test(line)) return line;
  for (const { start, end } of sentenceSpans(line)) {
    const sentence = line.slice(start, end).trim().slice(0, LONGEST_COMMAND);
    if (COMMANDS.some((command) => command.test(sentence))) return line.slice(0, start);
  }
  return line;
}

/** Lines that occur in logs, traces, code, tables and mark-up, but not in chat. */
const MACHINE_LINES: readonly RegExp[] = [
  // Stack traces.
  /^\s*at\s[\w.$<>[\] ]{1,200}\(.{0,300}\)?\s*$/,
  /^\s*at\s(?:async\s)?(?:file:|\/|[\w.$]+[./])\S{0,300}$/,
  /^\s*File ".{1,300}", line \d+/,
  /^\s*Traceback \(most recent/,
  /^\s*(?:Caused by:|Exception in thread|Process finished|Segmentation fault|panic:|goroutine \d)/,
  /^\s*(?:[a-z_$][\w$]*\.)*[A-Z]\w*(?:Error|Exception|Warning)\b(?::|\s*$|\s\[)/,
  /^\s*(?:Error|Exception): \S/,
  /^\s*\.{3} \d+ more\s*$/,
  /^\s+\/?\S{1,200}\.\w{1,5}:\d+\b/,
  /^\s*[\w$.]+\([^)\s]{0,200}\)\s*;?\s*$/,
  // Logs: a level, or a time with marks that no sentence has.
  /^\W{0,3}(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL|NOTICE)\b[\s\]:|-]/,
  /^\W{0,2}\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d.{0,60}?(?:\b(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL|NOTICE)\b|\w=\S|\[[\w.:/-]+\])/,
  /^[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \S+ \S+/,
  /^\W?\d\d:\d\d:\d\d[.,]?\d{0,6}\W{1,3}(?:\[|[A-Z]{4,}\b|\w+[.:/]\w)/,
  /^\d{1,3}(?:\.\d{1,3}){3} .{0,200}"(?:GET|POST|PUT|HEAD|DELETE|PATCH) /,
  // Code and shells.
  /^\s*(?:import|export|const|let|var|function|class|def|return|public|private|static|async|await|for|while|if|else|try|catch|elif|except|package|using|namespace)\b.{0,300}[{};=()[\]<>:]\s*$/,
  /^\s*(?:#include|from\s\S{1,80}\simport\b|@\w+\(|\$ \S|>>> |[\w-]+@[\w.-]+:\S*[$#] )/,
  /^\s*(?:SELECT .{1,200} FROM |INSERT INTO |UPDATE \w+ SET |CREATE TABLE |DELETE FROM )/i,
  /^\s*(?:npm (?:ERR|WARN|error|warn)|error TS\d+|error\[E\d+)/,
  // Data and mark-up.
  /^\s*"[^"]{1,80}"\s*:\s*(?:["{[\d-]|true\b|false\b|null\b)/,
  /^\s*[{}[\]()]{1,3}[,;]?\s*$/,
  /^\s*[[{]\s*["{[].{0,2000}[\]}]?,?\s*$/,
  /^\s*<[/!?]?[a-z][\w:-]*(?:\s[^>]{0,300})?\/?>.{0,300}<\/[a-z][\w:-]*>\s*$/i,
  /^\s*<[/!?]?[a-z][\w:-]*(?:\s[^>]{0,300})?\/?>\s*$/i,
  /^\s*\|.{0,500}\|\s*$/,
  /^\s*(?:diff --git |@@ -\d|[+-]{3} [ab]\/)/,
  /^\s*\S{48,}\s*$/,
];
const OBJECT = /[{[]\s*"[^"\n]{1,80}"\s*[:,][^\n]{0,1000}[}\]]/g;
const SEPARATED = /\S([,;\t])(?=\S)/g;
const FEWEST_COLUMNS = 3;

/** A single line without any of these was typed. */
const MAY_BE_PASTED =
  /[{}[\]<>=|\t\\\n_;]|:\d\d[ .,:]|:\d+\)|[A-Z]{4}|(?:Error|Exception|Warning)\b|[a-z]\.[a-z]+\(|^\$ |^(?:import|export|const|SELECT) |^\S{48}/;

/**
 * Blanks the lines of a text that a machine wrote: logs, stack traces, code, JSON, mark-up, rows of tables. They
 * become empty, so that the lines around them stay separate.
 */
export function withoutPasted(content: string): string {
  if (!MAY_BE_PASTED.test(content)) return content;
  const lines = content.replace(OBJECT, ' ').split('\n');
  const tagged = taggedIn(lines);
  const pasted = lines.map((line, at) => tagged.has(at) || isMachineLine(line));
  for (const [at, columns] of lines.map(columnsOf).entries()) {
    const beside = [lines[at - 1], lines[at + 1]].some(
      (line) => line !== undefined && columnsOf(line) === columns,
    );
    if (columns >= FEWEST_COLUMNS && beside) pasted[at] = true;
  }
  return lines.map((line, at) => (pasted[at] ? '' : line)).join('\n');
}

function isMachineLine(line: string): boolean {
  return line.trim() !== '' && MACHINE_LINES.some((pattern) => pattern.test(line));
}

/** Number of values in a row of a table; a sentence has a space after its commas. */
function columnsOf(line: string): number {
  const tight = line.match(SEPARATED)?.length ?? 0;
  const spaced = line.match(/[,;] /g)?.length ?? 0;
  return tight > spaced ? tight + 1 : 0;
}
