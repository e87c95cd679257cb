import type { EntityKind } from '../extractor.ts';
import { entityKey } from './entity-key.ts';
import type { Mention } from './find-mentions.ts';
import type { Language } from './language.ts';
import type { Speakers } from './speakers.ts';

const NAME_RUN =
  /\p{Lu}[\p{L}\p{M}\p{N}'’-]+(?: (?:(?:de|del|la|di|da|do|von|van|der|den|zu) ){0,2}\p{Lu}[\p{L}\p{M}\p{N}'’-]+){0,3}/gu;
const QUOTED = /["„“«「『]([^"“”»」』]{2,60})["“”»」』]/gu;
/**
 * German capitalises every noun. A German name is a capitalised word directly after one of these, without an article.
 */
const BEFORE_GERMAN_NAME =
  /(?:^|\s)(?:in|nach|aus|bei|mit|von|für|zu|über|gegen|ohne|und|oder|heißt|heiße|heißen|namens|genannt|herr|frau|bruder|schwester|mutter|vater|freund|freundin|tochter|sohn|tante|onkel|kollege|kollegin|cousin|cousine|nachbar|nachbarin|hund|katze|kater)\s$/iu;
const GERMAN_NOUN =
  /(?:ung|heit|keit|schaft|chen|tion|tät|nis|ismus|ling|zeug|kuchen|zeit|tag|arbeit)(?:e?n|s)?$|^(?:Hause?|Arbeit|Freunden?|Kindern?|Eltern|Leuten|Beruf|Ruhe|Freude|Angst|Zeit|Woche|Jahr|Jahren|Monat|Monaten|Tagen|Stunden|Bruder|Schwester|Mutter|Vater|Freund|Freundin|Tochter|Sohn|Tante|Onkel|Oma|Opa|Frau|Mann|Kollegen?|Kollegin|Hund|Katze|Kater|Hilfe|Schule|Kaffee|Tee|Milch|Zucker|Wasser|Musik|Geld|Regen|Sonne|Urlaub|Ferien|Rente|Nüssen?)$/u;
const CALENDAR =
  /^(?:Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag|Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember|Ostern|Weihnachten)s?$/;

const KANA_NAME = /[\p{Script=Katakana}ー]{2,12}/gu;
const HONOURED = /(?<![\p{Script=Han}])(\p{Script=Han}{1,4})(?=さん|くん|君|ちゃん|先生|先輩)/gu;
const JAPANESE_PLACE =
  /(?<!\p{Script=Han})(\p{Script=Han}{2,4})(?=に(?:引っ越|住|行|旅行|着)|へ(?:行|引っ越)|で(?:働|暮ら|生まれ))/gu;
const CHINESE_PLACE =
  /(?:搬到了?|搬去了?|住在|去了?|到了?|来自|飞往|在)(\p{Script=Han}{2,4}?)(?=工作|生活|上学|读书|住|旅行|旅游|出差|玩|了|的|和|，|,|。|\.|！|!|$)/gu;
const CHINESE_PERSON = /(?:名字叫|名叫|叫做?|名字是)(\p{Script=Han}{2,3}?)(?=，|,|。|\.|的|！|!|和|$)/gu;

/**
 * Names in a sentence of another language, the only part of it that is read: by capitals in Latin scripts, by the
 * characters around a name in Chinese and Japanese. The positions of these mentions have no meaning.
 */
export function foreignNames(text: string, language: Language, speakers: Speakers): Mention[] {
  const found = [...quoted(text), ...byLanguage(text, language)];
  return found.filter(({ name }) => entityKey(name) !== '').map((each) => toMention(each, speakers));
}

interface Found {
  readonly name: string;
  readonly kind: EntityKind;
}

function* quoted(text: string): Generator<Found> {
  for (const [, title] of text.matchAll(QUOTED)) {
    const name = title!.replace(/[.,!?。！？]+$/u, '').trim();
    if (/^(?:\p{Lu}|[^\p{Script=Latin}])/u.test(name) && name.split(' ').length <= 8)
      yield { name, kind: 'thing' };
  }
}

function byLanguage(text: string, language: Language): Found[] {
  if (language === 'zh')
    return [...matched(text, CHINESE_PLACE, 'place'), ...matched(text, CHINESE_PERSON, 'person')];
  if (language === 'ja')
    return [
      ...matched(text, JAPANESE_PLACE, 'place'),
      ...matched(text, HONOURED, 'person'),
      ...matched(text, KANA_NAME, 'thing'),
    ];
  return [
    ...byCapitals(
      text.replace(QUOTED, (all) => ' '.repeat(all.length)),
      language,
    ),
  ];
}

function* matched(text: string, pattern: RegExp, kind: EntityKind): Generator<Found> {
  for (const match of text.matchAll(pattern)) yield { name: match[1] ?? match[0], kind };
}

function* byCapitals(text: string, language: Language): Generator<Found> {
  for (const match of text.matchAll(NAME_RUN)) {
    const before = text.slice(0, match.index);
    const opens = !/[\p{L}\p{N}]/u.test(before);
    // The first word of a sentence is capitalised anyway.
    const words = match[0].split(' ').slice(opens ? 1 : 0);
    const named = words.filter((word) => !CALENDAR.test(word));
    const name = language === 'de' ? germanName(named, before) : named.join(' ');
    if (name !== '') yield { name, kind: 'thing' };
  }
}

/** "Schwester Petra" gives Petra, "nach Hamburg" Hamburg, "neue Stelle" no name. */
function germanName(words: readonly string[], before: string): string {
  const first = words.findIndex((word) => !GERMAN_NOUN.test(word));
  if (first < 0) return '';
  return first > 0 || BEFORE_GERMAN_NAME.test(before) ? words.slice(first).join(' ') : '';
}

function toMention({ name, kind }: Found, speakers: Speakers): Mention {
  const speaker = speakers.called(name);
  const shown = speaker ?? name;
  return {
    start: 0,
    end: 0,
    name: shown,
    key: entityKey(shown),
    kind: speaker === null ? kind : 'person',
    score: speaker === null ? 5 : 9,
    isSpeaker: speaker !== null,
    alias: null,
  };
}
