import type { MemoryScope } from '../../engine/memory-scope.ts';
import { asLabel, DATA, DATA_RULE, fence } from '../../prompts/as-data.ts';
import { described } from '../../util/described.ts';
import { isoDay } from '../../util/iso-day.ts';
import { isWithin, ROOT } from './file-path.ts';

/** The part of a scope that the files are made of. */
export type KnownMemory = Pick<MemoryScope, 'portrait' | 'hierarchy' | 'knowledge'>;

/** A file that memory makes when it is read. */
export interface KnownFile {
  readonly path: string;
  read(): Promise<string>;
}

const ABOUT = `${ROOT}/about`;
const TOPICS = `${ROOT}/topics`;
const DAYS = `${ROOT}/days`;
const DAY_FILE = /^(\d{4}-\d\d-\d\d)\.md$/;

const DAY = 86_400_000;
/** Files of each directory that a listing of the root names. */
const [MOST_TOPICS, MOST_DAYS] = [15, 7];
/** Topics and days that a listing of their own directory names. */
const [ALL_TOPICS, ALL_DAYS] = [100, 60];
/** Periods of so many days in which days with turns are looked for. */
const MOST_WINDOWS = 5;
const [LONGEST_NAME, LONGEST_LINE, LONGEST_SUMMARY] = [80, 300, 1_000];
const [MOST_OF_SECTION, MOST_FACTS, MOST_MEMBERS, MOST_TURNS] = [12, 30, 40, 100];

/** Whether memory alone writes there. */
export const isKnownPlace = (path: string): boolean =>
  [ABOUT, TOPICS, DAYS].some((directory) => isWithin(path, directory));

/**
 * Read-only files of what memory knows of a scope: people, topics and days. Each is made when it is read. Text of
 * memory is fenced as data.
 */
export class KnownFiles {
  readonly #memory: KnownMemory;

  constructor(memory: KnownMemory) {
    this.#memory = memory;
  }

  /** The files that a listing of the directory names. */
  async under(directory: string): Promise<readonly KnownFile[]> {
    const isRoot = directory === ROOT;
    const [people, topics, days] = await Promise.all([
      isRoot || directory === ABOUT ? this.#people() : [],
      isRoot || directory === TOPICS ? this.#topics(isRoot ? MOST_TOPICS : ALL_TOPICS) : [],
      isRoot || directory === DAYS ? this.#days(isRoot ? MOST_DAYS : ALL_DAYS) : [],
    ]);
    return [...people, ...topics, ...days];
  }

  /** The file at a path; null if memory makes none there. Every day with turns has one, listed or not. */
  async at(path: string): Promise<KnownFile | null> {
    const [, day] = DAY_FILE.exec(path.slice(DAYS.length + 1)) ?? [];
    if (isWithin(path, DAYS))
      return day === undefined || (await this.#textOfDay(day)) === null ? null : this.#day(day);
    const directory = path.slice(0, path.lastIndexOf('/'));
    return (await this.under(directory)).find((file) => file.path === path) ?? null;
  }

  async #people(): Promise<readonly KnownFile[]> {
    const { people } = await this.#memory.portrait({ limit: 1 });
    return named(ABOUT, people, ({ id }) => this.#textOfPerson(id));
  }

  async #topics(most: number): Promise<readonly KnownFile[]> {
    const nodes = await this.#memory.hierarchy.tree({ depth: 0, limit: most });
    const categories = nodes.filter(({ layer }) => layer > 0);
    return named(TOPICS, categories, ({ id }) => this.#textOfTopic(id));
  }

  /** The latest days with turns, in order, beyond long times without any. */
  async #days(most: number): Promise<readonly KnownFile[]> {
    const { knowledge } = this.#memory;
    let days: readonly string[] = [];
    let to: number | undefined;
    for (let window = 0; window < MOST_WINDOWS && days.length < most; window++) {
      const [last] = (await knowledge.turns({ to, limit: 1 })).items;
      if (last === undefined) break;
      const end = Math.floor(last.validAt / DAY + 1) * DAY;
      to = end - ALL_DAYS * DAY;
      const { buckets } = await knowledge.timeline({ unit: 'day', from: to, to: end });
      days = [...buckets.flatMap(({ turns, start }) => (turns > 0 ? [isoDay(start)] : [])), ...days];
    }
    return days.slice(-most).map((day) => this.#day(day));
  }

  #day(day: string): KnownFile {
    return { path: `${DAYS}/${day}.md`, read: async () => (await this.#textOfDay(day)) ?? '' };
  }

  async #textOfPerson(entity: string): Promise<string> {
    const portrait = await this.#memory.portrait({ entity, limit: MOST_OF_SECTION });
    const sections = portrait.sections.map(({ title, facts, total }) => [
      `${title}:`,
      ...facts.map(lineOf),
      ...more(total - facts.length),
    ]);
    const placed = new Set(portrait.sections.flatMap(({ facts }) => facts.map(({ id }) => id)));
    const latest = await this.#memory.knowledge.facts({ entity, state: 'holds', limit: MOST_FACTS });
    const others = latest.items.filter(({ id }) => !placed.has(id));
    return fileOf('What memory knows of a person', [
      asLabel(portrait.entity?.name ?? '', LONGEST_NAME),
      ...sections.flat(),
      ...(others.length === 0 ? [] : ['Other facts, the latest first:', ...others.map(lineOf)]),
    ]);
  }

  async #textOfTopic(category: string): Promise<string> {
    const { knowledge } = this.#memory;
    const page = await knowledge.categoryPage({ category, limit: MOST_MEMBERS });
    const facts = await knowledge.facts({ category, limit: MOST_FACTS });
    const members = page.children.map(({ name }) => asLabel(name, LONGEST_NAME));
    return fileOf('What memory knows of a topic', [
      asLabel(page.name, LONGEST_NAME),
      asLabel(page.summary, LONGEST_SUMMARY),
      `In it: ${[...members, ...more(page.more)].join(', ')}`,
      ...(facts.items.length === 0 ? [] : ['Facts, the latest first:', ...facts.items.map(lineOf)]),
      ...more(facts.total - facts.items.length),
    ]);
  }

  /** Null for a day without turns, or one that does not exist. */
  async #textOfDay(day: string): Promise<string | null> {
    const from = Date.parse(day);
    if (Number.isNaN(from) || isoDay(from) !== day) return null;
    const request = { from, to: from + DAY, limit: MOST_TURNS };
    const { items, total } = await this.#memory.knowledge.turns(request);
    const lines = items.toReversed().flatMap(({ validAt, speaker, content, attachments }) => {
      const seen = described(attachments).map(({ kind, description }) => `[${kind}: ${description}]`);
      const said = asLabel([content, ...seen].join(' '), LONGEST_LINE);
      const time = new Date(validAt).toISOString().slice(11, 16);
      return said === '' ? [] : [`${time} ${asLabel(speaker, LONGEST_NAME)}: ${said}`];
    });
    if (lines.length === 0) return null;
    return fileOf(`What was said on ${day} (UTC)`, [...more(total - items.length), ...lines]);
  }
}

const lineOf = ({ statement, validAt }: { readonly statement: string; readonly validAt: number }) =>
  `- ${asLabel(statement, LONGEST_LINE)} (${isoDay(validAt)})`;
const more = (count: number): readonly string[] => (count > 0 ? [`(and ${count} more)`] : []);

function fileOf(title: string, lines: readonly string[]): string {
  const data = lines.filter((line) => line !== '').join('\n');
  return `${title}, made by memory, read-only. ${DATA_RULE}\n${fence(DATA, data)}\n`;
}

/** A file for each, named after it: letters, digits and hyphens, so that a name can say nothing to the model. */
function named<T extends { readonly name: string }>(
  directory: string,
  all: readonly T[],
  read: (one: T) => Promise<string>,
): readonly KnownFile[] {
  const taken = new Map<string, number>();
  return all.map((one) => {
    const words = one.name
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu);
    const name = [...(words ?? ['unnamed']).join('-')].slice(0, LONGEST_NAME).join('');
    const count = (taken.get(name) ?? 0) + 1;
    taken.set(name, count);
    const path = `${directory}/${name}${count === 1 ? '' : `-${count}`}.md`;
    return { path, read: () => read(one) };
  });
}
