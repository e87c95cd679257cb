/** A part of a text: words, or the numbers of a citation such as `[1, 2]`. */
export type CitedPart = { readonly text: string } | { readonly numbers: readonly number[] };

const CITATION = /\[(\d{1,3}(?:\s*[,;]\s*\d{1,3})*)\]/g;

export function splitCitations(text: string): readonly CitedPart[] {
  const parts: CitedPart[] = [];
  let from = 0;
  for (const match of text.matchAll(CITATION)) {
    if (match.index > from) parts.push({ text: text.slice(from, match.index) });
    parts.push({ numbers: match[1]!.split(/[,;]/).map(Number) });
    from = match.index + match[0].length;
  }
  if (from < text.length) parts.push({ text: text.slice(from) });
  return parts;
}

/** The part of a syntax tree that the plugin works on. */
interface Node {
  readonly type: string;
  readonly tagName?: string;
  readonly value?: string;
  children?: Node[];
  readonly properties?: Readonly<Record<string, unknown>>;
}

const LITERAL = new Set(['code', 'pre', 'a', 'math', 'svg']);

/** A rehype plugin: citations in text become `cite-mark` elements, except in code, links and formulas. */
export function rehypeCitations() {
  return (tree: Node): void => mark(tree);
}

function mark(node: Node): void {
  if (node.children === undefined || isLiteral(node)) return;
  node.children = node.children.flatMap((child) => {
    if (child.type !== 'text') {
      mark(child);
      return [child];
    }
    return splitCitations(child.value ?? '').map(
      (part): Node =>
        'text' in part
          ? { type: 'text', value: part.text }
          : {
              type: 'element',
              tagName: 'cite-mark',
              properties: { numbers: part.numbers.join(' ') },
              children: [],
            },
    );
  });
}

function isLiteral({ tagName, properties }: Node): boolean {
  if (tagName === undefined) return false;
  const classes = properties?.className;
  return (
    LITERAL.has(tagName) ||
    (Array.isArray(classes) && classes.some((name) => String(name).startsWith('katex')))
  );
}
