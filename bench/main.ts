import { Command } from 'commander';
import { wholeNumber } from '../main/cli/flags.ts';
import { benchAgents } from './agents.ts';
import { benchApp } from './app.ts';
import { benchBrowse } from './browse.ts';
import { benchCluster } from './cluster.ts';
import { benchCopy } from './copy.ts';
import { benchEmbedding } from './embedding.ts';
import { benchEnumeration } from './enumeration.ts';
import { benchFind } from './find.ts';
import { benchFootprint } from './footprint.ts';
import { benchForget } from './forget.ts';
import { benchGlobalSelection } from './global-selection.ts';
import { benchGraphs } from './graphs.ts';
import { benchGrowth } from './growth.ts';
import { benchGuard, describeGuard } from './guard.ts';
import { benchHierarchy } from './hierarchy.ts';
import { benchHostileTexts } from './hostile-texts.ts';
import { benchImport } from './import.ts';
import { benchIngest } from './ingest.ts';
import { benchInstall } from './install.ts';
import { benchJudging } from './judging.ts';
import { benchLargeScope } from './large-scope.ts';
import { benchLocalModel } from './local-model.ts';
import { benchLongLived } from './long-lived.ts';
import { benchOnnx } from './onnx.ts';
import { benchPagerank } from './pagerank.ts';
import { benchReembed } from './reembed.ts';
import { benchSearch } from './search.ts';
import { describeReport } from './selection/selection-report.ts';
import { benchSize, describeSizes } from './size.ts';
import { benchStatic } from './static.ts';
import { benchStore } from './store.ts';
import { benchStores } from './stores.ts';
import { benchVectors } from './vectors.ts';
import { benchWaiting } from './waiting.ts';

/** `npm run bench -- …`: results as one JSON document on standard output, progress on standard error. */
const program = new Command('bench').description('Measure the engine on synthetic conversations.');

program
  .command('search')
  .description('Latency, exactness, opening time and size of a memory of N episodes')
  .option('--episodes <number>', 'episodes', wholeNumber, 10_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchSearch({ episodes, dimension })));

program
  .command('find')
  .description('Latency of the app’s search over turns, facts, names and messages')
  .option('--turns <number>', 'turns', wholeNumber, 100_000)
  .option('--entities <number>', 'entities', wholeNumber, 20_000)
  .option('--facts <number>', 'facts', wholeNumber, 60_000)
  .option('--messages <number>', 'messages of chats of the app', wholeNumber, 20_000)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ json: _, ...size }) => print(await benchFind(size)));

program
  .command('ingest')
  .description('Turns per second through the whole local tier')
  .option('--episodes <number>', 'episodes', wholeNumber, 10_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchIngest({ episodes, dimension })));

program
  .command('growth')
  .description('Ingestion, opening, searches, memory and file by the number of episodes')
  .option('--sizes <numbers>', 'numbers of episodes, ascending, separated by commas', '10000,100000')
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--stored-only', 'store and search the turns, without consolidating them', false)
  .option('--sqlite', 'in a SQLite file', false)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ sizes, dimension, storedOnly, sqlite }) =>
    print(
      await benchGrowth({
        sizes: String(sizes).split(',').map(wholeNumber),
        dimension,
        storedOnly,
        ending: sqlite ? '.sqlite' : '.db',
      }),
    ),
  );

program
  .command('vectors')
  .description('The vector index alone, beside the time to read the same bytes')
  .option('--rows <number>', 'vectors', wholeNumber, 1_000_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ rows, dimension }) => print(await benchVectors({ rows, dimension })));

program
  .command('import')
  .description('Latency of searches while the same number of turns is imported, compared with an idle memory')
  .option('--episodes <number>', 'episodes before the import, and to import', wholeNumber, 2_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchImport({ episodes, dimension })));

program
  .command('cluster')
  .description('Adds and searches per second of 1, 2 and 4 processes on one memory in Postgres')
  .option('--scopes <number>', 'scopes', wholeNumber, 1_000)
  .option('--turns <number>', 'turns in each scope at the start', wholeNumber, 20)
  .option('--seconds <number>', 'length of each measurement', wholeNumber, 10)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ scopes, turns, seconds }) =>
    print(await benchCluster({ scopes, turns, seconds, processes: [1, 2, 4] })),
  );

program
  .command('agents')
  .description('Latency of graph runs when many agents share one memory, compared with one agent')
  .option('--agents <number>', 'concurrent agents', wholeNumber, 50)
  .option('--runs <number>', 'runs per agent', wholeNumber, 10)
  .option('--episodes <number>', 'episodes in the memory at the start', wholeNumber, 1_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ agents, runs, episodes, dimension }) =>
    print(await benchAgents({ agents, runs, episodes, dimension })),
  );

program
  .command('graphs')
  .description('What the graphs add to the work of their nodes: search, ask and flush')
  .option('--episodes <number>', 'episodes', wholeNumber, 2_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchGraphs({ episodes, dimension })));

program
  .command('forget')
  .description('Seconds to forget one turn, by its age, compared with ingesting all turns')
  .option('--episodes <number>', 'episodes', wholeNumber, 2_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchForget({ episodes, dimension })));

program
  .command('reembed')
  .description('Texts per second when moving to another embedder')
  .option('--episodes <number>', 'episodes', wholeNumber, 10_000)
  .option('--dimension <number>', 'numbers per vector before', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchReembed({ episodes, dimension })));

program
  .command('large-scope')
  .description(
    'A scope on a Postgres server, held in memory and searched in the database: recall, latency, memory',
  )
  .requiredOption(
    '--url <url>',
    'an empty database with the extension vector, or one that this filled before',
  )
  .option('--episodes <number>', 'episodes', wholeNumber, 20_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ url, episodes, dimension }) => print(await benchLargeScope({ url, episodes, dimension })));

program
  .command('copy')
  .description('Rows per second of copying a memory to another store, and of comparing the two')
  .option('--episodes <number>', 'episodes', wholeNumber, 10_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension }) => print(await benchCopy({ episodes, dimension })));

program
  .command('enumeration')
  .description(
    'Evidence recall of questions for all things of a kind, whose turns are scattered and do not name the kind',
  )
  .option('--unrelated <number>', 'turns about something else', wholeNumber, 2_000)
  .option('--seed <number>', 'seed of the random numbers', wholeNumber, 1)
  .option('--recipes <names>', 'separated by commas', 'system1,system2-local,mnemis-local')
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ unrelated, seed, recipes }) =>
    print(await benchEnumeration({ unrelated, seed, recipes: String(recipes).split(',') })),
  );

program
  .command('global-selection')
  .description(
    'Calls, tokens and coverage of Global Selection with a simulated model, by size of memory and setting',
  )
  .requiredOption('--data <file>', 'conversations in LoCoMo’s format')
  .option('--questions <number>', 'most questions per memory', wholeNumber, 20)
  .option('--seed <number>', 'seed of the sample of questions', wholeNumber, 1)
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
  .option('--recipe <name>', 'a recipe with PageRank', 'memorai')
  .option('--questions <number>', 'most questions per memory', wholeNumber, 200)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ data, recipe, questions }) => {
    const report = await benchPagerank({ data, recipe, questions });
    if (report === null) process.stderr.write(`Skipped: there is no file ${data}.\n`);
    else print(report);
  });

program
  .command('hierarchy')
  .description('Cost of building the categories of many entities, and of updating them for a few new ones')
  .option('--entities <number>', 'entities at the start', wholeNumber, 10_000)
  .option('--seed <number>', 'seed of the random numbers', wholeNumber, 1)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ entities, seed }) => print(await benchHierarchy({ entities, added: 0.01, seed })));

program
  .command('long-lived')
  .description('Memory and event loop of a process with mixed traffic over many scopes of one file')
  .option('--operations <number>', 'calls; 4400 give about 4,100 turns and 210 forgettings', wholeNumber, 600)
  .option('--minutes <number>', 'run for this time instead of a number of calls', wholeNumber)
  .option('--scopes <number>', 'number of scopes', wholeNumber, 20)
  .option('--seed <number>', 'seed of the random numbers', wholeNumber, 1)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ operations, minutes = null, scopes, seed }) =>
    print(await benchLongLived({ operations, minutes, scopes, seed })),
  );

program
  .command('hostile-texts')
  .description('Time and longest block of the thread for long turns of one repeated shape each')
  .option('--characters <number>', 'length of the longest turn', wholeNumber, 250_000)
  .option('--timeout <seconds>', 'time limit for each shape', wholeNumber, 90)
  .option('--only <text>', 'only shapes with this text in their name')
  .option('--warm', 'all shapes in one process, only at the full length', false)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ characters, timeout, only, warm }) =>
    print(await benchHostileTexts({ characters, timeoutSeconds: timeout, only, warm })),
  );

program
  .command('onnx')
  .description(
    'Embedding through an ONNX session, compared with the session alone (random weights of MiniLM’s shape)',
  )
  .option('--rounds <number>', 'rounds', wholeNumber, 15)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ rounds }) => print(await benchOnnx({ rounds })));

program
  .command('embedding')
  .description('Ingestion of LoCoMo with a model of files, compared with the table and the bare session')
  .requiredOption('--data <file>', 'LoCoMo’s file')
  .requiredOption('--models-folder <folder>', 'folder of the models')
  .option('--embedder <name>', 'the model', 'all-minilm-l6-v2:int8')
  .option('--conversations <number>', 'of the file', wholeNumber, 5)
  .option('--rounds <number>', 'rounds, of which the least counts', wholeNumber, 3)
  .option('--json', 'one JSON document (the only form)')
  .action(async (options) => print(await benchEmbedding(options)));

program
  .command('app')
  .description('The app’s page in Chromium: first content, what it loads, typing during an import, scrolling')
  .option('--messages <number>', 'messages of the conversation that is scrolled', wholeNumber, 5_000)
  .option('--runs <number>', 'repetitions, for medians', wholeNumber, 5)
  .option('--keys <number>', 'keys that are typed', wholeNumber, 300)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ messages, runs, keys }) => print(await benchApp({ messages, runs, keys })));

program
  .command('browse')
  .description(
    'The browse screens in Chromium: opening tree and graph, an entity’s page, panning a large graph',
  )
  .option('--turns <number>', 'turns of the memory', wholeNumber, 100_000)
  .option('--entities <number>', 'entities', wholeNumber, 20_000)
  .option('--facts <number>', 'facts', wholeNumber, 60_000)
  .option('--nodes <number>', 'nodes of the graph: 300, 1500, 4000 or 10000', wholeNumber, 10_000)
  .option('--seconds <number>', 'how long it is panned', wholeNumber, 6)
  .option('--runs <number>', 'repetitions, for medians', wholeNumber, 5)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ turns, entities, facts, nodes, seconds, runs }) =>
    print(await benchBrowse({ turns, entities, facts, nodes, seconds, runs })),
  );

program
  .command('store')
  .description('Latency of queries over the items of a store')
  .option('--items <number>', 'items', wholeNumber, 2_000)
  .option('--queries <number>', 'queries', wholeNumber, 100)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ items, queries, dimension }) => print(await benchStore({ items, queries, dimension })));

program
  .command('stores')
  .description('SQLite compared with Kùzu: ingestion, opening, search, compaction, size and memory')
  .option('--episodes <number>', 'episodes', wholeNumber, 10_000)
  .option('--dimension <number>', 'numbers per vector', wholeNumber, 256)
  .option('--runs <number>', 'runs of each store, for medians', wholeNumber, 3)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ episodes, dimension, runs }) => print(await benchStores({ episodes, dimension, runs })));

program
  .command('static')
  .description('Short texts per second through the static embedder')
  .option('--json', 'one JSON document (the only form)')
  .action(async () => print(await benchStatic()));

program
  .command('install')
  .description('Size of an installation, and processor time and memory of a first import, search and flush')
  .option('--runs <number>', 'processes for each figure, of which the least counts', wholeNumber, 5)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ runs }) => print(await benchInstall(runs)));

program
  .command('size')
  .description('Where each byte of a conversation’s memory is, in each store, after a compaction')
  .requiredOption('--data <file>', 'conversations in LoCoMo’s format')
  .option('--conversation <number>', 'its position in the file', wholeNumber, 2)
  .option('--json', 'one JSON document')
  .action(async ({ data, conversation, json }) => {
    const reports = await benchSize(data, conversation);
    if (json) print(reports);
    else process.stdout.write(`${describeSizes(reports)}\n`);
  });

program
  .command('footprint')
  .description('Memory and disk of a small memory at each stage, with each store; needs the built package')
  .option('--runs <number>', 'processes for each stage, for medians', wholeNumber, 3)
  .option('--json', 'one JSON document (the only form)')
  .action(({ runs }) => print(benchFootprint(runs)));

program
  .command('waiting')
  .description('What somebody waits for: previews of imports of a long chat, in several formats')
  .option('--lines <number>', 'lines of the chat', wholeNumber, 20_000)
  .option('--json', 'one JSON document (the only form)')
  .action(async ({ lines }) => print(await benchWaiting({ lines })));

program
  .command('guard')
  .description('What matters of speed and size, compared with the last release; needs the built package')
  .option('--only <text>', 'only figures with this text in their name')
  .option('--update', 'keep the figures as those of the release', false)
  .option('--json', 'one JSON document')
  .action(({ only, update, json }) => {
    const rows = benchGuard({ only, update });
    if (json) print(rows);
    else process.stdout.write(`${describeGuard(rows)}\n`);
    if (!update && rows.some(({ isWithin }) => !isWithin)) process.exitCode = 1;
  });

program
  .command('local-model')
  .description('The host of chat models compared with its runtime called directly, reuse of prompts, memory')
  .argument('<file>', 'a .gguf file; node-llama-cpp is installed')
  .option('--rounds <number>', 'pairs of replies, for medians', wholeNumber, 9)
  .option('--calls <number>', 'replies under a grammar, for the growth of the process', wholeNumber, 500)
  .option('--json', 'one JSON document (the only form)')
  .action(async (file, { rounds, calls }) => print(await benchLocalModel(file, { rounds, calls })));

program
  .command('judging')
  .description('A chat model as a reranker: time for 20 candidates, and the order of known questions')
  .argument('<file>', 'a .gguf file; node-llama-cpp is installed')
  .option('--questions <number>', 'questions of the data set questions, at equal distances', wholeNumber, 30)
  .option('--json', 'one JSON document (the only form)')
  .action(async (file, { questions }) => print(await benchJudging(file, { questions })));

function print(report: unknown): void {
  process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
}

await program.parseAsync();
