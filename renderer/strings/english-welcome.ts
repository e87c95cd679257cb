/** Texts of the first steps. */
export const welcome = {
  title: 'A chat that remembers',
  lead: 'Mnemis keeps what you say as a memory with sources, dates and categories. Everything stays on this machine.',
  name: 'What shall memory call you?',
  nameHint: 'Optional. You can change it in the settings.',
  namePlaceholder: 'Your name',
  sample: {
    button: 'Try it with a sample memory',
    note: 'Somebody else’s chats, in a memory of their own. Yours stays empty.',
    loading: 'Preparing the sample…',
    ready: (turns: number) => `The sample has ${turns.toLocaleString()} turns. Ask it something:`,
    conversation: 'Sample memory',
  },
  more: 'When you like',
  moreNote: 'Mnemis works without any of these.',
  import: { label: 'Bring past chats', note: 'From ChatGPT, Claude, WhatsApp, Telegram or notes.' },
  ollama: {
    label: 'Use Ollama',
    found: (models: number) =>
      models === 1
        ? 'It runs on this machine, with 1 model.'
        : `It runs on this machine, with ${models} models.`,
    empty: 'It runs on this machine, without a model yet.',
    missing: 'It does not answer on this machine now. Start it, and choose it in the settings.',
    looking: 'Looking for it on this machine…',
  },
  compatible: { label: 'Use another server', note: 'LM Studio, llama.cpp, vLLM or a gateway.' },
  key: { label: 'Use a key', note: 'A model of OpenAI. What you ask is sent there.' },
  start: 'Start chatting',
} as const;
