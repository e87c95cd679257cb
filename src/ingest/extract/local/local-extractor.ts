import { Breather } from '../../../util/breathe.ts';
import type {
  EntityKind,
  ExtractedEntity,
  ExtractedFact,
  Extraction,
  ExtractOptions,
  Extractor,
  TurnToRead,
} from '../extractor.ts';
import { buildFacts, type SentenceMentions } from './build-facts.ts';
import { entityKey } from './entity-key.ts';
import { findMentions, type Mention } from './find-mentions.ts';
import { isNamedOnce, type NounLexicon, retagNouns, sharedNounLexicon } from './find-nouns.ts';
import { foreignNames } from './foreign-names.ts';
import { MAY_NAME, type Nickname, nicknamesIn } from './nicknames.ts';
import { type ReadSentence, type ReadTurn, type ReadUnit, readUnit } from './read-unit.ts';
import type { Speakers } from './speakers.ts';
import { sharedTagger } from './tagger.ts';

interface Collected {
  readonly name: string;
  kind: EntityKind;
  readonly aliases: Set<string>;
  readonly turns: Set<number>;
}

/** The entities of a unit while it is read, one to a key. Only those noted in some turn come out. */
class EntityCollection {
  readonly #entities = new Map<string, Collected>();
  /** Key of a nickname to the key of the name. */
  readonly #nicknames = new Map<string, string>();

  /** From here on the alias names the same entity, which is known by its name. */
  addNickname({ name, alias }: Nickname): void {
    const [key, other] = [entityKey(name), entityKey(alias)];
    if (key === other || this.#entities.has(other)) return;
    this.nameOf({ name, kind: 'person', alias });
    this.#nicknames.set(other, this.#keyOf(name));
  }

  /** The name under which the unit knows what is mentioned: the first that was used. */
  nameOf({ name, kind, alias }: Pick<Mention, 'name' | 'kind' | 'alias'>): string {
    const key = this.#keyOf(name);
    const entity = this.#entities.get(key) ?? { name, kind, aliases: new Set(), turns: new Set() };
    this.#entities.set(key, entity);
    if (entity.kind === 'thing') entity.kind = kind;
    if (alias !== null) entity.aliases.add(alias);
    return entity.name;
  }

  /** For names that no mention gave: a date, worked out from words such as "yesterday". */
  ensure(name: string, kind: EntityKind): void {
    if (!this.#entities.has(this.#keyOf(name))) this.nameOf({ name, kind, alias: null });
  }

  note(name: string, turn: number): void {
    this.#entities.get(this.#keyOf(name))?.turns.add(turn);
  }

  #keyOf(name: string): string {
    const key = entityKey(name);
    return this.#nicknames.get(key) ?? key;
  }

  toArray(): ExtractedEntity[] {
    const noted = [...this.#entities.values()].filter(({ turns }) => turns.size > 0);
    return noted.map(({ name, kind, aliases, turns }) => {
      return { name, kind, aliases: [...aliases].sort(), turns: [...turns].sort((a, b) => a - b) };
    });
  }
}

/** Speakers and dates come on top. */
const ENTITIES_PER_SENTENCE = 3;
/** A short turn may name as many as two sentences do. */
const ENTITIES_OF_SHORT_TURN = 6;
const ENTITIES_OF_LONG_TURN = 450;
/** A lone common noun ("door") is below this: it is an entity where a fact speaks of it, memory knows it, or its kind tells. */
const STRONG = 2.5;

/**
 * The local tier's extractor: deterministic, English, without a model to fetch (Mnemis §2.1). Of a turn it reads
 * the first 60,000 characters and 1,500 sentences (see `readUpTo`), without pasted logs and code, quoted turns, commands to the reader
 * and irony (see `readVoices`). Other languages give names and no facts.
 */
export class LocalExtractor implements Extractor {
  async extract(unit: readonly TurnToRead[], options: ExtractOptions): Promise<Extraction> {
    const [lexicon, tag] = [await sharedNounLexicon(), sharedTagger(unit.length)];
    const read = await readUnit(unit, options, (sentence) => retagNouns(tag(sentence), lexicon));
    return extractUnit(read, lexicon, options);
  }
}

async function extractUnit(
  read: ReadUnit,
  lexicon: NounLexicon,
  options: ExtractOptions,
): Promise<Extraction> {
  const entities = new EntityCollection();
  for (const { speaker, at } of read.turns) {
    entities.nameOf({ name: speaker, kind: 'person', alias: null });
    entities.note(speaker, at);
  }
  addNicknames(read.turns, entities);
  const facts: ExtractedFact[] = [];
  const breather = new Breather();
  for (const turn of read.turns) {
    await breather.breathe();
    noteVoices(turn, entities);
    const sentences = await mentionsOf(turn, read, { entities, breather });
    await noteStrong(sentences, { entities, at: turn.at, known: options.known, lexicon, breather });
    await breather.breathe();
    facts.push(...(await buildFacts(turn, read.speakers, { sentences, breather })));
  }
  noteParticipants(facts, entities);
  return { entities: entities.toArray(), facts };
}

function addNicknames(turns: readonly ReadTurn[], entities: EntityCollection): void {
  const last = new Map<string, ReadTurn>();
  for (const read of turns) {
    const before = last.get(read.speaker);
    last.set(read.speaker, read);
    if (!MAY_NAME.test(read.turn.content)) continue;
    const previous = before === undefined ? '' : (ownTexts(before).at(-1) ?? '');
    for (const each of nicknamesIn(ownTexts(read), read.speaker, previous)) entities.addNickname(each);
  }
}

function ownTexts({ sentences }: ReadTurn): string[] {
  const own = sentences.filter(({ voice, language }) => voice === null && language === null);
  return own.map(({ text }) => text);
}

/** Finds what a turn mentions and keeps the most telling few. */
async function mentionsOf(
  turn: ReadTurn,
  { speakers }: ReadUnit,
  { entities, breather }: { readonly entities: EntityCollection; readonly breather: Breather },
): Promise<SentenceMentions[]> {
  const found: SentenceMentions[] = [];
  for (const sentence of turn.sentences) {
    found.push({ sentence, mentions: mentionsIn(sentence, speakers) });
    await breather.breathe();
  }
  const most = Math.min(
    ENTITIES_OF_LONG_TURN,
    Math.max(ENTITIES_OF_SHORT_TURN, ENTITIES_PER_SENTENCE * found.length),
  );
  const best = bestKeys(
    found.flatMap(({ mentions }) => mentions),
    most,
  );
  const named: SentenceMentions[] = [];
  for (const { sentence, mentions } of found) {
    const kept = mentions.filter(({ key, isSpeaker }) => isSpeaker || best.has(key));
    named.push({
      sentence,
      mentions: kept.map((mention) => ({ ...mention, name: entities.nameOf(mention) })),
    });
    if (breather.isDue) await breather.breathe();
  }
  return named;
}

function mentionsIn({ text, language, tokens }: ReadSentence, speakers: Speakers): Mention[] {
  return language === null ? findMentions(tokens, speakers) : foreignNames(text, language, speakers);
}

/** Whose words are quoted is named as well. */
function noteVoices({ sentences, at }: ReadTurn, entities: EntityCollection): void {
  for (const { voice } of sentences) {
    if (voice === null) continue;
    const name = entities.nameOf({ name: voice.names[0]!, kind: 'person', alias: null });
    entities.note(name, at);
  }
}

function bestKeys(mentions: readonly Mention[], most: number): ReadonlySet<string> {
  const scores = new Map<string, number>();
  for (const { key, score, isSpeaker } of mentions) {
    if (!isSpeaker) scores.set(key, Math.max(score, scores.get(key) ?? 0));
  }
  const ranked = [...scores].sort(([, a], [, b]) => b - a);
  return new Set(ranked.slice(0, most).map(([key]) => key));
}

interface Noting {
  readonly entities: EntityCollection;
  readonly at: number;
  readonly known: (name: string) => boolean;
  readonly lexicon: NounLexicon;
  readonly breather: Breather;
}

async function noteStrong(
  sentences: readonly SentenceMentions[],
  { entities, at, known, lexicon, breather }: Noting,
): Promise<void> {
  for (const sentence of sentences) {
    if (breather.isDue) await breather.breathe();
    for (const mention of sentence.mentions) {
      const { name, score } = mention;
      if (score >= STRONG || known(name) || isNamedOnce(mention, sentence, lexicon)) entities.note(name, at);
    }
  }
}

/** What a fact speaks of is an entity, dates among it. */
function noteParticipants(facts: readonly ExtractedFact[], entities: EntityCollection): void {
  for (const { participants, turns } of facts) {
    for (const name of participants) {
      entities.ensure(name, 'date');
      for (const at of turns) entities.note(name, at);
    }
  }
}
