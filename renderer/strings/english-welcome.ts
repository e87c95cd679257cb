/** Texts of the first steps. */
export const welcome = {
  step: (number: number, of: number) => `Step ${number} of ${of}`,
  steps: [
    {
      title: 'A chat that remembers',
      lead: 'Mnemis keeps what you say as a memory with sources, dates and categories. Everything stays on this machine.',
    },
    {
      title: 'Something to remember',
      lead: 'Memory begins empty. It can learn from chats that you have, or you look at that of somebody else first.',
    },
    {
      title: 'Who writes the answers',
      lead: 'Without a language model, answers quote memory word for word, with their sources. A model writes in its own words, and answers what is not in memory.',
    },
  ],
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
  import: { label: 'Bring past chats', note: 'From ChatGPT, Claude, WhatsApp, Telegram or notes.' },
  local: { label: 'Run a model on this computer', note: 'No key and no server. 1 to 5 GB, once.' },
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
  none: { label: 'No model', note: 'You can choose one at any time, in the settings.' },
  key: {
    label: 'Use a service or a server',
    note: 'OpenAI, Anthropic, Gemini and others with a key, or LM Studio and llama.cpp.',
  },
  next: 'Next',
  skip: 'Skip this step',
  back: 'Back',
  importLater: 'Your chats can be brought in once the model is set.',
  startImport: 'Choose the chats',
  start: 'Start chatting',
} as const;
