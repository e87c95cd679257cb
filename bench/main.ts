import { Command } from 'commander';
import { wholeNumber } from '../main/cli/flags.ts';
import { benchAgents } from './agents.ts';
import { benchEnumeration } from './enumeration.ts';
import { benchForget } from './forget.ts';
import { benchGlobalSelection } from './global-selection.ts';
import { benchHierarchy } from './hierarchy.ts';
import { benchHostileTexts } from './hostile-texts.ts';
import { benchImport } from './import.ts';
import { benchIngest } from './ingest.ts';
import { benchLongLived } from './long-lived.ts';
import { benchOnnx } from './onnx.ts';
import { benchPagerank } from './pagerank.ts';
import { benchReembed } from './reembed.ts';
import { benchSearch } from './search.ts';
import { describeReport } from './selection/selection-report.ts';
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
  .command('agents')
  .description('Latency of graph runs when many agents share one memory, beside one agent alone')
  .option('--agents <number>', 'agents at once', wholeNumber, 50)
  .option('--runs <number>', 'runs of each', wholeNumber, 10)
  .option('--episodes <number>', 'episodes that the memory holds before', wholeNumber, 1_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ agents, runs, episodes, dimension }) =>
    print(await benchAgents({ agents, runs, episodes, dimension })),
  );

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
  .command('enumeration')
  .description(
    'Evidence recall of questions for all of a kind, whose turns neither name the kind nor stand together',
  )
  .option('--unrelated <number>', 'turns about something else', wholeNumber, 2_000)
  .option('--seed <number>', 'of the random numbers', wholeNumber, 1)
  .option('--recipes <names>', 'separated by commas', 'system1,system2-local,mnemis-local')
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ unrelated, seed, recipes }) =>
    print(await benchEnumeration({ unrelated, seed, recipes: String(recipes).split(',') })),
  );

program
  .command('global-selection')
  .description(
    'Calls, tokens and coverage of Global Selection by a rehearsed model, by size of memory and lever',
  )
  .requiredOption('--data <file>', 'conversations in LoCoMo’s format')
  .option('--questions <number>', 'questions of one memory, at most', wholeNumber, 20)
  .option('--seed <number>', 'of the sample of questions', wholeNumber, 1)
  .option('--json', 'one JSON document')
  .action(async ({ data, questions, seed, json }) => {
    const report = await benchGlobalSelection({ data, questions, seed });
    if (report === null) process.stderr.write(`Skipped: there is no file ${data}.\n`);
    else if (json) print(report);
    else process.stdout.write(`${describeReport(report)}\n`);
  });

program
  .command('pagerank')
  .description('PageRank on the memories of conversations: the iteration alone, and the whole route')
  .requiredOption('--data <file>', 'conversations in LoCoMo’s format')
  .option('--recipe <name>', 'one with a PageRank in it', 'memorai')
  .option('--questions <number>', 'questions of one memory, at most', wholeNumber, 200)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ data, recipe, questions }) => {
    const report = await benchPagerank({ data, recipe, questions });
    if (report === null) process.stderr.write(`Skipped: there is no file ${data}.\n`);
    else print(report);
  });

program
  .command('hierarchy')
  .description('What the categories over many entities cost to build, and to keep up when a few more come')
  .option('--entities <number>', 'entities at first', wholeNumber, 10_000)
  .option('--seed <number>', 'of the random numbers', wholeNumber, 1)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ entities, seed }) => print(await benchHierarchy({ entities, added: 0.01, seed })));

program
  .command('long-lived')
  .description('Memory and event loop of a process with mixed traffic over many scopes of one file')
  .option('--operations <number>', 'calls; 4400 are some 4,100 turns and 210 forgettings', wholeNumber, 600)
  .option('--minutes <number>', 'for so long instead, however many calls that are', wholeNumber)
  .option('--scopes <number>', 'memories of users', wholeNumber, 20)
  .option('--seed <number>', 'of the random numbers', wholeNumber, 1)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ operations, minutes = null, scopes, seed }) =>
    print(await benchLongLived({ operations, minutes, scopes, seed })),
  );

program
  .command('hostile-texts')
  .description('Time and longest hold of the thread for long turns of one repeated shape each')
  .option('--characters <number>', 'of the longest turn', wholeNumber, 250_000)
  .option('--timeout <seconds>', 'after which a shape counts as one that does not end', wholeNumber, 90)
  .option('--only <text>', 'shapes with this in their names')
  .option('--warm', 'all shapes in one process, at the whole length alone', false)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ characters, timeout, only, warm }) =>
    print(await benchHostileTexts({ characters, timeoutSeconds: timeout, only, warm })),
  );

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
