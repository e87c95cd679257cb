import { describe, expect, it } from 'vitest';
import { admit, isOnlyRedacted } from '../../../src/ingest/admit/admission.ts';
import { compileNeverRemember } from '../../../src/ingest/admit/never-remember.ts';
import { readTurn } from '../../../src/ingest/admit/read-turn.ts';
import type { TurnInput } from '../../../src/model/turn-input.ts';

const admission = { redactsSecrets: true, neverRemember: compileNeverRemember(['Project Falcon']) };
const admitted = (more: Partial<TurnInput>) =>
  admit(readTurn({ content: 'Hello.', at: '2024-01-05', ...more }, 0), admission);

describe('admit', () => {
  it.each<[string, Partial<TurnInput>]>([
    ['content', { content: 'On to project falcon.' }],
    ['speaker', { speaker: 'Project Falcon' }],
    ['session', { session: 'project falcon standup' }],
    ['source', { source: 'Project Falcon wiki' }],
    ['sourceId', { sourceId: 'minutes/project falcon/7' }],
    ['attachments', { attachments: [{ kind: 'image', description: 'a badge of Project Falcon' }] }],
    ['attachments’ kind', { attachments: [{ kind: 'project falcon scan', description: 'a badge' }] }],
    ['attachments’ uri', { attachments: [{ kind: 'image', description: 'x', uri: 'f://Project Falcon' }] }],
    ['metadata', { metadata: { about: ['the budget', 'Project Falcon'] } }],
  ])('rejects a phrase of neverRemember in its %s', async (_, more) => {
    expect(await admitted(more)).toEqual({
      ok: false,
      isMalformed: false,
      reason: 'rule 1 of neverRemember',
    });
  });

  it('does not change the keys of a turn, for any contents', async () => {
    const keys = {
      session: 's 4111 1111 1111 1111',
      source: 'card 4111 1111 1111 1111',
      sourceId: 'pin: 4711',
    };
    expect(await admitted(keys)).toMatchObject({ ok: true, turn: { content: 'Hello.', ...keys } });
    const redacted = await admitted({ ...keys, content: 'My card is 4111 1111 1111 1111.' });
    expect(redacted).toMatchObject({
      ok: true,
      turn: { ...keys, content: 'My card is [redacted: card number].' },
    });
  });
});

it('redacts secrets in metadata, also those that their name gives away', async () => {
  const metadata = {
    card: '4111 1111 1111 1111',
    password: 'Tr0ub4dor&3',
    tags: ['a', 'pin: 4711', 7],
    thread: 't1',
  };
  expect(await admit(readTurn({ content: 'Hello.', metadata }, 0), admission)).toMatchObject({
    turn: {
      content: 'Hello.',
      metadata: {
        card: '[redacted: card number]',
        password: '[redacted: password]',
        tags: ['a', expect.stringContaining('[redacted: '), 7],
        thread: 't1',
      },
    },
  });
});

it.each([
  ['[redacted: card number]', true],
  [' ([redacted: PIN], [redacted: card number]) ', true],
  ['card [redacted: card number]', false],
  ['Ann', false],
  ['…', false],
  ['', false],
])('isOnlyRedacted of “%s” is %s', (text, is) => expect(isOnlyRedacted(text)).toBe(is));
