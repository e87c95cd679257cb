import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KeptReplies } from '../../../eval/run/kept-replies.ts';
import type {
  ChatBackend,
  ChatReply,
  ChatRequest,
} from '../../../src/inference/language-model/backends/chat-backend.ts';
import { freshFolder } from '../../fixtures/fresh-folder.ts';

const folder = freshFolder();
let files = 0;
const freshFile = () => join(folder, `${++files}.jsonl`);

const USAGE = { promptTokens: 10, completionTokens: 3, cachedPromptTokens: 0 };
const replyOf = (text: string): ChatReply => ({
  ...{ text, toolArguments: undefined, declined: null, truncated: false, usage: USAGE },
});
const request = (content: string, seed = 42): ChatRequest => ({
  turns: [{ role: 'user', content }],
  form: null,
  seed,
  signal: new AbortController().signal,
});

class Server implements ChatBackend {
  readonly name: string = 'fake:model';
  readonly asked: string[] = [];
  fails = false;

  readonly ask = async ({ turns }: ChatRequest) => {
    const { content } = turns[0]!;
    this.asked.push(content);
    await Promise.resolve();
    if (this.fails) throw new Error('unreachable');
    return replyOf(`to ${content}`);
  };

  readonly stream = async (asked: ChatRequest, onText: (piece: string) => void) => {
    const reply = await this.ask(asked);
    for (const piece of reply.text.split(' ')) onText(piece);
    return reply;
  };
}

describe('replies that are kept', () => {
  it('are never asked for again, also not by a later run', async () => {
    const [file, server] = [freshFile(), new Server()];
    const first = await KeptReplies.open(file);
    expect((await first.through(server).ask(request('a'))).text).toBe('to a');
    expect(await first.through(server).ask(request('a'))).toEqual(replyOf('to a'));
    await first.close();
    const second = await KeptReplies.open(file);
    expect(await second.through(server).ask(request('a'))).toEqual(replyOf('to a'));
    expect(server.asked).toEqual(['a']);
    await second.close();
  });

  it('are of one request: another text, seed, form, model or server is asked', async () => {
    const server = new Server();
    const kept = await KeptReplies.open(freshFile());
    const backend = kept.through(server);
    await backend.ask(request('a'));
    await backend.ask(request('b'));
    await backend.ask(request('a', 43));
    const shape = { name: 's', schema: { type: 'object' }, strict: true } as never;
    await backend.ask({ ...request('a'), form: { shape, strategy: 'schema' } });
    await kept.through({ ...server, name: 'fake:other' }).ask(request('a'));
    await kept.through({ ...server, address: 'http://localhost:1/v1' }).ask(request('a'));
    await kept.through({ ...server, address: 'http://localhost:2/v1' }).ask(request('a'));
    expect(server.asked).toEqual(['a', 'b', 'a', 'a', 'a', 'a', 'a']);
    await kept.close();
  });

  it('are asked for once by questions at the same time', async () => {
    const server = new Server();
    const kept = await KeptReplies.open(freshFile());
    const replies = await Promise.all([1, 2, 3].map(() => kept.through(server).ask(request('a'))));
    expect(replies.map(({ text }) => text)).toEqual(['to a', 'to a', 'to a']);
    expect(server.asked).toEqual(['a']);
    await kept.close();
  });

  it('are asked for again after a failure, which is not kept', async () => {
    const server = new Server();
    const kept = await KeptReplies.open(freshFile());
    server.fails = true;
    const both = await Promise.allSettled([1, 2].map(() => kept.through(server).ask(request('a'))));
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    server.fails = false;
    expect((await kept.through(server).ask(request('a'))).text).toBe('to a');
    expect(server.asked).toEqual(['a', 'a', 'a']);
    await kept.close();
  });

  it('come in pieces at first, in one piece when they are kept', async () => {
    const kept = await KeptReplies.open(freshFile());
    const backend = kept.through(new Server());
    const pieces: string[] = [];
    await backend.stream(request('a'), (piece) => pieces.push(piece));
    await backend.stream(request('a'), (piece) => pieces.push(piece));
    expect(pieces).toEqual(['to', 'a', 'to a']);
    await kept.close();
  });

  it('count for every phase that used them, once each, also after a restart', async () => {
    const [file, server] = [freshFile(), new Server()];
    const first = await KeptReplies.open(file);
    first.phase = 'writing';
    for (const text of ['a', 'b', 'a']) await first.through(server).ask(request(text));
    first.phase = 'asking';
    await first.through(server).ask(request('a'));
    await first.close();
    const second = await KeptReplies.open(file);
    expect(second.usageOf('writing')).toEqual({ calls: 2, promptTokens: 20, completionTokens: 6 });
    expect(second.usageOf('asking')).toEqual({ calls: 1, promptTokens: 10, completionTokens: 3 });
    expect(second.usageOf('judging')).toEqual({ calls: 0, promptTokens: 0, completionTokens: 0 });
    await second.close();
  });
});
