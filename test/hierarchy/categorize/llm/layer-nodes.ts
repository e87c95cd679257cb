import type { LayerNode } from '../../../../src/hierarchy/categorizer.ts';
import type { FakeReply } from '../../../fakes/language-model/fake-language-model.ts';

/** Nodes with their name in the id; a vector if one is given. */
export function layerNode(name: string, more: Partial<LayerNode> = {}): LayerNode {
  return { id: `id of ${name}`, name, tags: [], vector: null, ...more };
}

export const layerNodes = (...names: string[]): LayerNode[] => names.map((name) => layerNode(name));

/** A unit vector at this many degrees from the first axis, in a plane of its own. */
export function vectorAt(degrees: number, plane = 0): Float32Array {
  const vector = new Float32Array(8);
  vector[2 * plane] = Math.cos((degrees * Math.PI) / 180);
  vector[2 * plane + 1] = Math.sin((degrees * Math.PI) / 180);
  return vector;
}

/** The contents of a prompt: names by number, and the offered categories. */
export interface ShownPrompt {
  readonly nodes: readonly string[];
  readonly known: readonly string[];
  readonly below: readonly string[];
  readonly within: string | undefined;
  readonly system: string;
}

export function readPrompt({ system, user }: Pick<Parameters<FakeReply>[0], 'system' | 'user'>): ShownPrompt {
  const lines = user.split('\n').slice(1, -1);
  const listed = (label: string) =>
    lines.find((line) => line.startsWith(`${label}: `))?.slice(label.length + 2);
  const nodes = lines.flatMap((line) => /^\d+ (.*?)(?: \[[^\]]*\])?$/.exec(line)?.[1] ?? []);
  return {
    nodes,
    known: listed('known')?.split('; ') ?? [],
    below: listed('also in the layer below')?.split('; ') ?? [],
    within: listed('within'),
    system,
  };
}

/** A reply that puts the nodes of these names into each category. */
export function replyOf(shown: ShownPrompt, categories: Readonly<Record<string, readonly string[]>>) {
  const entries = Object.entries(categories).map(([category, names]) => ({
    category,
    tags: [],
    nodes: names.map((name) => shown.nodes.indexOf(name) + 1).filter((number) => number > 0),
  }));
  return { categories: entries.filter(({ nodes }) => nodes.length > 0) };
}
