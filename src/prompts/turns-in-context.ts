import { asLabel, DATA, fence } from './as-data.ts';
import { type PromptTurn, renderEarlierTurns, renderTurns, TURNS_FORM } from './render-turns.ts';

/** Turns to be read, and those just before them, which "she" and "there" may point to (Mnemis §2.1). */
export interface TurnsInContext {
  readonly turns: readonly PromptTurn[];
  /** The oldest first. They have been read already. */
  readonly recent?: readonly PromptTurn[] | undefined;
}

const LONGEST_NAME = 100;
const LONGEST_STATEMENT = 300;

/** What the prompts say of the form that `contextPart` and `renderTurns` give. */
export const CONTEXT_FORM = `${TURNS_FORM} Turns with "-" for a number came before; they only explain the numbered ones.`;

/** The turns to be read, after those before them. */
export function contextPart({ turns, recent = [] }: TurnsInContext): string {
  const before = recent.length === 0 ? '' : `Before:\n${fence(DATA, renderEarlierTurns(recent))}\n`;
  return `${before}Turns to read:\n${fence(DATA, renderTurns(turns))}`;
}

/** A numbered list of names under a heading. */
export function namesPart(heading: string, names: readonly string[]): string {
  return listPart(
    heading,
    names.map((name) => asLabel(name, LONGEST_NAME)),
  );
}

/** A numbered list of statements under a heading. */
export function statementsPart(heading: string, statements: readonly string[]): string {
  return listPart(
    heading,
    statements.map((statement) => asLabel(statement, LONGEST_STATEMENT)),
  );
}

function listPart(heading: string, lines: readonly string[]): string {
  return `${heading}:\n${fence(DATA, lines.map((line, at) => `${at + 1} ${line}`).join('\n'))}`;
}
