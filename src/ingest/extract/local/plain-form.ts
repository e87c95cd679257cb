const NAME = "\\p{Lu}[\\p{L}\\p{M}'’-]+(?: \\p{Lu}[\\p{L}\\p{M}'’-]+){0,2}";
const OWNED =
  "(?:[Mm]y|[Oo]ur|[Tt]he user['’]s|\\p{Lu}[\\p{L}\\p{M}-]+['’]s) (?:\\p{Ll}[\\p{L}-]* ){0,2}?\\p{Ll}[\\p{L}-]*";
const VERB =
  '(?=(?:is|was|has|had|will|can|does|did|just|also|recently|never|always|now|got|went|took|made|left|came|\\p{Ll}{2,}(?:s|ed))(?![\\p{L}-]))';

const NAMED_BETWEEN = new RegExp(`^(${OWNED}), (?:called |named )?(${NAME}), ${VERB}`, 'u');
const NAMED_BEFORE = new RegExp(`^(${NAME}), (${OWNED}), ${VERB}`, 'u');
const TO_BE_CALLED =
  /^(?:(?:please|just|you can|you may|everyone|everybody|people|friends|my friends|they) )*calls? me (\p{Lu}[\p{L}\p{M}'’-]*)(?:,? (?:please|from now on|instead|for short))?[.!]*$/iu;
const SET =
  /^(?:(?:please|can you|could you|kindly) )*(?:update|change|set|correct) (my [\p{L}][\p{L}\p{N} '’-]{1,40}?) (?:from .{1,60}? )?to (?:be )?(.{1,80}?)(?:,? please)?[.!]*$/iu;

const TOLD =
  /^(?:(?:please )?(?:remember|note|keep in mind|do(?:n['’]t| not) forget|save|memorize)(?: that|:|,)|(?:FYI|for the record|just so you know|by the way|btw)[:,]?(?: that)?) (?=(?:my|our|I|I['’]m|we|the|\p{Lu}\p{L}*)(?![\p{L}]))/iu;

/**
 * A statement in the order that the reader knows: "My wife, Eva, is a nurse" as "My wife Eva is a nurse", "Call me Al"
 * and "Update my title to lead" as the attributes that they state.
 */
export function plainForm(text: string): string {
  return text
    .replace(TOLD, '')
    .replace(NAMED_BETWEEN, (_, owned: string, name: string) => `${owned} ${name} `)
    .replace(NAMED_BEFORE, (_, name: string, owned: string) => `${owned} ${name} `)
    .replace(TO_BE_CALLED, (_, name: string) => `My nickname is ${name}`)
    .replace(SET, (_, noun: string, value: string) => `${noun} is now ${value}`);
}
