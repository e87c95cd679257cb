import { z } from 'zod';
import { InvalidInputError } from '../../errors/index.ts';
import { LONGEST_RULE, MOST_RULES } from './defaults.ts';
import { foldText } from './recalled-texts.ts';

/** A phrase or, when set by a program, a regular expression. */
export type NeverRememberRule = string | RegExp;
/** The zero-based index of the first rule that one of the texts violates; null if none is violated. */
export type NeverRemember = (texts: readonly string[]) => number | null;
/** Maximum number of characters that a regular expression is tested on, because its time may not be linear. */
const READ_BY_EXPRESSIONS = 20_000;

const HAS_CONTENT = /[^\s\p{Default_Ignorable_Code_Point}]/u;
const phraseSchema = z
  .string({ error: 'is missing or not a text' })
  .trim()
  .min(1, 'is empty')
  .max(LONGEST_RULE, `must have at most ${LONGEST_RULE} characters`)
  .refine((phrase) => HAS_CONTENT.test(phrase), 'is empty');

/** Schema of the setting `neverRemember`: a list of phrases. Its messages do not repeat them. */
export const neverRememberSchema = z
  .array(phraseSchema, { error: 'is not a list of phrases' })
  .min(1, 'is empty')
  .max(MOST_RULES, `must have at most ${MOST_RULES} rules`);

/**
 * Compiles rules for what the user never wants to be remembered. A phrase matches whole words regardless of case,
 * Unicode form and white space between them; in scripts without spaces between words it matches anywhere. A regular
 * expression is tested on the unchanged text, without its flags `g` and `y`.
 *
 * @throws InvalidInputError for a rule that is empty or too long, an expression that matches even an empty text, and
 * more than 200 rules.
 */
export function compileNeverRemember(rules: readonly NeverRememberRule[]): NeverRemember {
  if (rules.length > MOST_RULES)
    throw new InvalidInputError(`neverRemember must have at most ${MOST_RULES} rules`);
  const compiled = rules.map((rule, index) =>
    typeof rule === 'string' ? phraseTest(rule, index) : expressionTest(rule, index),
  );
  return (texts) => {
    const prepared = texts.map((raw) => ({ raw, folded: folded(raw) }));
    const broken = compiled.findIndex((breaks) => prepared.some(breaks));
    return broken < 0 ? null : broken;
  };
}

/** Names a rule for a rejection reason without the turn's text or the rule's words: "rule 2 of neverRemember". */
export function describeRule(index: number): string {
  return `rule ${index + 1} of neverRemember`;
}

interface PreparedText {
  readonly raw: string;
  readonly folded: string;
}
type RuleTest = (text: PreparedText) => boolean;

function expressionTest(rule: RegExp, index: number): RuleTest {
  const expression = new RegExp(rule.source, rule.flags.replace(/[gy]/g, ''));
  if (expression.test('')) throw new InvalidInputError(`${describeRule(index)} matches every text`);
  return ({ raw }) => expression.test(raw.slice(0, READ_BY_EXPRESSIONS));
}

function phraseTest(rule: string, index: number): RuleTest {
  const parsed = phraseSchema.safeParse(rule);
  if (!parsed.success)
    throw new InvalidInputError(`${describeRule(index)} ${parsed.error.issues[0]!.message}`);
  const phrase = folded(parsed.data);
  return ({ folded: text }) => holdsPhrase(text, phrase);
}

/** Collapses runs of white space, and removes it at both ends. */
function folded(text: string): string {
  return foldText(text).replace(/\s+/g, ' ').trim();
}

const CHARACTER = String.raw`[\p{L}\p{M}\p{N}_]`;
const SPACELESS = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]`;
const LAST_CHARACTER = new RegExp(`${CHARACTER}$`, 'u');
const FIRST_CHARACTER = new RegExp(`^${CHARACTER}`, 'u');
const LAST_SPACELESS = new RegExp(`${SPACELESS}$`, 'u');
const FIRST_SPACELESS = new RegExp(`^${SPACELESS}`, 'u');

function holdsPhrase(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    const before = text.slice(Math.max(0, at - 2), at);
    const after = text.slice(at + phrase.length, at + phrase.length + 2);
    if (isEdge(before, phrase) && isEdge(phrase, after)) return true;
  }
  return false;
}

/** Whether a word may end between two texts. */
function isEdge(left: string, right: string): boolean {
  if (!LAST_CHARACTER.test(left.slice(-2)) || !FIRST_CHARACTER.test(right.slice(0, 2))) return true;
  // A combining mark belongs to the character before it, in every script.
  if (/^\p{M}/u.test(right)) return false;
  return LAST_SPACELESS.test(left.slice(-2)) || FIRST_SPACELESS.test(right.slice(0, 2));
}
