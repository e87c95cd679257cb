import { sentenceSpans } from './sentences.ts';

/**
 * A part of a text that its author does not state: `quoted` are words of somebody else, which state nothing of the
 * author but may state something of others; `invented` is fiction, an example, or a text to be translated or corrected,
 * and states nothing.
 */
export interface Unstated {
  /** In UTF-16 code units, half-open. */
  readonly start: number;
  readonly end: number;
  readonly kind: 'quoted' | 'invented';
}

/** Words for the author or the listener. In somebody else's words they mean other people. */
export const PERSONAL =
  /(?<![\p{L}'’])(?:I|i(?=['’ ])|[Mm](?:e|y|ine|yself)|[Ww]e|us|[Oo]urs?|[Yy]ou(?:rs?)?)(?!\p{L})/u;

const TEXT =
  '(?:text|sentences?|paragraphs?|passages?|articles?|letters?|e-?mails?|mails?|messages?|posts?|tweets?|documents?|reports?|stor(?:y|ies)|transcripts?|chats?|conversations?|essays?|poems?|lyrics|songs?|quot(?:e|ation)s?|excerpts?|snippets?|speech(?:es)?|abstracts?|papers?|pages?|contracts?|cover letters?|cv|r[ée]sum[ée]s?|drafts?|translations?|dialogues?|reviews?|blurbs?|captions?|phrases?|expressions?|idioms?|descriptions?|bios?|statements?|logs?|templates?)';
const FICTION =
  '(?:(?:fairy ?)?tales?|(?:short )?stor(?:y|ies)|novels?|novellas?|scenes?|scripts?|screenplays?|dialogues?|sketch(?:es)?|fan ?fic(?:tion)?s?|jokes?|riddles?|fables?|legends?|chapters?|plots?|backstor(?:y|ies)|monologues?|fiction)';
/** Inside a line, up to a colon; a full stop after a title ends nothing. */
const WITHIN = '(?:[^.!?\\n:]|(?<=(?:dr|mr|mrs|ms|prof|st))\\.)';
/** What may stand before the verb of a request. */
const ASKED =
  "(?:(?:please|ok|okay|so|and|now|well|hey|hi|hello|alright|then|but|also|first|just|next|great|thanks)[,!.]? ){0,4}(?:(?:can|could|would|will) (?:you|u) (?:please |kindly )?|help me (?:to )?|i(?:['’]d like| would like| want| need) you to |let(?:['’]s| us) |you (?:should|have to|must) )?(?:please |kindly |just ){0,2}";
/** Who or what a supposition is about. */
const SOMEBODY =
  /^(?:[Ii]|we|my|our|he|she|they|there|an?|the|this|some(?:one|body)|your?|\p{Lu}\p{L}+)(?:['’]\p{L}+)?(?!\p{L})/u;
const SURPRISE = /^(?:my|our|the) (?:surprise|joy|shock|relief|horror|delight|disappointment|face)(?!\p{L})/u;

const begins = (pattern: string, flags = 'iu'): RegExp => new RegExp(`^["'“‘(*_#\\s-]*${pattern}`, flags);

/** "Translate …", "Fix the grammar of …": what follows is a text to be worked on. */
const TASK = begins(
  `${ASKED}(?:translate|proof-?read|paraphrase|rephrase|reword|rewrite|transcribe|spell-?check|grammar-?check|(?:fix|correct|check|edit|improve|polish|shorten|simplify|revise|continue|complete|expand|convert|turn|make|format)\\b[^:\\n]{0,60}?\\b(?:grammar|spelling|punctuation|wording|mistakes?|errors?|typos?|following|${TEXT})|(?:make|put|change|turn|convert) (?:this|it|that)\\b[^:\\n]{0,60}(?=:)|how (?:do|would|can|should) (?:you|i|we|one) (?:say|translate|write|spell|phrase)|what(?:['’]s| is) (?:the )?\\p{L}+ (?:for|translation of))(?![\\p{L}-])(?!:? (?:is|are|was|were)\\b)`,
);
const ABOVE = /(?<!\p{L})(?:this|that|it|above)(?!\p{L})[^:]*$/iu;
const NAMES_PAYLOAD = new RegExp(`(?<!\\p{L})(?:this|these|following|below|${TEXT})(?!\\p{L})[^:]*$`, 'iu');
const FOLLOWS = /following|below/i;
/** "Summarize …": what follows is a document. */
const SUMMARY = begins(
  `${ASKED}(?:summari[sz]e|tl;?dr (?:of|for|please)|(?:read|review|analy[sz]e|explain) (?:this|it|that)\\b[^:\\n]{0,60}(?=:)|(?:review|analy[sz]e|explain|interpret|classify|extract|read|look at|comment on|rate|evaluate|critique|reply to|respond to|answer)\\b[^:\\n]{0,60}?\\b(?:following|${TEXT}))(?![\\p{L}-])`,
);
/** "Here is the letter:", but not "Here is my bio:". */
const DOCUMENT = begins(
  `(?:${ASKED}(?:here(?:['’]s| is| are)|this is|below is|attached is|(?:i|we) (?:just )?(?:got|received|found|read) (?:this|the following|an?))\\b(?!(?: \\p{L}+){0,2} (?:my|our) (?:\\p{L}+ )?${TEXT}\\b)${WITHIN}{0,80}?\\b${TEXT}\\b${WITHIN}{0,60}|${WITHIN}{0,60}?\\b(?:sent|showed|forwarded|gave|wrote|texted|e-?mailed|mailed|left) (?:me|us) (?:this|the following|an?)\\b${WITHIN}{0,40}|(?:i|we) (?:just )?(?:found|saw|read|got|received|came across) (?:this|the following)\\b${WITHIN}{0,60}|this is (?:from|by|out of) ${WITHIN}{1,60}|(?:the )?(?:article|letter|e-?mail|document|text|transcript|excerpt|passage|lyrics|poem|quote|essay|abstract)(?: (?:from|by|of) ${WITHIN}{1,40})?):`,
);
/** "The text below is a cover letter." */
const BELOW = begins(
  `(?:(?:the|this) (?:following )?${TEXT} (?:below|that follows)|the following (?:is|are|${TEXT})|below (?:is|are|you)|what follows is)(?![\\p{L}-])`,
);
/** "Pretend that I …", "Let's say my …". */
const SUPPOSES = begins(
  `${ASKED}(?:pretend|imagine|suppose|supposing|assume|assuming|say|picture)(?: for a moment)?,?(?: that)? `,
);
/** "Roleplay:", "Once upon a time". */
const PLAYS = begins(
  `${ASKED}(?:hypothetically\\b|rp:|use .{1,60} in an? (?:example )?sentence\\b|(?:i['’]m going to |i am going to |i['’]?ll |i will |we )?play (?:an? |the )?(?:game|character|role|part)\\b[^.!?\\n:]{0,30}:|for the sake of argument\\b|in a hypothetical\\b|once upon a time\\b|(?:do |play )?(?:an? )?role-?\\s?play(?:ing)?(?: game| scenario)?\\s?(?:[:.,!-]|with\\b|as\\b|where\\b|in which\\b|$))`,
);
/** A label before what is made up. */
const LABEL = begins(
  `(?:here(?:['’]s| is) (?:an? |the |my )?)?(?:[\\p{L}-]+ )?(?:jokes?|lyrics|riddles?|scenarios?|hypothetical|examples?|sample|fiction|prompt|template|placeholder|dummy data|test data|e\\.g\\.)[^.!?\\n:]{0,30}:|${ASKED}fill in\\b|e\\.g\\.,?(?=\\s)|(?:story|novel|plot|book|film|movie|character) (?:idea|concept|outline|draft|plot|prompt|sketch)s?:|as an example\\b|by way of (?:an )?example\\b`,
);
/** "Act as …", "You are a pirate who …": the reader's part. */
const ROLE = begins(
  `${ASKED}(?:act(?:ing)? (?:as|like)|(?:play|take|assume) the (?:role|part) of|behave (?:as|like)|pretend (?:to be|you|that you)|imagine (?:that )?you|from now on,? you|you(?:['’]re| are| will be)(?: now)? (?:an?|the|my) [^.!?\\n]{0,60}\\b(?:who|named|called|that)(?![\\p{L}'’])|your (?:name|role|job) is\\b)`,
);
const STORY = begins(
  `${ASKED}(?:write|draft|compose|create|make up|invent|tell|generate|give|come up with|produce|prepare|start|begin)\\b[^.!?\\n:]{0,60}?\\b${FICTION}(?![\\p{L}-])`,
);
/** "Write an e-mail in which I …": itself no statement; the letter may follow. */
const WORK = begins(
  `${ASKED}(?:write|draft|compose|create|make|generate|give|come up with|produce|prepare)\\b(?: me| us)?(?: \\p{L}+){0,5}? (?:${TEXT}|rap|toast|card|ad|advert(?:isement)?|invitation|application|examples?)(?![\\p{L}-])`,
);
const FRAMED = begins(
  "[Ii]n (?:my|the|an?|this|that|his|her|our|your|\\p{Lu}\\p{L}+['’]s) (?:\\p{L}+ )?(?:novel|book|story|tale|comic|manga|anime|fanfic|(?:video|computer|board|card) ?games?|dream|nightmare|fantasy|script|screenplay|poem|lyrics|song|scenario|example|daydream)(?:,|(?= (?:I|we|my|there|the|he|she|they|\\p{Lu}\\p{L}+)(?!\\p{L})))",
  'u',
);
const ELSEWHERE = begins(
  'in (?:another|an? (?:parallel|alternat(?:e|ive)|different|past|previous)) (?:universe|life|world|reality|timeline)\\b',
);
/** A show or a match may be real: it is if it is over. */
const STAGED = begins(
  "[Ii]n (?:my|the|an?|this|that|his|her|our|your|\\p{Lu}\\p{L}+['’]s) (?:\\p{L}+ )?(?:film|movie|play|series|show|game|campaign)(?:,|(?= (?:I|we|my|there|the|he|she|they|\\p{Lu}\\p{L}+)(?!\\p{L})))",
  'u',
);
const OVER =
  /(?<!\p{L})(?:\p{L}+ed|was|were|had|went|won|lost|sang|met|saw|got|made|took|gave|yesterday|last)(?!\p{L})/u;
const CHARACTER = begins(
  "(?:(?:the|my|our|his|her|your|\\p{L}{2,}['’]s) (?:main |other |new |fictional |female |male ){0,2}(?:character|protagonist|villain|narrator|antagonist)|the (?:hero|heroine|avatar))(?:['’]s \\p{L}+)?(?= (?:of|is|was|has|had|lives?|lived|works?|worked|moves?|moved|called|named|who|in|\\p{L}+s)\\b)",
);
const DREAMED =
  /(?<!\p{L})(?:dream(?:ed|t)|had an? (?:\p{L}+ )?(?:dream|nightmare))(?: last night)?,? (?:that|where|in which|(?:I|we|my)(?!\p{L}))/u;
const PAST =
  "(?:\\p{L}{2,}ed|had|were|was|could|did|went|knew|won|got|came|took|found|saw|made|left|lost|met|bought|spoke|became|ran|ate|drove|chose|grew|heard|kept|said|sold|told|thought|wrote|weren['’]t|wasn['’]t|didn['’]t|hadn['’]t|couldn['’]t)";
const UNREAL_IF = `(?<!\\p{L})(?:even )?if (?:only )?(?:I|we|you|he|she|it|they|there|(?:my|our|your|his|her|the) \\p{L}+|\\p{L}{2,})(?: \\p{L}+ly| ever| still| really)? ${PAST}(?!\\p{L})`;
const COUNTERFACTUAL = new RegExp(
  `${UNREAL_IF}.{0,200}(?:(?<!\\p{L})(?:would|could|might)(?:n['’]t)?|['’]d)(?!\\p{L})|(?<!\\p{L})(?:would|wouldn['’]t|I['’]d|we['’]d)(?!\\p{L}).{0,200}${UNREAL_IF.replace('(?:I|we|you|', '(?:I|we|')}|^(?:were|had) I\\b`,
  'iu',
);
const FOR_EXAMPLE = begins('for (?:example|instance)\\b');
/** "My name is [name]", "in <city>", "Dear {{first_name}}", "I live in ____". */
const PLACEHOLDER =
  /(?<!\p{L})(?:is|am|are|as|at|by|for|from|in|of|on|to|with|dear|hi|hello|called|named)[ ,:]+(?:\[[\p{L}_ -]{2,40}\]|<(?!(?:b|i|u|em|br|a|p|strong|span|code|media)\b)[\p{L}_ -]{2,40}>|\{{1,2}[\p{L}_ .-]{2,40}\}{1,2}|_{3,})/iu;
/** The author speaks again. */
const RETURNS = begins(
  '(?:by the way|btw|anyways?|p\\.? ?s\\b\\.?|on (?:another|a different) note|apart from (?:that|this)|in reality|in real life|irl|seriously|for real|as for me|personally|back to (?:reality|me|us|the)|unrelated(?:ly)?|separately|(?:this|that) (?:was|is) (?:the|all|it)|end of\\b|(?:many )?thanks|thank you|my own|myself|(?:out of character|ooc))(?!\\p{L})',
);
const SEPARATOR = /^\s*(?:[-=*_~]{3,}|"""|```|<\/\p{L}+>)\s*$/u;
const SALUTATION = /^\s*(?:dear|hi|hello|hey|to whom it may concern)(?!\p{L})[^.!?\n]{0,60}[,:]?\s*$/imu;
const CLOSING =
  /^\s*(?:(?:(?:kind|best|warm|many)(?:est)? )?(?:regards|wishes)|sincerely|yours|love|cheers|respectfully)(?!\p{L}).{0,40}$/imu;
export const QUOTED_LINE = /^\s{0,3}(?:>|&gt;|❝)/;
export const FORWARDED =
  /^\s{0,3}-{2,}\s?(?:original message|forwarded message|ursprüngliche nachricht|message d'origine)/i;
export const MAIL_HEADER =
  /^\s{0,3}(?:From|To|Cc|Sent|Date|Subject|Von|An|Gesendet|Betreff|De|À|Objet): .{1,200}$/;

/** "My father forwarded me that", below the head of a mail. */
const ON_MAIL =
  /(?<!\p{L})(?:forwarded|sent|mailed|e-?mailed|wrote|showed|gave|got|received)(?: me| us)? (?:this|that|it|these)(?!\p{L})/iu;

const SPEAKS =
  /(?<!\p{L})(?:sa(?:id|ys?|ying)|tells?|told|wrote|writes?|text(?:ed|s)|messaged|announced|repl(?:ied|ies)|answer(?:ed|s)|shout(?:ed|s)|yell(?:ed|s)|whisper(?:ed|s)|ask(?:ed|s)|add(?:ed|s)|explain(?:ed|s)|mention(?:ed|s)|emailed|goes|(?:was|is) like)(?!\p{L})/iu;
/** Quotation marks around words; an apostrophe or an inch mark is none. */
const QUOTATION =
  /(?<![\p{L}\p{N}])(?:"(?=\S)[^"\n]{2,1200}"|“[^”]{2,1200}”|„[^“”]{2,1200}[“”]|«[^»]{2,1200}»|['‘](?=\S)[^'‘’\n]{2,300}(?:['’]\p{L}[^'‘’\n]{0,300}){0,8}['’])(?![\p{L}\p{N}])/gu;
const FENCED = /"""[\s\S]*?(?:"""|$(?![\s\S]))|^'''[\s\S]*?(?:^'''|$(?![\s\S]))/gm;

interface Piece {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly startsLine: boolean;
  readonly startsParagraph: boolean;
  readonly endsLine: boolean;
}

/** How far what a sentence opens goes: this sentence, the paragraph, or the end of the text. */
type Reach = 'sentence' | 'paragraph' | 'text';
interface Opened {
  readonly kind: Unstated['kind'];
  readonly reach: Reach;
  /** Whether it also holds for sentences about the author. */
  readonly isWhole: boolean;
}

/** In characters; a longer text is judged up to here, as far as it is read for facts. */
const LONGEST_JUDGED = 60_000;

/** The parts of a text that its author does not state, in order and without overlaps. Linear in its length. */
export function unstatedIn(text: string): Unstated[] {
  const content = text.slice(0, LONGEST_JUDGED);
  const found: Unstated[] = [];
  let open: Opened | null = null;
  let letter: 'asked' | 'written' | null = null;
  let before: Piece | null = null;
  const quotations = quotationsIn(content);
  const others = linesOfOthers(content);
  for (const piece of piecesOf(content, quotations)) {
    const { text: sentence, startsParagraph } = piece;
    if (others.has(piece.start)) {
      found.push({ start: piece.start, end: piece.end, kind: 'quoted' });
      continue;
    }
    if (open !== null && (RETURNS.test(sentence) || (piece.startsLine && SEPARATOR.test(sentence))))
      open = null;
    else if (open?.reach === 'paragraph' && startsParagraph) open = null;
    if (letter === 'asked' && SALUTATION.test(sentence) && piece.startsLine) letter = 'written';
    if (letter === 'written') {
      found.push({ start: piece.start, end: piece.end, kind: 'invented' });
      if (CLOSING.test(sentence)) letter = null;
      before = piece;
      continue;
    }
    const isPayload = quotations.some(({ start, end }) => start <= piece.start + 1 && end >= piece.end);
    const going: Opened | null = open;
    const opened: Opened | null =
      going !== null && isPayload
        ? { ...(going as Opened), reach: 'sentence' }
        : openedBy(piece, { before, quoted: quotedIn(piece, quotations, content) });
    // "Translate this to French" below the text.
    if (
      opened?.reach === 'text' &&
      startsParagraph &&
      ABOVE.test(sentence) &&
      piece.end >= content.trimEnd().length
    )
      return [{ start: 0, end: piece.end, kind: opened.kind }];
    if (WORK.test(sentence)) letter = 'asked';
    if (opened !== null) {
      found.push(
        ...(isPayload ? [{ start: piece.start, end: piece.end, kind: opened.kind }] : ledBy(piece, opened)),
      );
      // A payload in quotation marks ends with them.
      if (isPayload) open = null;
      if (opened.reach !== 'sentence') open = opened;
    } else if (open !== null && (open.isWhole || !PERSONAL_START.test(sentence)))
      found.push({ start: piece.start, end: piece.end, kind: open.kind });
    before = piece;
  }
  return found;
}

/** The words that open something state nothing themselves; what is behind their colon is of the kind. */
function ledBy({ start, end, text }: Piece, { kind }: Opened): Unstated[] {
  const colon = kind === 'quoted' ? text.search(/:(?:\s|$)/) : -1;
  if (colon < 0) return [{ start, end, kind: 'invented' }];
  const from = end - text.length + colon;
  return [
    { start, end: from, kind: 'invented' },
    { start: from, end, kind },
  ];
}

const PERSONAL_START = /^\W*(?:I|we|my|our)(?!\p{L})/iu;

/** What a sentence opens, itself included; null for a statement. */
function openedBy(piece: Piece, { before, quoted }: { before: Piece | null; quoted: Quoted }): Opened | null {
  const { text } = piece;
  const task = TASK.test(text);
  if (task || SUMMARY.test(text)) {
    const names = NAMES_PAYLOAD.exec(text);
    const hasPayload =
      quoted === null &&
      (/.{4}:(?:\s|$)/.test(text) || (names !== null && (piece.endsLine || FOLLOWS.test(names[0]))));
    return { kind: task ? 'invented' : 'quoted', reach: hasPayload ? 'text' : 'sentence', isWhole: true };
  }
  if (DOCUMENT.test(text) || (piece.endsLine && BELOW.test(text)))
    return { kind: 'quoted', reach: quoted === null ? 'text' : 'sentence', isWhole: true };
  if (ROLE.test(text)) return { kind: 'invented', reach: 'paragraph', isWhole: false };
  if (isSupposed(text) || PLAYS.test(text) || STORY.test(text))
    return { kind: 'invented', reach: 'paragraph', isWhole: true };
  if (LABEL.test(text))
    return { kind: 'invented', reach: quoted === null ? 'paragraph' : 'sentence', isWhole: true };
  const isInvented =
    WORK.test(text) ||
    FRAMED.test(text) ||
    ELSEWHERE.test(text) ||
    (STAGED.test(text) && !OVER.test(text)) ||
    CHARACTER.test(text) ||
    DREAMED.test(text) ||
    COUNTERFACTUAL.test(text) ||
    PLACEHOLDER.test(text) ||
    (FOR_EXAMPLE.test(text) && !isOwn(before)) ||
    quoted === 'clause';
  return isInvented ? { kind: 'invented', reach: 'sentence', isWhole: true } : null;
}

/** "Pretend I live in Rome", but not "Imagine my surprise" and not "Let's say hello". */
function isSupposed(text: string): boolean {
  const supposes = SUPPOSES.exec(text);
  if (supposes === null) return false;
  const rest = text.slice(supposes[0].length);
  return SOMEBODY.test(rest) && !SURPRISE.test(rest);
}

/** "I love change. For example, I moved to Oslo": the example is of the author's life. */
function isOwn(before: Piece | null): boolean {
  return before !== null && PERSONAL.test(before.text) && !/[?:]\s*$/.test(before.text);
}

interface Quotation {
  readonly start: number;
  readonly end: number;
  readonly said: string;
}

function quotationsIn(content: string): Quotation[] {
  const read = (pattern: RegExp): Quotation[] =>
    Array.from(content.matchAll(pattern), ({ index, 0: all }) => ({
      start: index,
      end: index + all.length,
      said: all.slice(1, -1),
    }));
  const fenced = read(FENCED);
  const isFenced = (at: number) => fenced.some(({ start, end }) => at >= start && at < end);
  return [...fenced, ...read(QUOTATION).filter(({ start }) => !isFenced(start))].sort(
    (a, b) => a.start - b.start,
  );
}

/** What a sentence quotes: a whole clause of somebody who is not named, or only words. */
type Quoted = 'clause' | 'words' | null;

function quotedIn(piece: Piece, quotations: readonly Quotation[], content: string): Quoted {
  const inside = quotations.filter(({ start, end }) => start >= piece.start && end <= piece.end);
  if (inside.length === 0) return null;
  const isUnsaid = ({ start, end, said }: Quotation): boolean =>
    isClause(said) &&
    !SPEAKS.test(content.slice(Math.max(piece.start, start - 60), start)) &&
    !SPEAKS.test(content.slice(end, end + 40).split(/[.!?\n]/)[0]!);
  if (inside.some(isUnsaid)) return 'clause';
  return 'words';
}

/** "I live in Rome", but not the title "I Will Always Love You". */
function isClause(said: string): boolean {
  const words = said.match(/[\p{L}'’]+/gu) ?? [];
  const capitals = words.filter((word) => /^\p{Lu}/u.test(word)).length;
  return words.length >= 3 && PERSONAL.test(said) && capitals * 2 <= words.length;
}

const TAG = /^\s*<(\/?)([a-z][\w-]*)(?:\s[^<>]*)?>\s*$/i;

/** Positions of the lines between "<article>" and "</article>", with these. */
export function taggedIn(lines: readonly string[]): ReadonlySet<number> {
  const [tagged, open] = [new Set<number>(), new Map<string, number>()];
  for (const [at, line] of lines.entries()) {
    const [, closes, name = ''] = TAG.exec(line) ?? [];
    if (name === '') continue;
    const from = open.get(name.toLowerCase());
    if (closes === '') open.set(name.toLowerCase(), at);
    else if (from !== undefined) {
      for (let inside = from; inside <= at; inside += 1) tagged.add(inside);
      open.delete(name.toLowerCase());
    }
  }
  return tagged;
}

/** Starts of the lines that are quoted in a mail or below the head of one. */
function linesOfOthers(content: string): ReadonlySet<number> {
  const others = new Set<number>();
  if (!/^\s{0,3}(?:>|&gt;|❝|<|-{2,}\s?\p{L}|\p{L}{2,10}: )/mu.test(content)) return others;
  const lines = content.split('\n');
  const tagged = taggedIn(lines);
  let [start, isForwarded] = [0, false];
  for (const [at, line] of lines.entries()) {
    const isHead =
      MAIL_HEADER.test(line) &&
      [lines[at - 1], lines[at + 1]].some((beside) => beside !== undefined && MAIL_HEADER.test(beside));
    isForwarded ||= FORWARDED.test(line) || isHead;
    if (isForwarded && !isHead && [RETURNS, SEPARATOR, ON_MAIL].some((pattern) => pattern.test(line)))
      isForwarded = false;
    if (isForwarded || tagged.has(at) || QUOTED_LINE.test(line)) others.add(start);
    start += line.length + 1;
  }
  return others;
}

/** The sentences of a text with their places. An end inside a quotation ends none; a quoted line is one piece. */
function* piecesOf(content: string, quotations: readonly Quotation[]): Generator<Piece> {
  let [lineStart, startsParagraph] = [0, true];
  const isInside = (at: number) => quotations.some(({ start, end }) => at > start && at < end);
  while (lineStart <= content.length) {
    let lineEnd = content.indexOf('\n', lineStart);
    if (lineEnd === -1) lineEnd = content.length;
    const within = quotations.find(({ start, end }) => lineEnd > start && lineEnd < end);
    if (within !== undefined) {
      const after = content.indexOf('\n', within.end);
      lineEnd = after === -1 ? content.length : after;
    }
    const line = content.slice(lineStart, lineEnd);
    let start = 0;
    for (const { end } of QUOTED_LINE.test(line) ? [] : sentenceSpans(line)) {
      if (end >= line.length || isInside(lineStart + end)) continue;
      const text = line.slice(start, end);
      yield {
        start: lineStart + start,
        end: lineStart + end,
        text: text.trim(),
        startsLine: start === 0,
        startsParagraph,
        endsLine: false,
      };
      [start, startsParagraph] = [end, false];
    }
    const rest = line.slice(start);
    if (rest.trim() === '') startsParagraph = start === 0;
    else {
      yield {
        start: lineStart + start,
        end: lineEnd,
        text: rest.trim(),
        startsLine: start === 0,
        startsParagraph,
        endsLine: true,
      };
      startsParagraph = false;
    }
    lineStart = lineEnd + 1;
  }
}
