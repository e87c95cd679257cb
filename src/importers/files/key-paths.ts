const MAX_DEPTH = 5;
const MAX_KEYS = 5_000;
const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{},:]/gs;

interface Open {
  readonly path: string;
  readonly isList: boolean;
  key: string;
}

/** The keys of JSON text that may be broken off, as paths from the root; a list is "[]". Nothing for other text. */
export function keyPaths(text: string): ReadonlySet<string> {
  const keys = new Set<string>();
  if (!/^\s*[[{]/.test(text)) return keys;
  const open: Open[] = [];
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '{' || token === '[') open.push(opened(open.at(-1), token === '['));
    else if (token === '}' || token === ']') {
      open.pop();
      if (open.length === 0) return keys;
    } else if (token === ':' && last.startsWith('"')) {
      const inside = open.at(-1)!;
      inside.key = last.slice(1, -1);
      if (open.length <= MAX_DEPTH) keys.add(join(inside));
      if (keys.size >= MAX_KEYS) return keys;
    }
    last = token;
  }
  return keys;
}

function opened(outside: Open | undefined, isList: boolean): Open {
  const path = outside === undefined ? '' : outside.isList ? outside.path : join(outside);
  return { path: isList ? `${path}[]` : path, isList, key: '' };
}

function join({ path, key }: Open): string {
  return path === '' ? key : `${path}.${key}`;
}
