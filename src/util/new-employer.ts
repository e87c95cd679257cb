import { wordSet } from './collections.ts';
import lists from './new-employer.json' with { type: 'json' };

const PERSONS = wordSet(lists.persons);
const SERVICES = wordSet(lists.services);
const GROUPS = wordSet(lists.groups);

const NAME =
  "(?:[Tt]he )?(\\p{Lu}(?:[\\p{L}\\p{N}&'’-]|\\.(?=\\p{L}))*(?: (?:(?:of|the|and|&|for|de) ){0,2}\\p{Lu}[\\p{L}\\p{N}&'’-]*){0,4})";
const JOB =
  "(?:an? |the |this |my |his |her |their |\\S+['’]s )?(?:(?:new|first|dream|full[- ]time|part[- ]time|great|better|different|permanent|junior|senior) )*(?:\\p{Ll}+ )?(?:jobs?|positions?|roles?|posts?|offers?|internships?)";
/** Forms in which a name is always an employer's. */
const HIRED = new RegExp(
  `(?<!\\p{L})(?:(?:was|got|been|am|is|are|were|getting) (?:just |recently )?(?:hired|employed|recruited|headhunted) (?:by|at)|signed on (?:with|at)|(?:accepted|took|taken) (?:an?|the|their) (?:job )?offer (?:from|by|at|with)|joined the (?:team|staff|company|firm|crew|people|folks) (?:at|of)|(?:switched|changed|moved) (?:jobs?|employers?|companies) to|(?:moved|switched|went|changed) to ${JOB} (?:at|with)|(?:took|take|taken|accepted|landed|got|gotten|started|found|began|begun|has|have|got offered) (?:on )?${JOB} (?:at|with)|(?:new|current|present) (?:employer|company) is) ${NAME}`,
  'u',
);
/** Forms that are said of persons, groups and services as well. */
const JOINED = new RegExp(
  `(?<!\\p{L})([Jj]oined|started (?:at|with)|(?:is|am|are|['’]m) now (?:at|with)) ${NAME}(?=(?<rest>.*))`,
  'u',
);
const ROLE = /^,? as (?:an?|the|their|its) (?!volunteer|member|guest|student|user|patron|fan|visitor)/;
/** What may follow a firm: nothing, or the time. */
const PLAIN_END =
  /^(?:$|[.!;,(]| (?:full[- ]time|again|now|instead|today|yesterday|recently|too|a (?:week|month|year|while) ago|\S+ (?:days|weeks|months|years) ago|(?:last|this|next) \p{L}+|(?:at|by) the (?:beginning|start|end) of|(?:on|in|since) (?:\d|(?:early |late |mid-?)?(?:January|February|March|April|May|June|July|August|September|October|November|December|spring|summer|autumn|winter|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day))|(?:and|but|after|when|because|since|where)(?! \p{Lu}\p{Ll}+ (?:for|at|in)\b)))/u;

/** The firm in whose employment a text says that somebody began: "joined Quay Robotics in March"; null if there is none. */
export function newEmployerIn(text: string): string | null {
  const hired = HIRED.exec(text)?.[1];
  if (hired !== undefined) return hired;
  const joined = JOINED.exec(text);
  if (joined === null) return null;
  const [, verb, name] = joined;
  const rest = joined.groups!.rest!;
  if (ROLE.test(rest)) return name!;
  if (!PLAIN_END.test(rest)) return null;
  return mayBeFirm(name!, verb!) ? name! : null;
}

function mayBeFirm(name: string, verb: string): boolean {
  const words = name
    .toLowerCase()
    .replace(/['’]s$/, '')
    .split(' ');
  if (PERSONS.has(words[0]!) || words.some((word) => SERVICES.has(word) || GROUPS.has(word))) return false;
  // "With Kaya" may be a person.
  return words.length > 1 || !verb.endsWith('with') || /^\p{Lu}{2,}$/u.test(name);
}
