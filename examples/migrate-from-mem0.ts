// From mem0: what get_all() or an export gives becomes a memory, once, however often you run it.
// On the command line: mnemis import mem0-export.json --dry-run, then without it.
import { join } from 'node:path';
import { importerNamed, Mnemis } from 'mnemis';

const file = join(import.meta.dirname, 'mem0-export.json');
const importer = importerNamed('mem0');
const engine = await Mnemis.open({ path: ':memory:' });
const memory = engine.scope('my-app');

for (let run = 1; run <= 2; run++) {
  for await (const event of memory.import(importer.read(file))) {
    if (event.type === 'rejected') console.error(`left out: ${event.where}: ${event.reason}`);
    if (event.type === 'done')
      console.log(`run ${run}: ${event.counts.added} added, ${event.counts.known} known`);
  }
  // The statements themselves, each resting on the turn that says it.
  for await (const record of importer.facts?.(file) ?? [])
    if (record.kind === 'fact') await memory.addFacts([record.fact]);
}

console.log((await memory.ask('What is Mara allergic to?', { answerer: 'local' })).text);
await engine.close();
