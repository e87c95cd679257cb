import { describe, expect, it } from 'vitest';
import type { Job } from '../../../main/contract.ts';
import { ScriptedOpenAiServer } from '../../fakes/openai-server/scripted-openai-server.ts';
import { CommandLab } from '../cli/fake-terminal.ts';
import { EngineLab } from '../engine-lab.ts';
import { chatLines } from './jobs/app-lab.ts';

const TURNS = 1_200;

describe('an engine that is killed', () => {
  it('goes on with an import by itself: no turn is lost or doubled', async () => {
    await using engine = await EngineLab.open();
    const { client } = engine;
    const file = Buffer.from(chatLines(TURNS));
    await client.beginUpload({ upload: 'u', name: 'chat.jsonl', bytes: file.length });
    await client.uploadPart({ upload: 'u', offset: 0, data: file.toString('base64') });
    await client.startImport({ job: 'j', upload: 'u', scope: 'ana' });
    const jobNow = async (): Promise<Job> => (await client.jobs({})).items[0]!;
    const until = async (isWanted: (job: Job) => boolean): Promise<Job> => {
      for (;;) {
        const job = await jobNow();
        if (isWanted(job)) return job;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    };
    await until(({ counts }) => (counts.added ?? 0) > 0);
    await engine.kill();
    await engine.start();
    const again = await until(({ phase }) => phase !== 'waiting' && phase !== 'starting');
    expect(again.endedAt).toBeNull();
    await until(({ counts }) => (counts.consolidated ?? 0) > 0);
    await engine.kill();
    const ended = await until(({ endedAt }) => endedAt !== null);
    expect(ended).toMatchObject({ state: 'done', problem: null, counts: { read: TURNS, pending: 0 } });
    expect((await client.stats({ scope: 'ana' })).episode).toBe(TURNS);
    expect((await client.stats({ scope: 'ana' })).enrichment.pending).toBe(0);
  });

  it('marks the answer as stopped, and memory has each message once', async () => {
    const lab = new CommandLab();
    const said = `Word ${'word '.repeat(2_000)}`;
    await using server = await ScriptedOpenAiServer.start({ reply: () => 'All of it.' });
    Object.assign(lab.env, {
      MNEMIS_LLM_PROVIDER: 'openai-compatible',
      MNEMIS_LLM_MODEL: 'small',
      MNEMIS_LLM_BASE_URL: `${server.url}/v1`,
    });
    await using engine = await EngineLab.open(lab);
    const { client } = engine;
    const send = async (message: string, text: string, onText: () => Promise<void>) => {
      for await (const { type } of client.chat({ conversation: 'c', message, text }))
        if (type === 'text') await onText();
    };
    await send('m1', 'I keep bees.', async () => undefined);
    server.enqueue({ says: said, fault: { kind: 'drip', bytes: 400, everyMs: 20 } });
    await expect(send('m2', 'I keep hens.', () => engine.kill())).rejects.toMatchObject({
      code: expect.any(String),
    });
    const { messages } = await client.conversation({ conversation: 'c' });
    expect(messages.map(({ role, state }) => `${role} ${state}`)).toEqual([
      ...['user complete', 'assistant complete', 'user complete', 'assistant stopped'],
    ]);
    expect(messages[3]!.text.length).toBeLessThan(said.length);
    const contents = async () => {
      const { episodes } = await client.previewForget({ scope: 'default', target: { session: 'c' } });
      return (await client.episodes({ scope: 'default', ids: [...episodes] })).map(({ content }) => content);
    };
    expect(await contents()).toEqual(['I keep bees.', 'All of it.']);
    for await (const _ of client.regenerate({ conversation: 'c', message: messages[3]!.id }));
    expect((await contents()).toSorted()).toEqual(
      ['I keep bees.', 'All of it.', 'I keep hens.', 'All of it.'].toSorted(),
    );
  });
});
