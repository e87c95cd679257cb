import { counted } from './counted.ts';

/** Texts of the review of memory. */
export const review = {
  title: 'Review',
  kindsLabel: 'What to review',
  lists: {
    decisions: {
      name: 'Decisions',
      about:
        'Facts that cannot all be true, and names that may be one person. Memory keeps both until you decide.',
      empty: 'Nothing to decide',
      emptyText: 'No two facts say opposite things, and memory is sure which names belong to one person.',
    },
    injection: {
      name: 'Suspected injections',
      about:
        'Turns that may try to instruct a model, and turns of low trust that facts rest on. Memory never follows them.',
      empty: 'No suspected injections',
      emptyText: 'No turn looks like an instruction to a model, and no fact rests on a source of low trust.',
    },
    unsure: {
      name: 'Low confidence',
      about: 'Facts that memory is less than half sure of, the least certain first.',
      empty: 'No uncertain facts',
      emptyText: 'Memory is at least half sure of everything that it believes.',
    },
    'set-aside': {
      name: 'Set aside',
      about: 'Turns that could not be read for facts. They are kept, and search finds them.',
      empty: 'Nothing was set aside',
      emptyText: 'Every turn could be read for facts, or still waits for its turn.',
    },
    dropped: {
      name: 'Nothing to keep',
      about: 'Turns without lasting content, such as greetings. For information: search still finds them.',
      empty: 'No turn was passed over',
      emptyText: 'Facts were looked for in every turn.',
    },
  },
  queue: (name: string) => `Items: ${name}`,
  gone: 'This item is no longer on the list. Choose another one.',
  more: 'Show more',
  actionsLabel: 'What to do',
  actions: {
    keepFirst: 'First is true',
    keepSecond: 'Second is true',
    replaced: 'Second replaced the first',
    bothTrue: 'Both are true',
    accept: 'It is true',
    edit: 'Correct',
    reject: 'It is wrong',
    merge: 'Same: merge',
    apart: 'Not the same',
    fine: 'It is fine',
    forget: 'Forget the turn',
    rejectFacts: (count: number) => (count === 1 ? 'Reject its fact' : `Reject its ${count} facts`),
    retry: 'Read all again',
    undo: 'Undo',
    help: 'Keys',
    holds: 'The earlier one still holds',
    ended: 'It did end',
  },
  done: {
    keepFirst: 'The first is kept; the second is no longer believed.',
    keepSecond: 'The second is kept; the first is no longer believed.',
    replaced: 'The first ends where the second begins.',
    bothTrue: 'Both are kept, and the pair is off the list.',
    accept: 'Accepted: the fact is pinned.',
    edit: 'Corrected.',
    reject: 'Rejected. Memory no longer believes it.',
    merge: 'Merged into one.',
    apart: 'Kept apart. They are not listed again.',
    fine: 'Off the list. Nothing in memory changed.',
    rejectFacts: (count: number) =>
      `${counted(count, 'fact is', 'facts are')} no longer believed. The turn stays.`,
    retry: (read: number, left: number) =>
      left === 0
        ? `${counted(read, 'turn was', 'turns were')} read.`
        : `${counted(left, 'turn')} could not be read again.`,
    forget: 'Forgotten.',
    undo: 'Undone.',
  },
  retrying: 'Reading the turns again…',
  first: 'First',
  second: 'Second',
  reasons: {
    conflict: 'Both facts hold, and cannot both be true.',
    'weak-end': 'The second fact ended the first one, but memory is less sure of it.',
    topics: 'A model found that these passages contradict each other.',
  },
  openTurn: 'Open its conversation',
  editLabel: (statement: string) => `Correct “${statement}”`,
  sure: (percent: number) => `${percent} % sure`,
  likely: (percent: number) => `${percent} % likely the same`,
  known: (facts: number, turns: number) => `${counted(facts, 'fact')}, ${counted(turns, 'turn')}`,
  alsoCalled: (names: readonly string[]) => `also called ${names.join(', ')}`,
  noFacts: 'No fact is known; it is only mentioned:',
  and: (one: string, other: string) => `${one} and ${other}`,
  sameName: (name: string, one: string, other: string) => `Two of the name ${name}: “${one}” and “${other}”`,
  versus: (one: string, other: string) => `${one} — ${other}`,
  suspected: 'This turn may try to instruct a model.',
  signs: {
    override: 'Asks to ignore earlier instructions',
    role: 'Gives the model another role',
    prompt: 'Asks for the model’s prompt, or imitates one',
    secrecy: 'Wants something kept from the user',
    hidden: 'Has hidden characters',
    encoded: 'Has encoded instructions',
    exfiltration: 'Has an address that would carry data away',
  } as Readonly<Record<string, string | undefined>>,
  weakSource: 'Low trust',
  weakSourceText:
    'Nothing in the turn looks like an instruction. It comes from a source of low trust, such as a tool, and facts rest on it.',
  restingOn: (count: number) =>
    count === 0
      ? 'No fact rests on this turn.'
      : `${counted(count, 'fact rests', 'facts rest')} on this turn:`,
  setAsideFor: (reason: string) => `Why: ${reason}`,
  setAsideUnknown: 'The reason is not recorded.',
  attempts: (count: number) => `Tried ${counted(count, 'time')}.`,
  help: {
    title: 'Keys of the review',
    text: 'They work while no text is being written.',
    rows: [
      ['J', 'K', 'Next and previous item; the arrow keys do the same'],
      ['1', '2', 'Of two: the first, or the second, is true; 3: the second replaced the first'],
      ['A', '', 'Accept: it is true, both are true, or it is fine'],
      ['E', '', 'Correct the fact'],
      ['R', '', 'Reject: it is wrong, or its facts are'],
      ['M', '', 'Merge: the two are the same'],
      ['S', '', 'Keep apart: they are not the same'],
      ['F', '', 'Forget the turn'],
      ['U', '', 'Undo the last decision'],
      ['?', '', 'Show these keys'],
    ] as readonly (readonly [string, string, string])[],
  },
};
