import type { Categorization, CategorizeRequest, Categorizer } from '../../src/hierarchy/categorizer.ts';
import { NO_MODEL_USAGE } from '../../src/inference/language-model/tokens/usage-meter.ts';

type Group = (request: CategorizeRequest) => Categorization['categories'];

export function categorizerOf(group: Group, nodesAtOnce: number | null = null): Categorizer {
  return {
    name: 'fake',
    nodesAtOnce,
    categorize: async (request) => ({ categories: group(request), notes: [], usage: NO_MODEL_USAGE }),
  };
}

/**
 * Names are "Kind number". Groups by kind, in higher layers by the kind's first letter. With several nodes per call,
 * groups only due and loose nodes.
 */
export function byKind(nodesAtOnce: number | null = null): Categorizer {
  return categorizerOf(({ nodes, due, loose, layer }) => {
    const groups = new Map<string, string[]>();
    for (const { id, name } of nodes) {
      if (nodesAtOnce !== null && !due.has(id) && !loose.has(id)) continue;
      const [kind = ''] = name.split(' ');
      const key = layer === 1 ? kind : `Words with ${kind.slice(0, 1)}`;
      groups.set(key, [...(groups.get(key) ?? []), id]);
    }
    return [...groups].map(([name, ids]) => ({ name, tags: ['kind'], nodes: ids }));
  }, nodesAtOnce);
}

const HOSTILE_NAMES = [
  'Speaker',
  'Food and Drinks',
  'A & B / C',
  '',
  '\u0000\u001b[31m',
  'x'.repeat(5_000),
  'constructor',
  '__proto__',
  'Item 1',
  'and',
  'Cities',
  'city',
];

/** Random output: unknown ids, nodes in every category, empty groups, invalid names. Deterministic for a seed. */
export function hostile(seed: number, nodesAtOnce: number | null = null): Categorizer {
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state % below;
  };
  return categorizerOf(({ nodes }) => {
    return Array.from({ length: random(30) }, () => {
      const size = random(12);
      const ids = Array.from({ length: size }, () =>
        random(6) === 0 || nodes.length === 0 ? `none-${random(9)}` : nodes[random(nodes.length)]!.id,
      );
      const name = random(2) === 0 ? HOSTILE_NAMES[random(HOSTILE_NAMES.length)]! : `Group ${random(8)}`;
      return { name, tags: Array.from({ length: random(9) }, (_, at) => `tag ${at}`), nodes: ids };
    });
  }, nodesAtOnce);
}
