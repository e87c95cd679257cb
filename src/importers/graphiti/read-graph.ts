import { fileLines } from '../file-lines.ts';
import type { ImportFile } from '../files/import-file.ts';
import { parseJson } from '../parse-json.ts';
import type { ReadContext } from '../read-context.ts';
import { readElements } from '../read-elements.ts';
import { dumpSchema, entitySchema, rowSchema } from './schema.ts';

/** What stands in a file, still to be checked. */
export interface GraphEntry {
  readonly kind: 'episode' | 'edge' | 'problem';
  readonly where: string;
  /** Of a problem, the reason. */
  readonly value: unknown;
}

export interface Graph {
  readonly entries: readonly GraphEntry[];
  /** Of entities, by uuid. */
  readonly names: ReadonlyMap<string, string>;
}

/** Reads a whole file: statements name entities and turns that may stand anywhere in it. */
export async function readGraph(file: ImportFile, context: ReadContext): Promise<Graph> {
  const graph = new GraphBuilder();
  const isLines = /\.(?:jsonl|ndjson)$/i.test(file.name) || (await beginsWithRow(file));
  if (isLines)
    for await (const line of fileLines(file, context)) {
      const where = `${context.in(file)}line ${line.number}`;
      if ('problem' in line) graph.problem(where, line.problem);
      else if (line.text.trim() !== '') {
        const json = parseJson(line.text);
        if (json.ok) graph.row(where, json.value);
        else graph.problem(where, json.reason);
      }
    }
  else
    for await (const element of readElements(file, context)) {
      const where = `${context.in(file)}entry ${element.number}`;
      if ('problem' in element) graph.problem(where, element.problem);
      else if (element.alone) graph.dump(element.value, context.in(file));
      else graph.row(where, element.value);
    }
  return graph;
}

/** Lines of JSON are told from one document by their first line, which is a row of its own. */
async function beginsWithRow(file: ImportFile): Promise<boolean> {
  for await (const chunk of file.open()) {
    const text = new TextDecoder().decode(chunk.subarray(0, 200));
    return /^\s*\{\s*"type"\s*:\s*"(?:node|relationship)"/.test(text);
  }
  return false;
}

class GraphBuilder implements Graph {
  readonly entries: GraphEntry[] = [];
  readonly names = new Map<string, string>();

  problem(where: string, reason: string): void {
    this.entries.push({ kind: 'problem', where, value: reason });
  }

  row(where: string, value: unknown): void {
    const row = rowSchema.safeParse(value);
    if (!row.success) this.#bare(where, value);
    else if (row.data.type === 'node') this.#node(where, row.data);
    else if (row.data.label === 'RELATES_TO') {
      const { end, properties, start } = row.data;
      const ends = { source_node_uuid: this.#name(start), target_node_uuid: this.#name(end) };
      this.entries.push({ kind: 'edge', where, value: { ...ends, ...properties } });
    }
  }

  /** A row without its kind, as in a list of episodes or of edges alone. */
  #bare(where: string, value: unknown): void {
    const has = (key: string) => typeof value === 'object' && value !== null && key in value;
    if (has('fact')) this.entries.push({ kind: 'edge', where, value });
    else if (has('content')) this.entries.push({ kind: 'episode', where, value });
    else if (this.#entity(value) === null) this.problem(where, 'is no episode, entity or edge of Graphiti');
  }

  #node(where: string, { labels, properties }: { labels: readonly string[]; properties: unknown }): void {
    if (labels.includes('Episodic')) this.entries.push({ kind: 'episode', where, value: properties });
    else if (labels.includes('Entity')) this.#entity(properties);
  }

  /** An end of a row of Neo4j names its node, where its properties are written along. */
  #name(end: { readonly properties?: unknown } | undefined): string | null {
    return this.#entity(end?.properties);
  }

  #entity(value: unknown): string | null {
    const entity = entitySchema.safeParse(value);
    if (!entity.success) return null;
    this.names.set(entity.data.uuid, entity.data.name);
    return entity.data.uuid;
  }

  dump(value: unknown, before: string): void {
    const dump = dumpSchema.safeParse(value);
    if (!dump.success) this.problem(`${before}entry 1`, 'is no export of Graphiti');
    const data = dump.data ?? {};
    const add = (kind: string, list: readonly unknown[] | null | undefined) => {
      for (const [position, each] of (list ?? []).entries())
        this.row(`${before}${kind} ${position + 1}`, each);
    };
    add('entity', data.entities ?? data.entity_nodes);
    add('node', data.nodes);
    add('episode', data.episodes ?? data.episodic_nodes);
    add('edge', data.edges ?? data.entity_edges ?? data.facts ?? data.rels);
  }
}
