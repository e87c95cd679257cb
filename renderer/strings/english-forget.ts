import { counted } from './counted.ts';

/** Texts of the screen that forgets. */
export const forget = {
  title: 'Forget',
  lead: 'Choose what memory should forget. You see what would go before anything is removed, and a proof afterwards.',
  by: 'What to forget',
  kinds: {
    words: { name: 'Turns that say…', note: 'By words, such as a name, a place or a number' },
    session: { name: 'A conversation', note: 'Every turn of one chat, file or session' },
    entity: { name: 'A person or thing', note: 'What memory knows of it, with or without its turns' },
    period: { name: 'A period', note: 'Everything said between two days' },
    speaker: { name: 'A speaker', note: 'Every turn of somebody' },
    source: { name: 'A source', note: 'Everything from one import or program' },
    ids: { name: 'Turns by id', note: 'As exports and the command line show them' },
    all: { name: 'Everything', note: 'The whole of this memory' },
  },
  query: 'Words that the turns say',
  queryHint: 'The best turns of a search. You can leave some out below.',
  limit: 'At most',
  limitOf: (count: number) => counted(count, 'turn'),
  session: 'Conversation or session',
  otherSession: 'Another session, by its name',
  sessionName: 'Name of the session',
  entity: 'Name of the person or thing',
  withTurns: 'Also every turn that mentions it',
  withTurnsHint:
    'Without this, what was said stays word for word, and only what memory derived from it goes.',
  from: 'Said from',
  to: 'to',
  periodHint: 'Both days are included. One of the two is enough.',
  speaker: 'Speaker',
  source: 'Source',
  ids: 'Ids of the turns',
  idsHint: 'Separated by spaces, commas or lines.',
  none: 'Choose',
  show: 'Show what would go',
  showing: 'Counting what would go…',
  collecting: (count: number) => `Found ${counted(count, 'turn')} so far…`,
  tooMany:
    'These are more turns than can be forgotten at once. Choose a period as well, or forget everything.',
  noTurns: 'No turn of this memory is meant by that.',
  nothing: 'There is nothing to forget here.',
  previewTitle: 'What would go',
  turnsTitle: (count: number) => counted(count, 'turn'),
  turnsLead: 'Take the mark away from a turn to keep it.',
  keepTurn: (words: string) => `Forget “${words}”`,
  moreTurns: (count: number) => `and ${counted(count, 'further turn')}`,
  factsGo: (hasReread: boolean) =>
    hasReread
      ? 'Facts that go; what other turns say comes back once these are read again:'
      : 'Facts that go:',
  stays: 'Its turns stay, word for word.',
  confirmTitle: 'This cannot be undone',
  typeToConfirm: (word: string) => `Type “${word}” to confirm`,
  confirmWord: 'forget',
  confirm: (turns: number) => (turns === 0 ? 'Forget it' : `Forget ${counted(turns, 'turn')}`),
  confirmAll: 'Forget everything',
  cancel: 'Cancel',
  tooLateToCancel: 'It has begun, and will be completed.',
  cancelled: 'Cancelled. Nothing was forgotten.',
  cancelledLate: 'It had begun before it was cancelled, and will be completed.',
  memoryTitle: 'Removed from memory',
  removed: (turns: number, facts: number) =>
    `${counted(turns, 'turn')} and ${counted(facts, 'fact')} are gone, with everything made from them.`,
  alsoElsewhere: (count: number) =>
    `${counted(count, 'text was', 'texts were')} not searched for, because other turns that stay say the same.`,
  notSearched: (count: number) =>
    `${counted(count, 'text was', 'texts were')} not searched for: there were too many.`,
  quotationsStay: (count: number) => `${counted(count, 'turn that quotes', 'turns that quote')} them stayed.`,
  finding: (holder: string, where: string, texts: number) =>
    `${counted(texts, 'text')} in the ${holder} (${where})`,
  diskTitle: 'Erased from disk',
  diskNot: 'Not yet: the file still holds the removed data, though nothing reads it any more.',
  diskWhat:
    'Erasing writes the whole memory into a new file and replaces the old one. Chats go on meanwhile; new turns wait. Backups and exports that you made keep their content.',
  diskServer:
    'Not yet: the database server keeps the removed data on its disk until its administrator runs VACUUM FULL.',
  diskNothing: 'This memory has no file, so there is nothing to erase.',
  erase: 'Erase from disk',
  erasing: { copy: 'Writing the new file…', check: 'Checking the new file…' } as Readonly<
    Record<string, string | undefined>
  >,
  erased: (before: string, after: string) =>
    `Erased. The file had ${before}, and has ${after} now. No removed text is left in it.`,
  eraseLater: 'Erase what was forgotten before',
  again: 'Forget something else',
  history: 'Forgotten so far',
  historyNone: 'Nothing was forgotten in the recent past.',
  historyLead: 'Only when and how much: what it was is not kept.',
  entry: (turns: number, others: number) =>
    turns > 0
      ? `${counted(turns, 'turn')} and what rested on ${turns === 1 ? 'it' : 'them'}`
      : counted(others, 'entry without a turn', 'entries without turns'),
  retained: (turns: number) => `${counted(turns, 'turn')} past their time`,
  you: 'by you',
  by_: (author: string) => `by ${author}`,
  retention: 'Memory can also forget by itself after a while: see the retention rule in the settings.',
  retentionLink: 'Settings, Memory',
};
