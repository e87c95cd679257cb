import { appendFileSync, readFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { register, syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Prints what each stage of a small memory loads, as JSON: modules, and the files of `models` that it reads whole. Runs in a
 * process of its own.
 */
const path = process.argv[2]!;
const list = join(dirname(path), 'loaded.txt');
appendFileSync(list, '');
const hooks = `import { appendFileSync } from 'node:fs';
export async function load(url, context, next) {
  appendFileSync(${JSON.stringify(list)}, url + '\\n');
  return next(url, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
const { open } = files;
files.open = async (...input) => {
  const handle = await open(...input);
  const readFile = handle.readFile.bind(handle) as () => Promise<Buffer>;
  const readWhole = () => {
    appendFileSync(list, `${pathToFileURL(String(input[0])).href}\n`);
    return readFile();
  };
  return Object.assign(handle, { readFile: readWhole });
};
syncBuiltinESMExports();

const root = pathToFileURL(join(import.meta.dirname, '../..')).href;
const stages: Record<string, string[]> = {};
let seen = 0;
function stage(name: string): void {
  const urls = readFileSync(list, 'utf8').split('\n').slice(0, -1);
  stages[name] = urls.slice(seen).map((url) => url.replace(`${root}/`, '').replace(/\?.*$/, ''));
  seen = urls.length;
}

const { Mnemis } = await import('../../src/index.ts');
stage('import');
const engine = await Mnemis.open({ path });
stage('open');
const memory = engine.scope('ana');
await memory.add({ speaker: 'Ana', content: 'I moved to Ghent.', session: 'a', at: '2026-01-05T10:00:00Z' });
await memory.search('Where does Ana live?');
stage('search');
await memory.flush();
stage('flush');
await memory.ask('Where does Ana live?');
stage('ask');
await engine.close();
process.stdout.write(JSON.stringify(stages));
