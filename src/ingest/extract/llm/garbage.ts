import { isBroken } from '../../../prompts/broken-text.ts';
import { entityNameKey, tidy } from '../../../util/tidy.ts';
import { ENTITY_RULES, FACT_RULES, KEEP_RULE } from './reading-rules-prompt.ts';

const DATA = /```[a-z]*|\{[^{}]*\}|\[[^[\]]*\]|"[^"]{1,60}"\s*:\s*(?:"[^"]*"|[\w.]+)?|[{}[\]]/g;
/** "fact_kind:", "**statement**:", `"statement":` at the beginning. */
const LABEL =
  /^[\s*_"'`{[]*(?:[a-z]+_[a-z_\d]+|statements?|facts?|predicate|participants?|entit(?:y|ies)|keywords?)["'`*_]*\s*[:=]/i;
const FEWEST_WORDS = 2;
const RULES = entityNameKey([KEEP_RULE, ENTITY_RULES, FACT_RULES].join(' '));
/** A shorter text may occur in the rules by chance. */
const FEWEST_OF_RULES = 20;
const MOST_COMPARED = 2_000;

/** Whether a text about the turns is none: broken, or words of the prompt. @param isSaid As `isBroken` takes it. */
export function isNoProse(text: string, isSaid: (text: string) => boolean): boolean {
  const bare = entityNameKey(text.slice(0, MOST_COMPARED)).replace(/^[\s*-]+|[.\s]+$/g, '');
  return isBroken(text, isSaid) || (bare.length >= FEWEST_OF_RULES && RULES.includes(bare));
}

/**
 * Whether a statement of a model is no sentence about the talk: no prose, leaked JSON, or a single word.
 *
 * @param isSaid Whether the turns contain a text: what people say of JSON is theirs.
 */
export function isGarbage(statement: string, isSaid: (text: string) => boolean): boolean {
  if (isNoProse(statement, isSaid)) return true;
  const text = tidy(statement.slice(0, MOST_COMPARED));
  if (!/[{}[\]`":=]/.test(text)) return !/\s/.test(text) && !isUnspaced(text);
  const prose = text.replace(DATA, ' ').match(/[\p{L}\p{N}'’]+/gu) ?? [];
  return LABEL.test(text) || (prose.length < FEWEST_WORDS && !isUnspaced(text));
}

/** Scripts without spaces between words. */
function isUnspaced(text: string): boolean {
  return /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u.test(
    text,
  );
}
