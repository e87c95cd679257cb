import { z } from 'zod';
import type { EpisodeStatus } from '../model/nodes.ts';
import { type Section, type Sections, sectionJson } from './sections.ts';

const schema = z.object({ pending: z.array(z.string()), setAside: z.array(z.string()) });

/** How far live turns got on their way into the graph: ids of those that wait for it, and of those set aside. */
export class EnrichmentIndex {
  readonly #pending: Set<string>;
  readonly #setAside: Set<string>;

  constructor({ pending, setAside }: { pending?: Iterable<string>; setAside?: Iterable<string> } = {}) {
    this.#pending = new Set(pending);
    this.#setAside = new Set(setAside);
  }

  get pending(): ReadonlySet<string> {
    return this.#pending;
  }

  get setAside(): ReadonlySet<string> {
    return this.#setAside;
  }

  set(id: string, status: EpisodeStatus): void {
    this.remove(id);
    if (status === 'stored') this.#pending.add(id);
    if (status === 'set-aside') this.#setAside.add(id);
  }

  remove(id: string): void {
    this.#pending.delete(id);
    this.#setAside.delete(id);
  }

  toSections(): Sections {
    const json = { pending: [...this.#pending], setAside: [...this.#setAside] };
    return new Map<string, Section>([['enrichment', { json }]]);
  }

  /** Null when the sections are not those of an enrichment index. */
  static fromSections(sections: Sections): EnrichmentIndex | null {
    const ids = sectionJson(sections, 'enrichment', schema);
    return ids && new EnrichmentIndex(ids);
  }
}
