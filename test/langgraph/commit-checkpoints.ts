import { emptyCheckpoint, uuid6 } from '@langchain/langgraph-checkpoint';
import { SqliteCheckpointer } from '../../src/langgraph/checkpoints/sqlite-checkpointer.ts';

/**
 * Run as a process that is killed: puts checkpoints of one thread without end, each with two writes, and prints each
 * number after its acknowledgement. Now and then it deletes another thread, which folds the log into the file.
 */
const saver = await SqliteCheckpointer.open(process.argv[2]!);
const known = await saver.getTuple({ configurable: { thread_id: 't' } });
let number = Number(known?.checkpoint.channel_values.number ?? 0);
let config = known?.config ?? { configurable: { thread_id: 't', checkpoint_ns: '' } };
for (;;) {
  number += 1;
  const checkpoint = { ...emptyCheckpoint(), id: uuid6(number) };
  checkpoint.channel_values = { number, text: 'long '.repeat(number % 5 === 0 ? 20_000 : 100) };
  config = await saver.put(config, checkpoint, { source: 'loop', step: number, parents: {} });
  const writes: [string, unknown][] = [
    ['a', number],
    ['b', number],
  ];
  await saver.putWrites(config, writes, 'task');
  if (number % 7 === 0) await saver.deleteThread('other');
  process.stdout.write(`${number}\n`);
}
