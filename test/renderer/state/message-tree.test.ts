import { describe, expect, it } from 'vitest';
import type { Message } from '../../../main/contract.ts';
import { newestBelow, shownPath, withMessages } from '../../../renderer/state/message-tree.ts';

function message(id: string, parent: string | null, text = id): Message {
  return {
    ...{ id, parent, text, conversation: 'c', at: 0, state: 'complete', problem: null, isPrivate: false },
    ...{ model: null, citations: [], attachments: [], calls: [], remembered: null, usage: null },
    role: id.startsWith('a') ? 'assistant' : 'user',
  };
}

// q1 ─ a1 ─ q2 ─ a2
//    │      └ (edit) q2b ─ a2b
//    └ a1b
const tree = [
  message('q1', null),
  message('a1', 'q1'),
  message('q2', 'a1'),
  message('a2', 'q2'),
  message('q2b', 'a1'),
  message('a2b', 'q2b'),
  message('a1b', 'q1'),
];
const ids = (leaf: string | null, messages: readonly Message[] = tree) =>
  shownPath(messages, leaf).map(({ message }) => message.id);

describe('shownPath', () => {
  it('is the branch that ends in the leaf', () => {
    expect(ids('a2')).toEqual(['q1', 'a1', 'q2', 'a2']);
    expect(ids('a2b')).toEqual(['q1', 'a1', 'q2b', 'a2b']);
    expect(ids('a1b')).toEqual(['q1', 'a1b']);
  });

  it('goes on with the newest below a message that is no leaf', () => {
    expect(ids('a1')).toEqual(['q1', 'a1', 'q2b', 'a2b']);
  });

  it('takes the newest branch without a leaf, or with one that is not there', () => {
    expect(ids(null)).toEqual(['q1', 'a1b']);
    expect(ids('gone')).toEqual(['q1', 'a1b']);
  });

  it('tells the siblings of each message, the oldest first', () => {
    expect(shownPath(tree, 'a2b').map(({ siblings }) => siblings)).toEqual([
      ['q1'],
      ['a1', 'a1b'],
      ['q2', 'q2b'],
      ['a2b'],
    ]);
  });

  it('shows a message whose parent is missing as a first one', () => {
    expect(ids('a9', [message('q1', null), message('a9', 'q9')])).toEqual(['a9']);
    expect(shownPath([message('q1', null), message('a9', 'q9')], 'a9')[0]?.siblings).toEqual(['q1', 'a9']);
  });

  it('ends where parents go in a circle', () => {
    expect(ids('a', [message('a', 'b'), message('b', 'a')])).toEqual(['b', 'a']);
  });

  it('is empty without messages', () => {
    expect(shownPath([], null)).toEqual([]);
  });

  it('takes 5,000 messages in a few milliseconds', () => {
    const long = Array.from({ length: 5_000 }, (_, index) =>
      message(`m${index}`, index === 0 ? null : `m${index - 1}`),
    );
    expect(ids('m4999', long)).toHaveLength(5_000);
  });
});

describe('newestBelow', () => {
  it('is the end of the newest branch through a message', () => {
    expect(newestBelow(tree, 'q2')).toBe('a2');
    expect(newestBelow(tree, 'a1')).toBe('a2b');
    expect(newestBelow(tree, 'a1b')).toBe('a1b');
    expect(newestBelow(tree, 'unknown')).toBe('unknown');
  });

  it('is where the chat went on, not the newest version of each message on the way', () => {
    const later = [...tree, { ...message('q3', 'a2'), at: 1 }, { ...message('a3', 'q3'), at: 1 }];
    expect(newestBelow(later, 'q1')).toBe('a3');
  });
});

describe('withMessages', () => {
  it('replaces what is known and adds the rest at the end', () => {
    const merged = withMessages(tree, [message('a2', 'q2', 'changed'), message('q3', 'a2')]);
    expect(merged).toHaveLength(tree.length + 1);
    expect(merged.find(({ id }) => id === 'a2')?.text).toBe('changed');
    expect(merged.at(-1)?.id).toBe('q3');
  });

  it('is the same list where nothing is added', () => {
    expect(withMessages(tree, [])).toBe(tree);
  });
});
