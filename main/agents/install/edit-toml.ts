import { parse } from 'smol-toml';
import { ConfigBrokenError } from './errors.ts';
import type { Insertion } from './insertion.ts';

export const TOML_BEGIN = '# mnemis: begin';
const TOML_END = '# mnemis: end';
const BLOCK = new RegExp(`${TOML_BEGIN}.*\\r?\\n(?:.*\\r?\\n)*?${TOML_END}.*(?:\\r?\\n|$)`);

/** @throws ConfigBrokenError for what is no TOML */
export function checkToml(text: string, file: string): void {
  try {
    parse(text);
  } catch (error) {
    const { line } = error as { readonly line?: number };
    throw new ConfigBrokenError(file, `it is not TOML${line === undefined ? '' : ` at line ${line}`}`);
  }
}

/** The block at the end of a text, between two lines that name it. */
export function withBlock(text: string, block: string): Insertion {
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const glue = text === '' ? '' : text.endsWith('\n') ? eol : `${eol}${eol}`;
  const lines = [
    `${TOML_BEGIN} ("mnemis agent uninstall codex" removes it)`,
    ...block.trimEnd().split('\n'),
    TOML_END,
  ];
  return { at: text.length, text: `${glue}${lines.join(eol)}${eol}` };
}

/** The text without the block: as it was inserted, else our tables between its two lines. */
export function withoutBlock(text: string, put: string | undefined): string {
  if (put !== undefined && text.includes(put)) return text.replace(put, () => '');
  return text.replace(BLOCK, othersIn);
}

const TABLE = /^\s*\[[^,]*\]\s*(?:#.*)?$/;
const OWN_TABLE = /^\s*(?:\[\[hooks\.|\[mcp_servers\.mnemis[.\]])/;

/** Tables of others in a block: Codex puts new ones before the comment at the end of the file. */
function othersIn(block: string): string {
  const lines = block.split(/(?<=\n)/);
  const end = lines.findLastIndex((line) => line.startsWith(TOML_END));
  let isOthers = false;
  const kept = lines.slice(0, end).filter((line) => {
    if (TABLE.test(line)) isOthers = !OWN_TABLE.test(line);
    return isOthers;
  });
  return kept.join('');
}
