import { entityNameKey, tidy } from '../../../util/tidy.ts';
import { ENTITY_RULES, FACT_RULES, KEEP_RULE } from './reading-rules-prompt.ts';

const SLOT =
  '(?:strings?|statements?|facts?|examples?|sentences?|text|values?|placeholders?|subject|object|relation|predicate|participants?|entity|entities|name|description|summary|keywords?|tags?|person|topic|thing|foo|bar|lorem ipsum)';
/** What a model writes where it has nothing to say, or where it copies the schema. */
const PLACEHOLDER = new RegExp(
  `^(?:(?:an?|the|some|your|my|sample|example|dummy|test|this is|insert|first|second|another) )*${SLOT}(?: ?(?:\\d+|[a-z]|here|goes here|text|name|\\.+))?(?: ${SLOT})*$|^(?:n/?a|nil|null|none|nan|undefined|unknown|empty|blank|todo|tbd|tba|xxx+|true|false|ok|not (?:specified|mentioned|provided|applicable|available|stated|known|given|said))$`,
);
/** The whole in brackets: "<statement>", "[insert fact]", "{{name}}". */
const BRACKETED = /^(?:<[^<>]*>|\[[^[\]]*\]|\{+[^{}]*\}+|_+[^_]*_+|\(\.*\))$/;
const NO_FACT =
  /^(?:as an ai\b|i(?:['’]m| am) (?:sorry|unable)|sorry\b|i can(?:not|['’]t) (?:help|assist|provide|extract|find)|(?:there (?:is|are|was|were) )?no (?:new |relevant |other |explicit )*(?:facts?|information|statements?|data|entities)\b|nothing (?:was|is|to|else)\b|the (?:text|conversation|talk|transcript|segment|input) (?:does|did|do) ?n(?:['’]t|ot) (?:contain|provide|state|mention|include)|here (?:is|are) (?:the|a|your) (?:json|facts?|list|output|result))/;
/** What stands in no sentence: marks of chat templates, of reasoning and of calls. */
const MARKUP =
  /<\|[\w ]{1,40}\|>|<\/?(?:s|think|thinking|tool_call|function|system|assistant|user)>|\[\/?(?:INST|SYS|THINK)\]|◁\/?think▷/i;
const DATA = /```[a-z]*|\{[^{}]*\}|\[[^[\]]*\]|"[^"]{1,60}"\s*:\s*(?:"[^"]*"|[\w.]+)?|[{}[\]]/g;
/** "fact_kind:", "**statement**:", `"statement":` at the beginning. */
const LABEL =
  /^[\s*_"'`{[]*(?:[a-z]+_[a-z_\d]+|statements?|facts?|predicate|participants?|entit(?:y|ies)|keywords?)["'`*_]*\s*[:=]/i;
const FEWEST_WORDS = 2;
/** The same words three times in a row, or a short word five times. */
const LOOP = /(.{12,160}?)(?:[\s,;.]*\1){2}|((?<!\p{L})\p{L}{1,11})(?:[\s,;.]+\2(?!\p{L})){4}/u;
const MOST_SEARCHED = 2_000;
const RULES = entityNameKey([KEEP_RULE, ENTITY_RULES, FACT_RULES].join(' '));
/** A shorter text may occur in the rules by chance. */
const FEWEST_OF_RULES = 20;

/** A text that stands for none: "string", "<name>", "N/A", "…". */
export function isPlaceholder(text: string): boolean {
  const plain = tidy(text.slice(0, MOST_SEARCHED));
  const key = entityNameKey(plain.replace(/^["'“”‘’`*\s]+|["'“”‘’`*.!\s]+$/g, ''));
  return !/[\p{L}\p{N}]/u.test(key) || BRACKETED.test(plain) || PLACEHOLDER.test(key);
}

/**
 * Whether a statement of a model is no sentence about the talk: a placeholder, leaked JSON or markup, a loop, a remark
 * that there is nothing to say, or words of the prompt.
 *
 * @param isSaid Whether the turns contain a text: what people say of JSON is theirs.
 */
export function isGarbage(statement: string, isSaid: (text: string) => boolean): boolean {
  const text = tidy(statement.slice(0, MOST_SEARCHED));
  const key = entityNameKey(text);
  if (isPlaceholder(text) || NO_FACT.test(key) || LOOP.test(text)) return true;
  const bare = key.replace(/^[\s*-]+|[.\s]+$/g, '');
  if (bare.length >= FEWEST_OF_RULES && RULES.includes(bare)) return true;
  const mark = MARKUP.exec(text)?.[0];
  if (mark !== undefined && !isSaid(mark)) return true;
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
