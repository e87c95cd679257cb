import { Mnemis } from '../../src/engine.ts';
import { HashingEmbedder } from '../../src/inference/embedder/hashing-embedder.ts';
import { analyze } from '../../src/search/analyzer.ts';

/** Run as a process that is killed: writes versions of one item without end, and prints each number once it is kept. */
const engine = await Mnemis.open({ path: process.argv[2]!, embedder: new HashingEmbedder({ analyze }) });
const { items } = engine.scope('ann');
for (let number = 1; ; number++) {
  await Promise.all([
    items.put(['n'], 'counter', { number }),
    items.put(['n'], `other ${number}`, { number }),
  ]);
  process.stdout.write(`${number}\n`);
}
