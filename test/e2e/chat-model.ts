import type { ChatAsked, Fault, ScriptedServerOptions } from '../fakes/openai-server/script.ts';

/** Words of a message, and what the model does when it has them. */
export const SAY = {
  /** A long answer, a few words at a time: it takes longer than any spec. */
  atLength: 'at length',
  /** A short answer, a few words at a time. */
  slowly: 'slowly',
  markdown: 'in Markdown',
  /** A short answer that cites the first source. */
  withSource: 'with the source',
  /** The server fails. */
  fail: 'fail now',
  /** The connection ends in the middle. */
  cut: 'break off',
} as const;

export const MARKDOWN = `## Plan

| Day | Place |
| --- | ----- |
| Monday | Porto |

\`\`\`js
const answer = 42;
\`\`\`

It follows that $$e = mc^2$$ and *that is all*.

<img src="https://example.org/x.png" onerror="alert(1)"> ![a far picture](https://example.org/far.png)`;

const LONG = Array.from({ length: 6_000 }, (_, at) => `word-${at}`).join(' ');
const SHORT = Array.from({ length: 40 }, (_, at) => `step-${at}`).join(' ');

/** What is asked, without the evidence and the earlier conversation. */
const messageOf = ({ messages }: ChatAsked): string =>
  /<(message[^>]*)>\n?([\s\S]*?)\n?<\/\1>\s*$/.exec(messages.at(-1)?.content ?? '')?.[2] ?? '';

/**
 * A model that does what the message says. Else it notes a sentence, and repeats everything else with a number that no
 * other reply has.
 */
export const CHAT_MODEL: ScriptedServerOptions = {
  reply(asked) {
    const message = messageOf(asked);
    if (message.includes(SAY.markdown)) return MARKDOWN;
    if (message.includes(SAY.slowly)) return SHORT;
    if (message.includes(SAY.withSource)) return 'So you have told me [1].';
    if (message.includes(SAY.atLength) || message.includes(SAY.cut)) return LONG;
    return message.endsWith('.') ? 'Noted.' : `Reply ${asked.number} to “${message}”.`;
  },
  faultOf(asked): Fault | null {
    const message = messageOf(asked);
    if (message.includes(SAY.fail)) return { kind: 'server-error', status: 500 };
    if (message.includes(SAY.cut)) return { kind: 'cut' };
    if (message.includes(SAY.slowly)) return { kind: 'drip', bytes: 200, everyMs: 60 };
    return message.includes(SAY.atLength) ? { kind: 'drip', bytes: 300, everyMs: 20 } : null;
  },
};
