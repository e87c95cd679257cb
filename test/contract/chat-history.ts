import type { BaseListChatMessageHistory } from '@langchain/core/chat_history';
import {
  AIMessage,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import { ChatPromptTemplate, MessagesPlaceholder } from '@langchain/core/prompts';
import { RunnableWithMessageHistory } from '@langchain/core/runnables';
import { FakeListChatModel } from '@langchain/core/utils/testing';
import { describe, expect, it } from 'vitest';

/** Opens a session; the same name gives the same conversation as long as the test lasts. */
export type OpenHistory = (session: string) => BaseListChatMessageHistory;
export type HistoryCase = 'own list' | 'own messages' | 'shared' | 'side by side' | 'ids';

export interface HistorySetup {
  readonly open: () => Promise<OpenHistory>;
  /** Why a case is left out. */
  readonly skips?: Readonly<Partial<Record<HistoryCase, string>>>;
}

/** A conversation with everything that messages may have. */
export const CONVERSATION: readonly BaseMessage[] = [
  new SystemMessage('You are kind.'),
  new HumanMessage({ content: 'What is the weather in Oslo?\n  And in Bergen?', name: 'ann', id: 'h1' }),
  Object.assign(
    new AIMessage({
      content: '',
      id: 'a1',
      tool_calls: [
        { id: 'call-1', name: 'get_weather', args: { city: 'Oslo', days: [1, 2] } },
        { id: 'call-2', name: 'get_weather', args: { city: 'Bergen' } },
      ],
      invalid_tool_calls: [{ id: 'call-3', name: 'get_weather', args: '{"city', error: 'cut off' }],
      response_metadata: { model: 'some-model', finish_reason: 'tool_calls' },
    }),
    { usage_metadata: { input_tokens: 12, output_tokens: 3, total_tokens: 15 } },
  ),
  new ToolMessage({
    ...{ content: 'Rain, 7°', tool_call_id: 'call-1', name: 'get_weather', id: 't1', status: 'success' },
    artifact: { degrees: 7, source: ['met.no'] },
  }),
  new ToolMessage({ content: '', tool_call_id: 'call-2', status: 'error' }),
  new AIMessage({ content: 'Rain in Oslo.', additional_kwargs: { refusal: null, note: { deep: [1] } } }),
  new HumanMessage({
    content: [
      { type: 'text', text: 'Is this you? ' },
      { type: 'image_url', image_url: { url: 'https://example.org/oslo.png', detail: 'low' } },
      { type: 'text', text: '你好 👩‍👩‍👧‍👦' },
    ],
  }),
  new AIMessage({
    content: [
      { type: 'reasoning', reasoning: 'A harbour.' },
      { type: 'text', text: 'It is a harbour.' },
    ],
    response_metadata: { output_version: 'v1' },
  }),
  new ChatMessage({ content: 'Bravo!', role: 'moderator' }),
  new FunctionMessage({ content: '42', name: 'answer' }),
  new HumanMessage(''),
  new AIMessage('  spaces kept  '),
];

/** What one sees of a message; the fields that are empty aside. */
export function shown(message: BaseMessage) {
  const { type, content, id, name, additional_kwargs, response_metadata } = message;
  const own = [
    'tool_calls',
    'invalid_tool_calls',
    'usage_metadata',
    'tool_call_id',
    'status',
    'artifact',
    'role',
  ];
  const rest = own.map((field) => [field, Reflect.get(message, field)]);
  const all = { type, content, id, name, additional_kwargs, response_metadata, ...Object.fromEntries(rest) };
  const isEmpty = (value: unknown) => value === undefined || JSON.stringify(value).length === 2;
  const filled = Object.entries(all).filter(([field, value]) => field === 'content' || !isEmpty(value));
  return structuredClone(Object.fromEntries(filled));
}
const classOf = (message: BaseMessage) => message.constructor.name;
const texts = (messages: readonly BaseMessage[]) => messages.map(({ text }) => text);

/** What every chat history of LangChain does. */
export function chatHistoryContract(name: string, { open, skips = {} }: HistorySetup): void {
  const unlessSkipped = (key: HistoryCase) => (skips[key] === undefined ? it : it.skip);
  const titled = (title: string, key: HistoryCase) =>
    skips[key] === undefined ? title : `${title} (left out: ${skips[key]})`;

  describe(`${name}: the chat history contract`, () => {
    it('gives every kind of message back as it was, in order', async () => {
      const history = (await open())('s');
      expect(await history.getMessages()).toEqual([]);
      await history.addMessages([...CONVERSATION]);
      const messages = await history.getMessages();
      expect(messages.map(shown)).toEqual(CONVERSATION.map(shown));
      expect(messages.map(classOf)).toEqual(CONVERSATION.map(classOf));
    });

    it('appends: one by one, several, none, and the same again', async () => {
      const history = (await open())('s');
      await history.addUserMessage('one');
      await history.addAIMessage('two');
      await history.addMessages([new HumanMessage('three'), new AIMessage('four')]);
      await history.addMessages([]);
      const again = new HumanMessage('one');
      await history.addMessage(again);
      await history.addMessage(again);
      const messages = await history.getMessages();
      expect(texts(messages)).toEqual(['one', 'two', 'three', 'four', 'one', 'one']);
      expect(messages.map(({ type }) => type)).toEqual(['human', 'ai', 'human', 'ai', 'human', 'human']);
    });

    unlessSkipped('ids')(titled('has a message with an id once', 'ids'), async () => {
      const history = (await open())('s');
      const said = (content: string, id: string) => new HumanMessage({ content, id });
      for (let time = 0; time < 2; time++) await history.addMessages([said('one', '1'), said('two', '2')]);
      await history.addMessage(said('another', '1')); // some servers give every reply the same id
      expect(texts(await history.getMessages())).toEqual(['one', 'two', 'another']);
    });

    const calls = Array.from({ length: 12 }, (_, call) => [`${call} a`, `${call} b`] as const);
    const addAtOnce = async (history: BaseListChatMessageHistory) => {
      const adding = calls.map(([a, b]) => history.addMessages([new HumanMessage(a), new AIMessage(b)]));
      await Promise.all(adding);
      return texts(await history.getMessages());
    };

    it('keeps all that is added at once', async () => {
      const found = await addAtOnce((await open())('s'));
      expect(found.sort()).toEqual(calls.flat().sort());
    });

    unlessSkipped('side by side')(
      titled('keeps the messages of a call side by side', 'side by side'),
      async () => {
        const found = await addAtOnce((await open())('s'));
        for (const [a, b] of calls) expect(found[found.indexOf(a) + 1]).toBe(b);
      },
    );

    it('begins anew once it is cleared, with the same words if need be', async () => {
      const history = (await open())('s');
      await history.clear();
      await history.addMessages([...CONVERSATION]);
      await history.clear();
      expect(await history.getMessages()).toEqual([]);
      await history.addMessages(CONVERSATION.slice(0, 6));
      expect((await history.getMessages()).map(shown)).toEqual(CONVERSATION.slice(0, 6).map(shown));
    });

    it('keeps sessions apart', async () => {
      const history = await open();
      await history('a').addUserMessage('for a');
      await history('b').addUserMessage('for b');
      await history('a').clear();
      expect(texts(await history('a').getMessages())).toEqual([]);
      expect(texts(await history('b').getMessages())).toEqual(['for b']);
    });

    unlessSkipped('shared')(titled('is the same wherever it is opened', 'shared'), async () => {
      const history = await open();
      const [first, second] = [history('s'), history('s')];
      await first.addUserMessage('one');
      await second.addAIMessage('two');
      expect(texts(await first.getMessages())).toEqual(['one', 'two']);
    });

    unlessSkipped('own list')(titled('gives a list that callers may change', 'own list'), async () => {
      const history = (await open())('s');
      await history.addUserMessage('one');
      (await history.getMessages()).length = 0;
      expect(texts(await history.getMessages())).toEqual(['one']);
    });

    unlessSkipped('own messages')(
      titled('gives messages that callers may change', 'own messages'),
      async () => {
        const history = (await open())('s');
        const said = new HumanMessage({ content: 'one', additional_kwargs: { a: { b: 1 } } });
        await history.addMessage(said);
        said.content = 'changed';
        const [found] = await history.getMessages();
        found!.additional_kwargs.a = 2;
        expect(await history.getMessages()).toMatchObject([
          { content: 'one', additional_kwargs: { a: { b: 1 } } },
        ]);
      },
    );

    it('serves RunnableWithMessageHistory', async () => {
      const history = await open();
      const prompt = ChatPromptTemplate.fromMessages([
        ['system', 'You are kind.'],
        new MessagesPlaceholder('history'),
        ['human', '{question}'],
      ]);
      const model = new FakeListChatModel({ responses: ['Hello Ann.', 'You are Ann.'] });
      const chain = new RunnableWithMessageHistory({
        runnable: prompt.pipe(model),
        getMessageHistory: (session: string) => history(session),
        inputMessagesKey: 'question',
        historyMessagesKey: 'history',
      });
      const config = { configurable: { sessionId: 's' } };
      await chain.invoke({ question: 'I am Ann.' }, config);
      await chain.invoke({ question: 'Who am I?' }, config);
      expect((await history('s').getMessages()).map(({ type, text }) => [type, text])).toEqual([
        ['human', 'I am Ann.'],
        ['ai', 'Hello Ann.'],
        ['human', 'Who am I?'],
        ['ai', 'You are Ann.'],
      ]);
    });
  });
}
