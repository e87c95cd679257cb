import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claudeImporter } from '../../src/importers/claude/claude.ts';
import { FIXTURES, readAll, rejectionsOf, SHARED_DATA, temporaryFolder, turnsOf } from './temporary-file.ts';

const REAL = join(SHARED_DATA, 'chat-exports/claude');

describe('claude importer', () => {
  it('reads blocks, attachments and messages without either', async () => {
    const leftOut: string[] = [];
    const records = await readAll(claudeImporter, join(FIXTURES, 'claude.json'), {
      onLeftOut: ({ where, reason }) => leftOut.push(`${where}: ${reason}`),
    });
    expect(turnsOf(records).map(({ speaker, role, content }) => [speaker, role, content])).toEqual([
      ['user', 'user', 'My starter is called Bubbles.'],
      ['Claude', 'assistant', 'Feed it twice a day.'],
      ['user', 'user', 'Written before there were blocks.'],
    ]);
    expect(records[0]).toMatchObject({
      conversation: { id: 'claude/c1', title: 'Sourdough' },
      turn: {
        sourceId: 'c1/m1',
        at: new Date('2024-02-01T08:00:10Z'),
        attachments: [
          { kind: 'file', description: 'recipe.txt\n500 g of rye' },
          { kind: 'image', description: 'loaf.jpg', uri: 'f-1' },
        ],
      },
    });
    expect(turnsOf(records)[2]?.at).toEqual(new Date('2024-02-01T08:01:00Z'));
    expect(leftOut).toEqual([
      'conversation 1, message 2: reasoning of a model',
      'conversation 1, message 2: the call of a tool',
      'conversation 1, message 2: what a tool returned',
      'conversation 1, message 3: an empty message',
    ]);
  });

  it('reads the branch shown last if the export marks it', async () => {
    using folder = temporaryFolder();
    const at = '2024-02-01T08:00:00Z';
    const message = (uuid: string, parent: string | null) => ({
      ...{ uuid, text: uuid, sender: 'human', created_at: at, parent_message_uuid: parent },
    });
    const chat = {
      uuid: 'c',
      current_leaf_message_uuid: 'new',
      chat_messages: [message('first', null), message('old', 'first'), message('new', 'first')],
    };
    const path = folder.json(chat);
    const sessions = async (branches: 'active' | 'all') =>
      turnsOf(await readAll(claudeImporter, path, { settings: { branches } })).map(
        ({ content, session }) => `${session}: ${content}`,
      );
    expect(await sessions('active')).toEqual(['claude/c: first', 'claude/c: new']);
    expect(await sessions('all')).toEqual(['claude/c: first', 'claude/c: new', 'claude/c/branch-old: old']);
  });

  it('reads what Claude remembered, beside the conversations', async () => {
    using folder = temporaryFolder();
    folder.write('conversations.json', '[]');
    const project_memories = { p1: 'Nora plans a garden.' };
    folder.write(
      'memories.json',
      JSON.stringify([{ conversations_memory: '**Work**\n\nNora is a nurse in Ghent.', project_memories }]),
    );
    const turns = turnsOf(await readAll(claudeImporter, folder.path));
    expect(turns.map(({ speaker, role, content }) => [speaker, role, content])).toEqual([
      ['Claude', 'assistant', '**Work**\n\nNora is a nurse in Ghent.'],
      ['Claude', 'assistant', 'Nora plans a garden.'],
    ]);
    expect(turns[0]).toMatchObject({ session: 'saved-memories/claude', source: 'saved-memories' });
  });

  it('rejects invalid messages by position and reads the others', async () => {
    using folder = temporaryFolder();
    const good = { uuid: 'm', text: 'hi', sender: 'human', created_at: '2024-02-01' };
    const messages = [7, { ...good, sender: 7 }, good, good, { ...good, uuid: 'n', created_at: 'secret' }];
    const records = await readAll(claudeImporter, folder.json([{ uuid: 'c', chat_messages: messages }, {}]));
    expect(turnsOf(records)).toHaveLength(1);
    expect(rejectionsOf(records)).toEqual([
      'conversation 1, message 1: is not an object',
      'conversation 1, message 2: sender: is missing or not a text',
      'conversation 1, message 4: an earlier message has the same uuid',
      'conversation 1, message 5: created_at: is not a time',
      'conversation 2: chat_messages: is missing or not a list',
    ]);
  });

  it.skipIf(!existsSync(REAL))('reads the samples (skipped if absent)', async () => {
    for (const name of readdirSync(REAL)) {
      const records = await readAll(claudeImporter, join(REAL, name));
      expect(rejectionsOf(records)).toEqual([]);
      expect(turnsOf(records).length, name).toBeGreaterThan(0);
    }
  });
});
