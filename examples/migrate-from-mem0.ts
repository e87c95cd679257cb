// From mem0: imports the result of get_all() or an export; running it again adds nothing twice. On the command line:
// mnemis import mem0-export.json --dry-run, then without it.
import { join } from 'node:path';
import { importerNamed, Mnemis } from 'mnemis';

const file = join(import.meta.dirname, 'mem0-export.json');
const importer = importerNamed('mem0');
const engine = await Mnemis.open({ path: ':memory:' });
const memory = engine.scope('my-app');

for (let run = 1; run <= 2; run++) {
  for await (const event of memory.import(importer.read(file))) {
    if (event.type === 'rejected') console.error(`skipped: ${event.where}: ${event.reason}`);
    if (event.type === 'done')
      console.log(`run ${run}: ${event.counts.added} added, ${event.counts.known} known`);
  }
  // The statements themselves, each with its turn as evidence.
  for await (const record of importer.facts?.(file) ?? [])
    if (record.kind === 'fact') await memory.addFacts([record.fact]);
}

console.log((await memory.ask('What is Mara allergic to?', { answerer: 'local' })).text);
await engine.close();
