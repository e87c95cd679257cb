import { Command } from 'commander';
import { wholeNumber } from '../main/cli/whole-number.ts';
import { benchForget } from './forget.ts';
import { benchImport } from './import.ts';
import { benchIngest } from './ingest.ts';
import { benchOnnx } from './onnx.ts';
import { benchReembed } from './reembed.ts';
import { benchSearch } from './search.ts';
import { benchStatic } from './static.ts';

/** `npm run bench -- …`: figures as one JSON document on standard output, progress on standard error. */
const program = new Command('bench').description('Measure the engine on synthetic conversations.');

program
  .command('search')
  .description('Latency, exactness, opening time and size of a memory of N episodes')
  .option('--episodes <number>', 'episodes', wholeNumber, 10_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchSearch({ episodes, dimension })));

program
  .command('ingest')
  .description('Turns per second through the whole local tier')
  .option('--episodes <number>', 'episodes', wholeNumber, 10_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchIngest({ episodes, dimension })));

program
  .command('import')
  .description('Latency of searches while as many turns again are imported, beside the same memory at rest')
  .option('--episodes <number>', 'episodes before, and to import', wholeNumber, 2_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchImport({ episodes, dimension })));

program
  .command('forget')
  .description('Seconds to forget one turn, by its age, beside ingesting all turns')
  .option('--episodes <number>', 'episodes', wholeNumber, 2_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchForget({ episodes, dimension })));

program
  .command('reembed')
  .description('Texts per second of a move to another embedder')
  .option('--episodes <number>', 'episodes', wholeNumber, 10_000)
  .option('--dimension <number>', 'numbers per vector before', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchReembed({ episodes, dimension })));

program
  .command('onnx')
  .description(
    'Embedding through an ONNX session against the session alone (random weights of MiniLM’s shape)',
  )
  .option('--rounds <number>', 'rounds', wholeNumber, 15)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ rounds }) => print(await benchOnnx({ rounds })));

program
  .command('static')
  .description('Short texts a second through the static embedder')
  .option('--json', 'one JSON document (the only form)')
  .action(async () => print(await benchStatic()));

function print(report: unknown): void {
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
}

await program.parseAsync();
