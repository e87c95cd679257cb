/** Types of the public API, checked with the rest of the types. */
import { HumanMessage } from '@langchain/core/messages';
import { expectTypeOf } from 'vitest';
import {
  type AddOutcome,
  type AnswerEvent,
  DEFAULT_RECIPE,
  type EpisodeId,
  type FactId,
  type GivenAnswer,
  type ImportEvent,
  type LanguageModel,
  type MemoryScope,
  Mnemis,
  MnemisError,
  type RankedSearch,
  type RetrievedEpisode,
  type RetrievedItem,
} from '../../src/index.ts';

const engine = await Mnemis.open({ path: ':memory:' });
const memory = engine.scope('a');
expectTypeOf(memory).toEqualTypeOf<MemoryScope>();

// @ts-expect-error a memory has a path
await Mnemis.open({});
// @ts-expect-error unknown options are refused
await Mnemis.open({ path: ':memory:', embeder: null });

// What is added needs words; a text or a message of LangChain has them.
await memory.add('a', { speaker: 'Ann', metadata: { thread: 't1' } });
await memory.add(new HumanMessage('a'));
await memory.add({ content: 'a', at: new Date() });
await memory.add([{ content: 'a', at: 0, session: 's', index: 1, role: 'user' }]);
await memory.add({ role: 'user', content: 'a' });
// @ts-expect-error no words
await memory.add({ at: 0 });
// @ts-expect-error no such role
await memory.add({ content: 'a', at: 0, role: 'robot' });
const { outcomes } = await memory.add([]);
expectTypeOf(outcomes).toEqualTypeOf<readonly AddOutcome[]>();
for (const outcome of outcomes)
  if (outcome.status === 'rejected') expectTypeOf(outcome.reason).toBeString();
  else expectTypeOf(outcome.id).toEqualTypeOf<EpisodeId>();

// Ids are branded: one kind is not taken for another, and no text for an id.
expectTypeOf<EpisodeId>().not.toExtend<FactId>();
expectTypeOf<string>().not.toExtend<EpisodeId>();
expectTypeOf<EpisodeId>().toExtend<string>();

expectTypeOf(await memory.search('q')).toEqualTypeOf<RankedSearch>();
await memory.search('q', { limit: 3, filter: { thread: { $in: ['t1'] } } });
await memory.search('q', { k: 3, recipe: 'system1', asOf: '2024-01-01', routeMilliseconds: 50 });
// @ts-expect-error limits are numbers
await memory.search('q', { k: '3' });
expectTypeOf(DEFAULT_RECIPE).toBeString();
const items = [] as readonly RetrievedItem[];
for (const item of items) {
  if (item.kind === 'episode') expectTypeOf(item).toEqualTypeOf<RetrievedEpisode>();
  if (item.kind === 'fact') expectTypeOf(item.invalidAt).toEqualTypeOf<number | null>();
}

expectTypeOf(await memory.ask('q', { answerer: 'local', threshold: 0.5 })).toEqualTypeOf<GivenAnswer>();
// @ts-expect-error no such answerer
await memory.ask('q', { answerer: 'remote' });
for await (const event of memory.streamAnswer('q')) {
  expectTypeOf(event).toEqualTypeOf<AnswerEvent>();
  if (event.type === 'text') expectTypeOf(event.text).toBeString();
}
for await (const event of memory.import([])) expectTypeOf(event).toEqualTypeOf<ImportEvent>();

expectTypeOf<LanguageModel['countTokens']>().returns.resolves.toBeNumber();

// Errors are told apart by their code, and by a guard that works across copies of the package.
const thrown: unknown = null;
if (MnemisError.isInstance(thrown)) expectTypeOf(thrown.code).toBeString();
await engine.close();
