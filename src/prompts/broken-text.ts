import { entityNameKey, tidy } from '../util/tidy.ts';

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
/** The same words three times in a row, or a short word five times. */
const LOOP = /(.{12,160}?)(?:[\s,;.]*\1){2}|((?<!\p{L})\p{L}{1,11})(?:[\s,;.]+\2(?!\p{L})){4}/u;
const MOST_SEARCHED = 2_000;

/** A text that stands for none: "string", "<name>", "N/A", "…". */
export function isPlaceholder(text: string): boolean {
  const plain = tidy(text.slice(0, MOST_SEARCHED));
  const key = entityNameKey(plain.replace(/^["'“”‘’`*\s]+|["'“”‘’`*.!\s]+$/g, ''));
  return !/[\p{L}\p{N}]/u.test(key) || BRACKETED.test(plain) || PLACEHOLDER.test(key);
}

/**
 * Whether a text of a model has a loop, or marks of chat templates.
 *
 * @param isSaid Whether what the model was given contains a text: what people say of such marks is theirs.
 */
export function isGarbled(text: string, isSaid: (text: string) => boolean): boolean {
  const plain = tidy(text.slice(0, MOST_SEARCHED));
  const mark = MARKUP.exec(plain)?.[0];
  return LOOP.test(plain) || (mark !== undefined && !isSaid(mark));
}

/** Whether a text of a model says nothing: garbled, a placeholder, or a remark that there is nothing to say. */
export function isBroken(text: string, isSaid: (text: string) => boolean): boolean {
  const isRemark = NO_FACT.test(entityNameKey(text.slice(0, MOST_SEARCHED)));
  return isPlaceholder(text) || isRemark || isGarbled(text, isSaid);
}
