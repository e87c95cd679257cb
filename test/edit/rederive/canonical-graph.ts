import { readScopeRows, type ScopeRows } from '../../../src/edit/rederive/scope-rows.ts';
import type { Scope } from '../../../src/model/ids.ts';
import type { GraphStore } from '../../../src/store/graph-store.ts';

/**
 * The base graph of a scope without its ids and system times: what a row says, what it rests on and what it is joined
 * to. Two graphs are equal up to ids when these are.
 */
export async function canonicalGraph(store: GraphStore, scope: Scope): Promise<string[]> {
  return canonical(await readScopeRows(store, scope));
}

export function canonical({ nodes, edges }: ScopeRows): string[] {
  const label = new Map<string, string>();
  for (const { id, session, index, version, content } of nodes.episode.values())
    label.set(id, `turn ${session}/${index}.${version} ${content}`);
  const ends = (
    id: string,
    kind: 'EVIDENCED_BY' | 'MENTIONS' | 'IN_SEGMENT' | 'ABOUT',
    end: 'from' | 'to',
  ) => {
    const other = end === 'from' ? 'to' : 'from';
    return edges[kind]
      .filter((edge) => edge[end] === id)
      .map((edge) => label.get(edge[other]) ?? '?')
      .sort();
  };
  for (const row of nodes.segment.values()) {
    const { id, session, summary, keywords, startAt, endAt, profile, expiredAt } = row;
    const turns = ends(id, 'IN_SEGMENT', 'to');
    label.set(id, said('segment', { session, summary, keywords, startAt, endAt, profile, turns }, expiredAt));
  }
  for (const row of nodes.fact.values()) {
    const { id, createdAt: _made, expiredAt, ...rest } = row;
    label.set(id, said('fact', { ...rest, rests: ends(id, 'EVIDENCED_BY', 'from') }, expiredAt));
  }
  const profiles = new Map<string, string[]>();
  for (const { owner, name, aliases, summary, tags, expiredAt } of nodes.profile.values())
    profiles.set(owner, [
      ...(profiles.get(owner) ?? []),
      said('profile', { name, aliases: [...aliases].sort(), summary, tags }, expiredAt),
    ]);
  for (const { id } of nodes.entity.values())
    label.set(
      id,
      `entity ${JSON.stringify([(profiles.get(id) ?? []).sort(), ends(id, 'MENTIONS', 'to'), ends(id, 'ABOUT', 'to')])}`,
    );
  for (const { id, entity, segment, text } of nodes.description.values())
    label.set(id, `description ${JSON.stringify([label.get(entity), label.get(segment), text])}`);
  const rows = [...nodes.episode.values()].map(
    ({ id, gate, verified, status, validAt, expiredAt }) =>
      `${label.get(id)} ${JSON.stringify([gate, verified, status, validAt, expiredAt === null])}`,
  );
  const others = [
    ...nodes.segment.keys(),
    ...nodes.fact.keys(),
    ...nodes.entity.keys(),
    ...nodes.description.keys(),
  ];
  const joined = Object.values(edges)
    .flat()
    .map(
      ({ kind, from, to, role, relation, confidence }) =>
        `${kind} ${JSON.stringify([role, relation, confidence])} ${label.get(from)} → ${label.get(to)}`,
    );
  return [...rows, ...others.map((id) => label.get(id)!), ...joined].sort();
}

function said(what: string, columns: object, expiredAt: number | null): string {
  return `${what} ${JSON.stringify(without(columns, 'id'))}${expiredAt === null ? '' : ' (expired)'}`;
}

function without(columns: object, name: string): object {
  return Object.fromEntries(Object.entries(columns).filter(([key]) => key !== name));
}

/** What one has and the other has not, for a message. */
export function differences(found: readonly string[], wanted: readonly string[]): string {
  const count = (list: readonly string[]) => {
    const counts = new Map<string, number>();
    for (const each of list) counts.set(each, (counts.get(each) ?? 0) + 1);
    return counts;
  };
  const [left, right] = [count(found), count(wanted)];
  const more = [...left].filter(([each, n]) => n > (right.get(each) ?? 0)).map(([each]) => `+ ${each}`);
  const less = [...right].filter(([each, n]) => n > (left.get(each) ?? 0)).map(([each]) => `- ${each}`);
  return [...more, ...less]
    .sort((a, b) => a.length - b.length)
    .slice(0, 6)
    .map((each) => each.slice(0, 600))
    .join('\n');
}
