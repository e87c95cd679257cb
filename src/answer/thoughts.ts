import type { RetrievedEpisode } from '../model/retrieved-item.ts';
import { standingOf } from '../model/standing.ts';
import { described } from '../util/described.ts';
import { sentencesOf } from '../util/sentences.ts';
import { PERSONAL, type Unstated, unstatedIn } from '../util/unstated.ts';

/** A part of a turn that may be quoted: a sentence, a list with the line above it, or a block of code. */
export interface Thought {
  readonly text: string;
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
  const { content, attachments } = turn;
  const isDocument = standingOf(turn, true) === 'document';
  const unstated: readonly Unstated[] = isDocument
    ? [{ start: 0, end: content.length, kind: 'quoted' }]
    : unstatedIn(content);
  const parts = blocksOf(content).flatMap(partsOf);
  let from = 0;
  const said = parts.map((part) => {
    const text = part.trim();
    const start = content.indexOf(text, from);
    if (start >= 0) from = start + text.length;
    return { text, isStated: start < 0 || isStatedAt(start + text.length / 2, text, unstated) };
  });
  const seen = described(attachments).map(({ kind, description }) => ({
    text: `[${kind}: ${description}]`.trim(),
    isStated: !PERSONAL.test(description),
  }));
  return [...said, ...seen].map((thought, at) => ({ ...thought, at }));
}

/** A fenced text in the first person. */
const FENCED_PROSE = /^(?:```|~~~)[\s\S]*^(?:I|My|We|Our)['’ ]\p{Ll}/mu;

function isStatedAt(middle: number, text: string, unstated: readonly Unstated[]): boolean {
  if (FENCE.test(text) && FENCED_PROSE.test(text)) return false;
  if (unstated.length === 0) return true;
  const found = unstated.find(({ start, end }) => middle >= start && middle < end);
  return found === undefined || (found.kind === 'quoted' && !PERSONAL.test(text));
}

interface Block {
  readonly kind: 'text' | 'list' | 'code';
  readonly lines: readonly string[];
}

function blocksOf(content: string): readonly Block[] {
  if (!content.includes('\n')) return [{ kind: 'text', lines: [content] }];
  const blocks: { kind: Block['kind']; lines: string[] }[] = [];
  let isCode = false;
  for (const line of content.split('\n')) {
    const last = blocks.at(-1);
    if (isCode) last!.lines.push(line);
    else if (FENCE.test(line)) blocks.push({ kind: 'code', lines: [line] });
    else {
      const kind = LIST_LINE.test(line) ? 'list' : 'text';
      if (last?.kind === kind) last.lines.push(line);
      else blocks.push({ kind, lines: [line] });
    }
    if (FENCE.test(line)) isCode = !isCode;
  }
  return blocks;
}

function partsOf({ kind, lines }: Block, at: number, blocks: readonly Block[]): readonly string[] {
  const whole = lines.join('\n');
  if (kind === 'code') return [closed(whole)];
  if (kind === 'list') {
    const lead =
      blocks[at - 1]?.kind === 'text'
        ? blocks[at - 1]!.lines.findLast((line) => line.trim() !== '')
        : undefined;
    const led = lead?.trimEnd().endsWith(':') ? `${lastSentence(lead)}\n${whole}` : whole;
    return led.length <= LONGEST_LIST ? [led] : lines;
  }
  return lines.flatMap(sentencesOf);
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
