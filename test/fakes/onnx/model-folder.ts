import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TokenizerJson } from './tiny-tokenizers.ts';

export interface ModelFolder {
  readonly path: string;
  remove(): void;
}

/** A folder as a download leaves it: the graph at its path in the repository, the tokenizer beside it. */
export function writeModelFolder(
  graph: Uint8Array,
  { tokenizer, config }: Pick<TokenizerJson, 'tokenizer' | 'config'>,
  graphPath = 'onnx/model.onnx',
): ModelFolder {
  const path = mkdtempSync(join(tmpdir(), 'mnemis-model-'));
  mkdirSync(dirname(join(path, graphPath)), { recursive: true });
  writeFileSync(join(path, graphPath), graph);
  writeFileSync(join(path, 'tokenizer.json'), JSON.stringify(tokenizer));
  writeFileSync(join(path, 'tokenizer_config.json'), JSON.stringify(config));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
