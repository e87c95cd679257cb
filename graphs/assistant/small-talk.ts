/** Said to who asks what this is. */
const WHAT_IT_IS = [
  'I remember. Tell me something, or import your chats and documents, and ask about it later: who somebody is, what was said and when, what changed. Every answer shows its sources, and what you forget is gone.',
  'Without a language model I answer by quoting what I found. With one, I also write, explain and talk; choose it in Settings, Model.',
].join('\n\n');

/** Courtesies that hold nothing to look up or to remember, with what is said back. */
const COURTESIES: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:hi|hello|hey|hiya|hallo|good (?:morning|afternoon|evening|day))(?: (?:there|again|mnemis|all))?$/,
    'Hello. Ask me about what you have told me or imported, or tell me something to remember.',
  ],
  [
    /^(?:thanks|thank you|thx|ty|cheers|many thanks)(?: (?:a lot|a ton|so much|very much|again|mnemis|for that|for your help))?$/,
    'You are welcome.',
  ],
  [/^(?:bye|goodbye|bye bye|good night|see you(?: (?:later|soon|tomorrow))?)$/, 'Goodbye.'],
  [
    /^(?:ok|okay|k|great|cool|nice|perfect|fine|alright|all right|got it|i see|sounds good|well done)$/,
    'Good.',
  ],
  [
    /^how are you(?: doing)?(?: today)?$/,
    'Ready. Ask me about what you have told me or imported, or tell me something to remember.',
  ],
  [
    /^(?:so )?(?:what (?:can|do) (?:you|i) do(?: (?:here|for me|with (?:you|this)))?|what are you(?: able to do)?|who are you|what is (?:this|mnemis)|whats (?:this|mnemis)|how (?:do|does|can) (?:you|this|it|i use (?:you|this|it)) ?(?:work|help(?: me)?)?|what can i ask(?: you)?|help|help me)$/,
    WHAT_IT_IS,
  ],
];

/** The reply to a message that is a courtesy and nothing else; null for every other message. */
export function replyToSmallTalk(text: string): string | null {
  const parts = text
    .toLowerCase()
    .split(/[.!?,;:\n]+/)
    .map((part) =>
      part
        .replaceAll(/[^\p{L}\p{N}\s]/gu, '')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((part) => part !== '');
  // "Great, thanks!" is answered as its last part.
  const replies = parts.map((part) => COURTESIES.find(([pattern]) => pattern.test(part))?.[1]);
  if (replies.length === 0 || replies.includes(undefined)) return null;
  return replies.at(-1) ?? null;
}
