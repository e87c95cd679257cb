import { standingOf } from '../../../model/standing.ts';
import { Breather } from '../../../util/breathe.ts';
import { wordsOfLinks } from '../../../util/vault-links.ts';
import { LEAST_WORTH } from '../defaults.ts';
import type {
  EntityKind,
  ExtractedEntity,
  ExtractedFact,
  Extraction,
  ExtractOptions,
  Extractor,
  TurnToRead,
} from '../extractor.ts';
import { NameSenses } from '../name-senses.ts';
import { Antecedents } from './antecedents.ts';
import { buildFacts, type SentenceMentions, type WeighedFact } from './build-facts.ts';
import { findMentions, type Mention } from './find-mentions.ts';
import { isNamedOnce, retagNouns } from './find-nouns.ts';
import { foreignNames } from './foreign-names.ts';
import { InlineCode } from './inline-code.ts';
import { MAY_NAME, type Nickname, nicknamesIn } from './nicknames.ts';
import { type NounLexicon, sharedNounLexicon } from './noun-lexicon.ts';
import type { ReadSentence, ReadTurn } from './read-turn.ts';
import { type ReadUnit, readUnit } from './read-unit.ts';
import { sharedNames, withBearer } from './shared-names.ts';
import type { Speakers } from './speakers.ts';
import { sharedTagger, type Token } from './tagger.ts';
import { userOf } from './the-user.ts';

interface Collected {
  readonly name: string;
  kind: EntityKind;
  readonly aliases: Set<string>;
  readonly turns: Set<number>;
}

/** Collects the entities of a unit by key. Only entities that a turn mentions are returned. */
class EntityCollection {
  readonly #entities = new Map<string, Collected>();
  /** From the key of a nickname to the key of the name. */
  readonly #nicknames = new Map<string, string>();
  readonly #senses: NameSenses;

  constructor(senses: NameSenses) {
    this.#senses = senses;
  }

  /** Registers an alias: later uses of it resolve to the entity with the name. */
  addNickname({ name, alias }: Nickname): void {
    const [key, other] = [this.#senses.keyOf(name), this.#senses.keyOf(alias)];
    if (key === other || this.#entities.has(other)) return;
    this.nameOf({ name, kind: 'person', alias });
    this.#nicknames.set(other, this.#keyOf(name));
  }

  /** The name of a mentioned entity in this unit: the first that was used. */
  nameOf({ name, kind, alias }: Pick<Mention, 'name' | 'kind' | 'alias'>): string {
    const key = this.#keyOf(name);
    const entity = this.#entities.get(key) ?? { name, kind, aliases: new Set(), turns: new Set() };
    this.#entities.set(key, entity);
    if (entity.kind === 'thing') entity.kind = kind;
    if (alias !== null) entity.aliases.add(alias);
    return entity.name;
  }

  /** Adds names without a mention, such as a date that was computed from "yesterday". */
  ensure(name: string, kind: EntityKind): void {
    if (!this.#entities.has(this.#keyOf(name))) this.nameOf({ name, kind, alias: null });
  }

  note(name: string, turn: number): void {
    this.#entities.get(this.#keyOf(name))?.turns.add(turn);
  }

  isNoted(name: string): boolean {
    return (this.#entities.get(this.#keyOf(name))?.turns.size ?? 0) > 0;
  }

  #keyOf(name: string): string {
    const key = this.#senses.keyOf(name);
    return this.#nicknames.get(key) ?? key;
  }

  toArray(): ExtractedEntity[] {
    const noted = [...this.#entities.values()].filter(({ turns }) => turns.size > 0);
    return noted.map(({ name, kind, aliases, turns }) => {
      return { name, kind, aliases: [...aliases].sort(), turns: [...turns].sort((a, b) => a - b) };
    });
  }
}

/** Speakers and dates are not counted. */
const ENTITIES_PER_SENTENCE = 3;
/** A short turn may have as many entities as two sentences. */
const ENTITIES_OF_SHORT_TURN = 6;
const ENTITIES_OF_LONG_TURN = 450;
/**
 * A single common noun ("door") scores less. It becomes an entity if a fact names it, memory knows it, or its kind is
 * worth keeping.
 */
const STRONG = 2.5;

/**
 * The local tier's extractor: deterministic, English, without a model to download (Mnemis §2.1). Reads the first
 * 60,000 characters and 1,500 sentences of a turn (see `readUpTo`), without pasted logs and code, quoted turns,
 * commands to the reader and irony (see `readVoices`). Sentences in other languages give names and no facts.
 */
export class LocalExtractor implements Extractor {
  async extract(unit: readonly TurnToRead[], options: ExtractOptions): Promise<Extraction> {
    const [lexicon, tag] = await Promise.all([sharedNounLexicon(), sharedTagger(unit.length)]);
    const code = new InlineCode();
    const plain = unit.map((turn) => ({ ...turn, content: code.hide(wordsOfLinks(turn.content)) }));
    const read = await readUnit(plain, options, {
      tag: (sentence) => retagNouns(tag(sentence), lexicon),
      lexicon,
    });
    return code.shownIn(await extractUnit(read, lexicon, options));
  }
}

async function extractUnit(
  read: ReadUnit,
  lexicon: NounLexicon,
  options: ExtractOptions,
): Promise<Extraction> {
  const entities = new EntityCollection(new NameSenses(lexicon.isCommon));
  for (const { turn, speaker, at } of read.turns) {
    entities.nameOf({ name: speaker, kind: kindOfSpeaker(turn), alias: null });
    entities.note(speaker, at);
  }
  addNicknames(read.turns, entities);
  const facts: WeighedFact[] = [];
  const asked: { name: string; at: number }[] = [];
  const antecedents = new Antecedents();
  const breather = new Breather();
  const found = await mentionsIn(read, lexicon, breather);
  for (const [at, turn] of read.turns.entries()) {
    await breather.breathe();
    noteVoices(turn, entities);
    const sentences = await mentionsOf(found[at]!, entities, breather);
    await noteStrong(sentences, { entities, asked, at: turn.at, known: options.known, lexicon, breather });
    await breather.breathe();
    facts.push(...(await buildFacts(turn, read.speakers, { sentences, antecedents, lexicon, breather })));
  }
  const users = new Set(
    read.turns.map(({ turn, speaker }) => userOf(turn, { speaker, users: read.speakers.users })),
  );
  noteParticipants(facts, entities, users);
  for (const { name, at } of asked) if (entities.isNoted(name)) entities.note(name, at);
  // What is not worth a fact still names entities, by which a search finds its turn.
  const worthy = facts.filter(({ worth }) => worth >= LEAST_WORTH);
  return { entities: entities.toArray(), facts: worthy.map(({ worth, ...fact }) => fact) };
}

function kindOfSpeaker(turn: TurnToRead): EntityKind {
  return standingOf(turn, true) === 'document' ? 'thing' : 'person';
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

/** The mentions of each turn. A name of a person and of a place is told apart within the whole unit. */
async function mentionsIn(
  { turns, speakers }: ReadUnit,
  lexicon: NounLexicon,
  breather: Breather,
): Promise<readonly (readonly SentenceMentions[])[]> {
  const found: SentenceMentions[][] = [];
  for (const turn of turns) {
    const sentences: SentenceMentions[] = [];
    for (const sentence of turn.sentences) {
      sentences.push({ sentence, mentions: mentionsOfSentence(sentence, speakers, lexicon) });
      await breather.breathe();
    }
    found.push(sentences);
  }
  const shared = sharedNames(found.flat());
  if (shared.size === 0) return found;
  return found.map((sentences) =>
    sentences.map(({ sentence, mentions }) => {
      return { sentence, mentions: mentions.map((each) => withBearer(each, sentence.tokens, shared)) };
    }),
  );
}

/** The mentions of a turn with the highest scores. */
async function mentionsOf(
  found: readonly SentenceMentions[],
  entities: EntityCollection,
  breather: Breather,
): Promise<SentenceMentions[]> {
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

function mentionsOfSentence(
  { text, language, tokens }: ReadSentence,
  speakers: Speakers,
  lexicon: NounLexicon,
): Mention[] {
  if (language !== null) return foreignNames(text, language, speakers);
  return findMentions(tokens, speakers).map((mention) => withArticle(mention, tokens, lexicon));
}

/** A title is named with its article ("The Hobbit"), and so is a river, unlike a firm: "swam in the Amazon". */
function withArticle(mention: Mention, tokens: readonly Token[], lexicon: NounLexicon): Mention {
  const { name, start } = mention;
  const [word, article] = [name.toLowerCase(), tokens[start - 1]?.text ?? ''];
  if (!/^\p{Lu}\p{Ll}+$/u.test(name) || !/^[Tt]he$/.test(article) || !lexicon.isCommon(word)) return mention;
  if (lexicon.isPlaceName(word)) return { ...mention, name: `the ${name}`, kind: 'place' };
  return article === 'The' && start > 1 ? { ...mention, name: `The ${name}` } : mention;
}

/** Adds the persons who are quoted. */
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
  /** Collects what only a question or an answer names: it is an entity if a statement names it, too. */
  readonly asked: { name: string; at: number }[];
  readonly at: number;
  readonly known: (name: string) => boolean;
  readonly lexicon: NounLexicon;
  readonly breather: Breather;
}

async function noteStrong(
  sentences: readonly SentenceMentions[],
  { entities, asked, at, known, lexicon, breather }: Noting,
): Promise<void> {
  for (const sentence of sentences) {
    if (breather.isDue) await breather.breathe();
    for (const mention of sentence.mentions) {
      const { name, score, isSpeaker } = mention;
      const isStrong = score >= STRONG || isNamedOnce(mention, sentence, lexicon);
      const { isQuestion, standing } = sentence.sentence;
      const isTold = isSpeaker || (!isQuestion && standing !== 'answer');
      if ((isStrong && isTold) || known(name)) entities.note(name, at);
      else if (isStrong) asked.push({ name, at });
    }
  }
}

/** Adds the participants of facts, including dates and those called the user. */
function noteParticipants(
  facts: readonly ExtractedFact[],
  entities: EntityCollection,
  users: ReadonlySet<string>,
): void {
  for (const { participants, turns } of facts) {
    for (const name of participants) {
      entities.ensure(name, users.has(name) ? 'person' : 'date');
      for (const at of turns) entities.note(name, at);
    }
  }
}
