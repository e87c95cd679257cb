import type { z } from 'zod';

export type SectionArray = Float32Array | Float64Array | Uint32Array | Int32Array | Uint8Array | Int8Array;

/** A named section of a snapshot: an array of numbers, or JSON. */
export type Section = SectionArray | { readonly json: unknown };
export type Sections = ReadonlyMap<string, Section>;

type SectionConstructor<A extends SectionArray> = abstract new (...parameters: never[]) => A;

/** The numbers of a section; null if it is missing or of another type. */
export function sectionArray<A extends SectionArray>(
  sections: Sections,
  name: string,
  type: SectionConstructor<A>,
): A | null {
  const section = sections.get(name);
  return section instanceof type ? section : null;
}

/** The value of a JSON section; null if it is missing or does not fit the schema. */
export function sectionJson<T>(sections: Sections, name: string, schema: z.ZodType<T>): T | null {
  const section = sections.get(name);
  if (section === undefined || !('json' in section)) return null;
  const parsed = schema.safeParse(section.json);
  return parsed.success ? parsed.data : null;
}

/** Adds a prefix to every name, so that several indexes share one snapshot. */
export function prefixSections(prefix: string, sections: Sections): Sections {
  return new Map(Array.from(sections, ([name, section]) => [prefix + name, section]));
}

/** The sections whose names start with `prefix`, without it. */
export function sectionsUnder(prefix: string, sections: Sections): Sections {
  const found = new Map<string, Section>();
  for (const [name, section] of sections) {
    if (name.startsWith(prefix)) found.set(name.slice(prefix.length), section);
  }
  return found;
}
