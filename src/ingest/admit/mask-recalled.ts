import type { Milliseconds } from '../../model/ids.ts';
import type { Role } from '../../model/nodes.ts';
import { atOnce, type Breather, gradually, type Steps } from '../../util/breathe.ts';
import { type LineOptions, MaskedLine } from './recalled/masked-line.ts';
import { closesRecalled, opensRecalled } from './recalled/scaffold.ts';
import type { RecalledSource, RecalledTexts } from './recalled-texts.ts';

const LINES_OF_A_PASTE = 2;

export interface TurnToMask {
  readonly content: string;
  readonly role: Role;
  /** When it was stored. */
  readonly createdAt: Milliseconds;
}
export interface MaskedTurn {
  /** Without the lines and sentences that memory gave out; empty where nothing with a word is left. */
  readonly content: string;
  /** The share of its words that were recalled, from 0 to 1. */
  readonly share: number;
}

/**
 * Takes out of a turn what came from memory itself, so that a fact that is fed back does not become new evidence for
 * itself. For machines every line counts that memory holds. People may well say what a machine has said before: of
 * theirs only lines that look pasted (numbered, cited, dated or with a speaker before them) count, or several of
 * memory's own.
 *
 * Only what memory held before the turn was stored counts. Lines and sentences must agree as a whole and have at least
 * four words; shorter ones count beside recalled ones. Case, white space, punctuation, list markers, "[1]", dates and
 * "Speaker: " before them do not count.
 */
export function maskRecalled(turn: TurnToMask, texts: RecalledTexts): MaskedTurn {
  return atOnce(masked(turn, texts));
}

/** As `maskRecalled`; a long turn lets others in while it is read. */
export function maskGradually(
  turn: TurnToMask,
  texts: RecalledTexts,
  breather: Breather,
): Promise<MaskedTurn> {
  return gradually(masked(turn, texts), breather);
}

function* masked({ content, role, createdAt }: TurnToMask, texts: RecalledTexts): Steps<MaskedTurn> {
  if (texts.size === 0) return { content, share: 0 };
  const isPerson = role === 'user' || role === 'other';
  const read = (plain: readonly RecalledSource[]) => readLines(content, { texts, plain, before: createdAt });
  let lines = yield* read(isPerson ? ['written'] : ['written', 'said']);
  // A person may well say what memory says too; line after line in memory's words is a paste.
  if (isPerson && lines.filter((line) => !line.isBlank && line.isWhollyRecalled).length < LINES_OF_A_PASTE)
    lines = yield* read([]);
  if (!lines.some(({ hasRecalled }) => hasRecalled)) return { content, share: 0 };
  yield;
  dropCompany(lines, isPerson);
  const words = sum(lines.map((line) => line.words));
  const left = words - sum(lines.map((line) => line.recalledWords));
  return left === 0 ? { content: '', share: 1 } : { content: joined(lines), share: 1 - left / words };
}

function* readLines(content: string, options: Omit<LineOptions, 'continues'>): Steps<MaskedLine[]> {
  const lines: MaskedLine[] = [];
  for (const text of content.split('\n')) {
    const above = lines.at(-1);
    // A pasted turn of several lines has its speaker before the first one.
    const continues = above?.isPasted === true && above.isWhollyRecalled;
    lines.push(yield* MaskedLine.read(text, { ...options, continues }));
    yield;
  }
  return lines;
}

/**
 * Takes the lines that go with recalled ones above or below them: short ones that are held, and what frames a list.
 * From above, and then from below, so that a heading over an introduction goes too.
 */
function dropCompany(lines: readonly MaskedLine[], isPerson: boolean): void {
  const filled = lines.filter(({ isBlank }) => !isBlank);
  for (const [at, line] of filled.entries())
    if (filled[at - 1]?.isWhollyRecalled === true && (line.needsCompany || closesRecalled(line.text)))
      line.drop();
  for (let at = filled.length - 2; at >= 0; at -= 1) {
    const line = filled[at]!;
    if (filled[at + 1]!.isWhollyRecalled && (line.needsCompany || opensRecalled(line.text, { isPerson })))
      line.drop();
  }
}

/** Lines of which nothing is left go, and of several blank ones in a row one stays. */
function joined(lines: readonly MaskedLine[]): string {
  const kept: string[] = [];
  for (const line of lines) {
    if (line.isWhollyRecalled && !line.isBlank) continue;
    const text = line.left();
    if (text.trim() === '' && (kept.length === 0 || kept.at(-1)!.trim() === '')) continue;
    kept.push(text);
  }
  return kept.join('\n').trimEnd();
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
