import type { RetrievedEpisode } from '../model/retrieved-item.ts';
import { standingOf } from '../model/standing.ts';
import { atOnce, type Steps } from '../util/breathe.ts';
import { described } from '../util/described.ts';
import { sentenceSpans, sentencesOf } from '../util/sentences.ts';
import { PERSONAL, type Unstated, unstatedIn } from '../util/unstated.ts';

/** A part of a turn that may be quoted: a sentence, a list with the line above it, or a block of code. */
export interface Thought {
  readonly text: string;
  /** Where its middle is in the content of the turn; for a caption past all of it. */
  readonly middle: number;
  /** Position among the parts of the turn. */
  readonly at: number;
  /** False for fiction, for a text to be translated, and for the "I" of a document. */
  readonly isStated: boolean;
}

const LIST_LINE = /^\s*(?:[-*•]|\d{1,2}[.)])\s+\S/;
const FENCE = /^\s*(?:```|~~~)/;
/** In characters; a longer list is quoted line by line. */
const LONGEST_LIST = 600;

type Said = Pick<RetrievedEpisode, 'content' | 'attachments' | 'role' | 'source'>;

/** The parts of a turn in their order, captions of its attachments last. Takes time linear in its length. */
export function thoughtsOf(turn: Said): readonly Thought[] {
  return atOnce(thoughtSteps(turn));
}

/** `thoughtsOf`, with an interruption at each part. */
export function* thoughtSteps(turn: Said): Steps<readonly Thought[]> {
  const { content, attachments } = turn;
  const isDocument = standingOf(turn, true) === 'document';
  const unstated: readonly Unstated[] = isDocument
    ? [{ start: 0, end: content.length, kind: 'quoted' }]
    : unstatedIn(content);
  const isStated = statedIn(unstated);
  const said: Thought[] = [];
  const blocks = blocksOf(content);
  for (const [at, block] of blocks.entries())
    for (const part of partsOf(block, blocks[at - 1])) {
      const text = part.text.trim();
      if (text === '') continue;
      const middle = part.start + text.length / 2;
      // The line above it introduces a list, and is judged itself.
      const judged = part.isLed ? Number.NEGATIVE_INFINITY : middle;
      said.push({ text, middle, at: said.length, isStated: isStated(text, judged) });
      yield;
    }
  for (const { kind, description } of described(attachments))
    said.push({
      text: `[${kind}: ${description}]`.trim(),
      middle: Number.POSITIVE_INFINITY,
      at: said.length,
      isStated: !PERSONAL.test(description),
    });
  return said;
}

/** A fenced text in the first person. */
const FENCED_PROSE = /^(?:```|~~~)[\s\S]*^(?:I|My|We|Our)['’ ]\p{Ll}/mu;

/** Whether a part with its middle at a place is stated. Parts are asked about in their order. */
function statedIn(unstated: readonly Unstated[]): (text: string, middle: number) => boolean {
  let next = 0;
  return (text, middle) => {
    while (next < unstated.length && unstated[next]!.end <= middle) next++;
    if (text.length > 3 && FENCE.test(text) && FENCED_PROSE.test(text)) return false;
    const found = unstated[next];
    return found === undefined || middle < found.start || (found.kind === 'quoted' && !PERSONAL.test(text));
  };
}

interface Block {
  readonly kind: 'text' | 'list' | 'code';
  /** Its place in the content. */
  readonly start: number;
  readonly lines: readonly string[];
}

function blocksOf(content: string): readonly Block[] {
  if (!content.includes('\n')) return [{ kind: 'text', start: 0, lines: [content] }];
  const blocks: (Block & { lines: string[] })[] = [];
  let [isCode, start] = [false, 0];
  for (const line of content.split('\n')) {
    const last = blocks.at(-1);
    if (isCode) last!.lines.push(line);
    else if (FENCE.test(line)) blocks.push({ kind: 'code', start, lines: [line] });
    else {
      const kind = LIST_LINE.test(line) ? 'list' : 'text';
      if (last?.kind === kind) last.lines.push(line);
      else blocks.push({ kind, start, lines: [line] });
    }
    if (FENCE.test(line)) isCode = !isCode;
    start += line.length + 1;
  }
  return blocks;
}

interface Part {
  readonly text: string;
  readonly start: number;
  /** Whether the text begins with the line above the part. */
  readonly isLed?: boolean;
}

/** The parts of a block with their places. */
function* partsOf({ kind, start, lines }: Block, before: Block | undefined): Generator<Part> {
  if (kind === 'code') {
    yield { text: closed(lines.join('\n')), start };
    return;
  }
  if (kind === 'list') {
    const lead = before?.kind === 'text' ? before.lines.findLast((line) => line.trim() !== '') : undefined;
    const whole = lines.join('\n');
    const led = lead?.trimEnd().endsWith(':') ? `${lastSentence(lead)}\n${whole}` : whole;
    if (led.length <= LONGEST_LIST) {
      yield { text: led, start, isLed: led !== whole };
      return;
    }
  }
  let at = start;
  for (const line of lines) {
    if (kind === 'list') yield { text: line, start: at };
    else
      for (const span of sentenceSpans(line))
        yield { text: line.slice(span.start, span.end), start: at + span.start };
    at += line.length + 1;
  }
}

function closed(code: string): string {
  const fence = FENCE.exec(code)?.[0].trim() ?? '```';
  return code.trimEnd().endsWith(fence) && code.trim().length > fence.length
    ? code
    : `${code.trimEnd()}\n${fence}`;
}

function lastSentence(line: string): string {
  return sentencesOf(line).at(-1) ?? line;
}

/** It points at what was said before it: "It also happens to be my favourite!", "Because of the rain." */
const LEANS =
  /^(?:(?:oh|well|yeah|yes|yep|no|nope|sure|ok|okay|haha|wow|and|but|so|plus|then|also|actually|honestly|because|since|which)[,!.]?\s+)*(?:it|its|it['’]s|that|that['’]s|this|these|those|they|they['’]re|them|he|he['’]s|she|she['’]s|his|her|him|their|there|both|one|same|such|also|too|and|but|because|which|then)(?![\p{L}])/iu;
const SHORT = 4;

/** Whether a sentence is no whole thought without what was said before it. */
export function leans(text: string): boolean {
  return LEANS.test(text) || (text.match(/[\p{L}\p{N}]+/gu)?.length ?? 0) < SHORT;
}

const POINTS_BACK = /(?<![\p{L}'’])(?:it|this|these|those|them|there)(?![\p{L}'’])/iu;

/** Whether a sentence may mean something that was said before it: "I got it as a gift". */
export function pointsBack(text: string): boolean {
  return POINTS_BACK.test(text);
}
