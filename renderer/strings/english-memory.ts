import { counted } from './counted.ts';

interface LeadParts {
  readonly by: readonly string[];
  readonly pieces: number;
  readonly cited: number;
  readonly took: string;
}

interface FoundCounts {
  readonly episodes: number;
  readonly facts: number;
  readonly entities: number;
}

const list = new Intl.ListFormat('en', { type: 'conjunction' });
const listed = (parts: readonly string[]): string => list.format(parts);
/** Texts of the memory screens and panels. */
export const memory = {
  /** Speakers who have no name of their own. */
  speakers: { user: 'You', assistant: 'Mnemis' } as Readonly<Record<string, string | undefined>>,
  terms: {
    cited: 'The answer refers to it by this number.',
    tokens: 'How much text that is. A token is about three quarters of a word.',
    recipe: 'The plan of the search: which routes run, and how their results are combined.',
    score: 'The fused score of all routes. It compares only with the others of this list.',
    forgotten: 'Memory has forgotten this. Its words are gone.',
    pinned: 'You pinned it: nothing newer replaces it.',
    pin: 'Nothing newer replaces it',
    confidence: (percent: number) => `Memory is ${percent} % sure of it.`,
  },
  routes: {
    system1: {
      name: 'Similarity',
      by: 'similarity',
      about:
        'Compares the question with every turn and fact: by the words they share, and by what they mean.',
    },
    system2: {
      name: 'Categories',
      by: 'the categories',
      about: 'Walks down the tree of categories, from general to specific, and takes what it leads to.',
    },
    pagerank: {
      name: 'Connections',
      by: 'connections',
      about:
        'Starts from what the question is about and follows its connections. What many paths reach counts more.',
    },
    topics: {
      name: 'Topics',
      by: 'topics',
      about: 'Finds the passages of conversations with the nearest topic, and reads their turns.',
    },
    traversal: {
      name: 'Paths',
      by: 'paths between things',
      about: 'Follows chains of facts between the people and things of the question.',
    },
    rerank: {
      name: 'Second reading',
      by: 'a second reading',
      about: 'A model read the best candidates together with the question, and sorted them again.',
    },
  } as Readonly<
    Record<string, { readonly name: string; readonly by: string; readonly about: string } | undefined>
  >,
  lists: {
    'lexical+vector': {
      name: 'Words and meaning',
      about: 'Words that it shares with the question, and how near its meaning is.',
    },
    lexical: { name: 'Words', about: 'Words that it shares with the question.' },
    vector: { name: 'Meaning', about: 'How near its meaning is to the question.' },
    selection: { name: 'Categories', about: 'Reached by walking down the categories.' },
    members: { name: 'Category members', about: 'Belongs to a category that was taken as a whole.' },
    pagerank: { name: 'Connections', about: 'Many paths from the question lead to it.' },
    topics: { name: 'Topics', about: 'Was said in a passage with a near topic.' },
    'a-star': { name: 'Paths', about: 'Lies on a path between things of the question.' },
    'water-circles': { name: 'Surroundings', about: 'Lies around the things of the question.' },
    'beam-search': { name: 'Paths', about: 'Lies on a chain of facts near to the question.' },
    facts: { name: 'Its facts', about: 'A fact that rests on it was found.' },
    entities: { name: 'Its names', about: 'It mentions something that was found.' },
  } as Readonly<Record<string, { readonly name: string; readonly about: string } | undefined>>,
  rank: (rank: number) => `#${rank}`,
  why: {
    lead: ({ by, pieces, cited, took }: LeadParts) =>
      `Found by ${listed(by)}: ${counted(pieces, 'piece')} of evidence, ${
        cited === 0 ? 'none cited' : `${cited} cited`
      }, in ${took}.`,
    nothing: 'Memory has nothing that fits this question.',
    nothingText: 'The answer rests on the conversation alone. This is where memory looked:',
    private: 'Memory was not asked.',
    privateText: 'This message was private, or was answered without memory: nothing was looked up.',
    older: 'Nothing is known of this search.',
    olderText: 'The answer is from another version, or its record was removed with what memory forgot.',
    question: 'Question',
    chart: (pieces: number, cited: readonly number[]) =>
      cited.length === 0
        ? `${counted(pieces, 'piece')} of evidence by score; none is cited.`
        : `${counted(pieces, 'piece')} of evidence by score; cited are those at ${
            cited.length === 1 ? 'place' : 'places'
          } ${listed(cited.map(String))}.`,
    routes: 'Where it looked',
    found: ({ episodes, facts, entities }: FoundCounts) =>
      listed([
        ...(episodes > 0 ? [counted(episodes, 'turn')] : []),
        ...(facts > 0 ? [counted(facts, 'fact')] : []),
        ...(entities > 0 ? [counted(entities, 'name')] : []),
      ]),
    ends: {
      found: 'Found',
      nothing: 'Found nothing',
      skipped: 'Not needed',
      late: 'Took too long; left out',
      failed: 'Failed; left out',
    } as Readonly<Record<string, string | undefined>>,
    walk: 'The way through the categories',
    layer: (layer: number, top: number) => {
      if (layer === 0) return 'People and things';
      if (top === 1) return 'Categories';
      if (layer === top) return 'Broad categories';
      return layer === 1 ? 'Narrow categories' : `Categories, layer ${layer}`;
    },
    offered: (offered: number, picked: number) => `${offered} offered, ${picked} picked`,
    all: 'with everything below it',
    morePicks: (count: number) => `+${count} more`,
    others: (others: number) => counted(others, 'other was passed by', 'others were passed by'),
    reached: (entities: number, categories: number) =>
      `Reached ${listed([
        ...(entities > 0 || categories === 0
          ? [counted(entities, 'person or thing', 'people and things')]
          : []),
        ...(categories > 0 ? [counted(categories, 'whole category', 'whole categories')] : []),
      ])}.`,
    walkEnds: {
      'no-picks': 'No category fitted further.',
      'no-hierarchy': 'Memory has no categories yet. They grow as it learns more.',
      'no-model': 'This plan needs a language model to choose, and none is set.',
      failed: 'The walk failed and was left out.',
    } as Readonly<Record<string, string | undefined>>,
    evidence: 'The evidence',
    cited: (number: number) => `Cited as ${number}`,
    place: (rank: number) => `Place ${rank}`,
    citedOnes: 'Cited in the answer',
    otherOnes: 'Also shown, not cited',
    forgotten: 'Forgotten',
    open: (text: string) => `Open the source: ${text}`,
    voteScore: (score: string) => `Score there: ${score}`,
    kinds: { episode: 'Turn', fact: 'Fact', entity: 'About' },
    foot: (tokens: string, recipe: string) => `${tokens} tokens of evidence · plan “${recipe}”`,
    leftOut: (count: number) => `${counted(count, 'further piece')} of evidence had no room.`,
    showAll: (count: number) => `Show all ${count}`,
  },
  source: {
    gone: 'This turn is no longer in memory.',
    goneText: 'It was forgotten, and everything that rested on it alone.',
    names: {
      assistant: 'A chat',
      note: 'Notes',
      chatgpt: 'ChatGPT',
      claude: 'Claude',
      whatsapp: 'WhatsApp',
      telegram: 'Telegram',
      gemini: 'Gemini',
      'saved-memories': 'Saved memories',
      messages: 'Messages',
      'claude-code': 'Claude Code',
      codex: 'Codex',
      'open-webui': 'Open WebUI',
      librechat: 'LibreChat',
      'lm-studio': 'LM Studio',
      jan: 'Jan',
      'cherry-studio': 'Cherry Studio',
      slack: 'Slack',
      discord: 'Discord',
      signal: 'Signal',
      imessage: 'iMessage',
      table: 'Tables',
      mem0: 'Mem0',
      graphiti: 'Graphiti',
      'server-memory': 'An agent, over MCP',
      cursor: 'Cursor',
      opencode: 'OpenCode',
      openclaw: 'OpenClaw',
      mcp: 'An agent, over MCP',
      'remember-tool': 'An agent',
      demo: 'The sample',
      markdown: 'Notes',
      text: 'Text files',
      pdf: 'PDF',
      html: 'HTML',
      docx: 'Word',
      csv: 'Tables',
      jsonl: 'JSON lines',
      api: 'Logs and programs',
    } as Readonly<Record<string, string | undefined>>,
    from: (source: string) => `From ${source}`,
    place: (index: number, total: number) => `Turn ${index} of ${total}`,
    openConversation: 'Open in its conversation',
    earlier: (count: number) => counted(count, 'earlier turn'),
    later: (count: number) => counted(count, 'later turn'),
    session: 'The conversation around it',
    this: 'The source',
    attachment: 'Attachment',
    facts: 'What memory made of it',
    noFacts: 'No fact rests on this turn.',
    copy: 'Copy',
    copied: 'Copied',
    forget: 'Forget this turn',
    replaced: 'This version was replaced by a newer one.',
  },
  forget: {
    title: 'Forget this?',
    titleMany: 'Forget this exchange?',
    sentence: 'Take back this sentence',
    ways: {
      correct: { label: 'Correct it', note: 'Memory believes your words in its place.' },
      hide: { label: 'It is wrong', note: 'Memory no longer believes it, and can again.' },
      forget: { label: 'Forget it', note: 'It goes for good, with what was said.' },
    },
    hide: 'Hide it',
    counting: 'Counting what rests on it…',
    goes: 'This goes, for good:',
    kinds: {
      episode: ['turn', 'turns'],
      fact: ['fact', 'facts'],
      entity: ['person or thing', 'people and things'],
      correction: ['correction of yours', 'corrections of yours'],
      item: ['item', 'items'],
    } as Readonly<Record<string, readonly [string, string] | undefined>>,
    kind: (count: number, [one, many]: readonly [string, string]) => counted(count, one, many),
    derived: (count: number) =>
      `${counted(count, 'entry', 'entries')} made from it: summaries, descriptions, vectors`,
    vanishing: (names: readonly string[], more: number) =>
      `Memory will no longer know ${listed([...names, ...(more > 0 ? [`${more} more`] : [])])}.`,
    reread: (turns: number) =>
      `${counted(turns, 'turn that stays', 'turns that stay')} will be read again without it.`,
    quoted: (total: number) => (total === 1 ? 'Another turn quotes it:' : `${total} other turns quote it:`),
    quotations: 'Forget these quotations too',
    confirm: 'Forget',
    steps: {
      removing: 'Removing…',
      checking: 'Checking that nothing is left…',
    },
    done: 'Forgotten',
    clean: (searched: number) =>
      `Proof: memory was searched for ${counted(searched, 'text')}, and none is left.`,
    unclean: (findings: number) =>
      `${counted(findings, 'place')} may still hold some of the text. Start the app again, then forget once more.`,
    notChecked: 'Everything was removed. The search for remaining text could not be completed.',
    onDisk: 'The file on disk keeps removed data until it is compacted.',
    onDiskPlace: 'Erase it from the disk',
  },
  learned: {
    facts: 'Facts that it learned',
    turns: 'What was said',
    reading: 'Still reading…',
    readingText: (pending: number) =>
      `${counted(pending, 'turn waits', 'turns wait')} to be read for facts. They appear here.`,
    none: 'No facts',
    noneText:
      'Memory keeps what was said and finds it again. It holds no lasting fact, as far as it can tell.',
    gone: 'Nothing of this exchange is in memory.',
    goneText: 'It was forgotten, or never remembered.',
    undoAll: 'Forget all of this',
    corrections: 'Corrected by you',
    waiting: 'waits to be read',
    forgetTurn: (text: string) => `Forget the turn “${text}”`,
  },
  fact: {
    since: (date: string) => `since ${date}`,
    until: (date: string) => `until ${date}`,
    between: (from: string, to: string) => `${from} to ${to}`,
    on: (date: string) => `on ${date}`,
    in: (date: string) => `in ${date}`,
    told: (date: string) => `told on ${date}`,
    takeBack: 'Correct or take back…',
    editLabel: 'The fact, as it should be',
    pin: 'Pin',
    unpin: 'Unpin',
    pinned: 'Pinned',
    unsure: 'unsure',
    edited: 'Edited',
    rejectedText: 'Memory no longer believes it.',
    actions: (statement: string) => `Actions for “${statement}”`,
    source: 'Source',
    sources: 'Sources',
    sourceNumber: (number: number) => `Source ${number}`,
    moreSources: (count: number) => `+${count}`,
    done: {
      edit: 'Corrected.',
      reject: 'Rejected. Memory no longer believes it.',
      pin: 'Pinned.',
      unpin: 'No longer pinned.',
      undo: 'Undone.',
    },
  },
  bar: {
    label: 'Memory',
    places: {
      memory: 'People',
      browse: 'Browse',
      timeline: 'Timeline',
      compare: 'Compare',
      review: 'Review',
      forget: 'Forget',
    },
  },
  portrait: {
    question: 'What do you know about me?',
    questionOther: (name: string) => `What do you know about ${name}?`,
    since: (date: string) => `since ${date}`,
    facts: (count: string) => `${count} facts`,
    fact: '1 fact',
    turns: (count: string) => `${count} turns`,
    turn: '1 turn',
    scope: 'Memory of',
    defaultScope: 'Everyday chats',
    /** Scopes that the app makes itself. */
    scopes: { sample: 'The sample' } as Readonly<Record<string, string | undefined>>,
    people: 'People',
    peopleMore: 'More people',
    you: 'you',
    search: 'Search in this page',
    noHits: (query: string) => `Nothing here contains “${query}”.`,
    earlier: 'Earlier',
    earlierText: (count: number) => `${counted(count, 'fact')} that held once, or whose time is over`,
    showMore: (count: number) => `And ${count} more`,
    showLess: 'Show less',
    notListed: (count: number) =>
      `${counted(count, 'further fact is', 'further facts are')} not listed here. Ask for them in a chat.`,
    reading: (pending: number) =>
      `${counted(pending, 'turn waits', 'turns wait')} to be read; facts will follow.`,
    emptyTitle: 'Nothing yet, and that is fine',
    emptyText:
      'Memory fills as you talk. What you say is kept as you said it, with its date; facts are read from it in the background, each with its source.',
    emptySteps: [
      ['Talk', 'Tell it something about yourself, in any chat that is not private.'],
      ['Bring the past', 'Import chats and notes that you have already.'],
      ['Correct it', 'What is wrong, you edit or reject here. Nothing is hidden.'],
    ],
    emptyChat: 'Start a chat',
    emptyImport: 'Import chats',
    nobody: 'Memory has turns, but knows nobody by name yet.',
    nobodyText: 'Facts about people appear once their turns are read.',
    unknown: (name: string) => `Memory has turns, but no fact about ${name} yet.`,
    unknownText: 'What it learned about others and about things is under “Recent changes”.',
  },
  feed: {
    title: 'Recent changes',
    none: 'Nothing has changed yet.',
    more: 'Show earlier changes',
    stored: (turns: number) => `Heard ${counted(turns, 'turn')}`,
    storedIn: (session: string) => `in “${session}”`,
    learned: (facts: number) => (facts === 1 ? 'Learned' : `Learned ${facts} facts`),
    met: (names: readonly string[], more: number) =>
      `First heard of ${listed([...names, ...(more > 0 ? [`${more} more`] : [])])}`,
    superseded: 'Replaced',
    by: 'by',
    withdrawn: 'No longer believes',
    corrected: {
      'edit-fact': 'Edited by',
      'reject-fact': 'Rejected by',
      'pin-fact': 'Pinned by',
      'edit-profile': 'Profile edited by',
    } as Readonly<Record<string, string | undefined>>,
    correctedOther: 'Corrected by',
    merged: 'Merged by',
    split: 'Split by',
    undone: 'Correction undone by',
    you: 'you',
    forgot: (turns: number) => `Forgot ${counted(turns, 'turn')} and what rested on them`,
    forgotOther: 'Forgot something',
    retained: (turns: number) => `Removed ${counted(turns, 'turn')} past their time`,
    rederived: 'Read what remains again',
    restored: 'Restored from an export',
    andMore: (count: number) => `and ${count} more`,
  },
} as const;

/** Texts of the command palette. */
export const palette = {
  label: 'Search and commands',
  placeholder: 'Search everything, or type a command',
  recent: 'Recent',
  commands: 'Commands',
  results: 'Found',
  filter: 'What to search',
  filters: {
    all: 'All',
    chats: 'Chats',
    messages: 'Messages',
    facts: 'Facts',
    people: 'People and things',
    categories: 'Categories',
    files: 'Files',
    commands: 'Commands',
  },
  kinds: {
    chat: 'Chat',
    session: 'Imported chat',
    message: 'Message',
    turn: 'Message',
    fact: 'Fact',
    entity: 'Person or thing',
    category: 'Category',
    file: 'File',
  },
  near: 'near in meaning',
  nothing: 'Nothing has these words.',
  found: (count: number) => `${count} found`,
  ask: (question: string) => `Ask: ${question}`,
  askGroup: 'Ask',
  askHint: 'in a new chat',
  searching: 'Searching…',
  help: { move: 'to move', open: 'to open', filter: 'to filter', close: 'to close' },
  newChat: 'New chat',
  newPrivate: 'New private chat',
  memory: 'What memory knows about me',
  import: 'Import chats and notes',
  places: {
    browse: 'Browse memory',
    timeline: 'Timeline of memory',
    compare: 'Ask and compare',
    review: 'Review memory',
    forget: 'Forget',
  },
  side: 'Show or hide the sidebar',
  light: 'Light theme',
  dark: 'Dark theme',
  system: 'Theme of the system',
  settings: (section: string) => `Settings: ${section}`,
  /** Other words by which commands are found. */
  also: {
    newChat: 'conversation begin start',
    private: 'incognito secret temporary',
    memory: 'portrait facts remembered people',
    import: 'upload files chatgpt claude whatsapp telegram',
    settings: 'preferences options',
    theme: 'settings appearance mode colour color',
  },
  /** Other words by which the screens of memory are found. */
  alsoPlaces: {
    browse: 'graph tree categories entities explore',
    timeline: 'history dates as of when learned superseded',
    compare: 'recipes routes side by side why cost',
    review: 'contradictions uncertain merge split injection confidence',
    forget: 'delete erase remove proof privacy',
  },
  /** Other words by which sections of the settings are found. */
  sections: {
    shortcuts: 'keyboard keys hotkeys',
    backup: 'backup restore copy verify export retention schedule repair',
    data: 'folder disk size compact privacy export',
    model: 'ollama openai endpoint key llm',
    tools: 'mcp server web search plugin extension',
    search: 'embedder reranker recipe',
    usage: 'tokens cost time price import question',
  },
} as const;
