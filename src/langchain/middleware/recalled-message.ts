import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { DATA_RULE } from '../../prompts/as-data.ts';

/** Goes to the system message: the data itself stands among the messages, where it has no authority. */
export const RECALL_RULE = `${DATA_RULE} Before the user's message may stand, in such tags, what memory holds on it: numbered lines, whose further lines begin with "|". Take from it what helps; of lines that contradict each other the latest counts. Do not speak of memory unless you are asked.`;

const OPENING = 'From memory, on the message that follows:';

/** The messages of a call with what was recalled before the message that it was recalled for. They stay as they are. */
export function withRecalled(
  messages: readonly BaseMessage[],
  recalled: string,
  questions: readonly BaseMessage[],
): BaseMessage[] {
  const named = questions[0] === undefined ? -1 : messages.indexOf(questions[0]);
  const place = named >= 0 ? named : messages.findLastIndex(({ type }) => type === 'human');
  if (place < 0) return [...messages];
  const message = new HumanMessage({ content: `${OPENING}\n${recalled}` });
  return [...messages.slice(0, place), message, ...messages.slice(place)];
}
