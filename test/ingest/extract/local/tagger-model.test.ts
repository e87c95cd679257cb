import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import winkModel from 'wink-eng-lite-web-model';
import winkNLP from 'wink-nlp';
import type { WinkCore } from '../../../../scripts/static-model/tagger-model-file.ts';
import {
  readTaggerModel,
  TAGGER_MODEL_FILE,
  winkCore,
} from '../../../../src/ingest/extract/local/tagger-model.ts';
import { packageFile } from '../../../../src/util/files.ts';
import { freshFolder } from '../../../fixtures/fresh-folder.ts';

const folder = freshFolder();

const model = await readTaggerModel();
const original = (winkModel.core as () => WinkCore)();
const TEXTS = [
  ...readFileSync(packageFile('docs/design.md')!, 'utf8').split('\n'),
  "She's been to Zaneblik, ZANEBLIK and zanebliks; they’ve won't constructor __proto__ toString.",
  'Zaneblik zanebliked the crimée\u0301 café 🙂 😀 at 10:30pm, $4.50 & #tag @me see https://x.io\n\nok…',
];

describe('the bundled model of the tagger', () => {
  it('has the words and the lexicon of wink', () => {
    const { list } = original.features.lexeme;
    expect(model.words.size).toBe(list.length);
    expect(list.findIndex((word, at) => model.words.at(at) !== word)).toBe(-1);
    expect(list.findIndex((word, at) => model.words.indexOf(word) !== at)).toBe(-1);
    expect([model.words.at(-1), model.words.at(list.length)]).toEqual([undefined, undefined]);
    expect(model.words.indexOf('zaneblik')).toBeUndefined();
    expect(Buffer.compare(Buffer.from(model.lexicon.buffer), Buffer.from(original.lexicon.buffer))).toBe(0);
    expect(model.expansions).toEqual(original.xpansions);
  });

  it('gives the tokens, classes and lemmas of wink, also for words that it learns', () => {
    const ours = winkNLP({ ...winkModel, core: () => winkCore(model) }, ['pos']);
    const theirs = winkNLP({ ...winkModel, core: () => original }, ['pos']);
    const [read, wanted] = [ours, theirs].map((nlp) => {
      const { its } = nlp;
      return [...TEXTS, ...TEXTS].map((text) => {
        const tokens = nlp.readDoc(text).tokens();
        return [tokens.out(), tokens.out(its.pos), tokens.out(its.lemma as never)];
      });
    });
    expect(read!.length).toBeGreaterThan(100);
    expect(read).toEqual(wanted);
  });

  it('rejects a file that is something else, cut off or too long', async () => {
    const bytes = readFileSync(packageFile(TAGGER_MODEL_FILE)!);
    const file = join(folder, 'tagger.bin');
    for (const other of [
      Buffer.from('hello'),
      bytes.subarray(0, 1_000),
      bytes.subarray(0, 1_500_000),
      bytes.subarray(0, -1),
      Buffer.concat([bytes, Buffer.from('a')]),
    ]) {
      writeFileSync(file, other);
      await expect(readTaggerModel(file)).rejects.toMatchObject({ code: 'bundled-file' });
    }
  });
});
