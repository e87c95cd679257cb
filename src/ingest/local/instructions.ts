const ROLE_LABEL =
  /^\W{0,4}(?:(?:system|assistant|developer|root)(?: (?:prompt|message|note|update))?|(?:admin|new|hidden|important|updated|secret) (?:system |admin )?(?:prompt|message|instructions?|override|command|rule)s?)\W{0,3}:/i;
const TEMPLATE_MARK =
  /<\|[\w ]{1,40}\|>|\[\/?(?:INST|SYS|SYSTEM)\]|<<\/?SYS>>|<\/?(?:system|assistant|instructions?|prompt|developer)>|^#{2,} ?(?:system|instructions?|prompt)\b/i;
const OVERRIDE =
  /\b(?:ignore|disregard|forget|override|bypass|skip)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|other|your|these|those|system)\b.{0,20}\b(?:instructions?|prompts?|rules?|guidelines?|directions?|orders?|context|programming)\b/i;
const RESET =
  /\b(?:delete|erase|wipe|purge|clear|drop|forget|overwrite|reset)\b.{0,12}\b(?:all|every|everything|your|the (?:whole|entire))\b.{0,30}\b(?:memor(?:y|ies)|records?|data|database|facts?|(?:told|know|stored|saved|learned))\b/i;
const NEW_IDENTITY =
  /\b(?:you are now|act as|pretend (?:to be|you are)|switch to|enter|enable|activate)\b.{0,30}\b(?:mode|unrestricted|jailbroken|jailbreak|dan|root|admin(?:istrator)?|superuser|without (?:any )?(?:rules|restrictions|filters?))\b/i;
const AS_MEMORY =
  /\b(?:store|save|record|write|insert|add|put)\b.{0,25}\b(?:as (?:a )?(?:fact|memory|truth)|(?:in|into|to) (?:your|the|long-term) memory)\b/i;
const COMMANDS = [ROLE_LABEL, TEMPLATE_MARK, OVERRIDE, RESET, NEW_IDENTITY, AS_MEMORY];
/** Nearly every turn ends here, at the price of one search. */
const MAY_COMMAND =
  /system|assistant|developer|\broot\b|admin|prompt|instruct|rule|guideline|direction|order|context|programming|memor|records?\b|\bdata|\bfacts?\b|\b(?:forget|erase|wipe|delete|reset|clear)\b|\bmode\b|restrict|jailb|command|<\||\[\/?INST|<</i;
/** Where a command says what it is. */
const LONGEST_COMMAND = 400;

/**
 * A text's lines up to where they begin to command whoever reads them ("ignore all previous instructions",
 * "SYSTEM: …"). What a command claims is no statement of the speaker's; its words stay in the turn.
 */
export function withoutInstructions(content: string): string {
  if (!MAY_COMMAND.test(content)) return content;
  return content.split('\n').map(beforeCommand).join('\n');
}

function beforeCommand(line: string): string {
  if (!MAY_COMMAND.test(line)) return line;
  let start = 0;
  for (const sentence of line.split(/(?<=[.!?]["')\]]{0,2})(?=\s)/)) {
    if (COMMANDS.some((command) => command.test(sentence.trim().slice(0, LONGEST_COMMAND))))
      return line.slice(0, start);
    start += sentence.length;
  }
  return line;
}
