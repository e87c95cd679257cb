import type { Family, Phase } from './compare-claims.ts';
import type { ValueReader } from './read-values.ts';

/** A form of statements that can become outdated. */
export interface ClaimPattern {
  readonly phase: Phase;
  /**
   * Matched against the words about the holder ("moved to Oslo"; "'s car is red" for a possession of theirs). Group
   * `value` is the object, group `verb` the verb of a plan or habit, group `slot` the attribute that has one value.
   */
  readonly says: RegExp;
  /** How `value` is read; without it the claim has no value ("was laid off"). */
  readonly value?: ValueReader;
  /** Only values of one kind can conflict. */
  readonly kind?: string;
  readonly slot?: string;
  /** There is only one value at a time, so that another value ends it. */
  readonly isOnly?: true;
  /** Whether the form itself states a change; without it "now", "again" and the like do. */
  readonly isChange?: boolean;
  /** Statements with these words mean something else. */
  readonly unless?: RegExp;
  /** Try the family's next pattern as well. */
  readonly also?: true;
}

/** Temporary or figurative: "lives in his car these days, it feels like". */
const PASSING =
  /\b(?:feels? like|seems like|so to speak|basically|practically|pretty much|for (?:the|a|this|one|two|three|a few) (?:\p{L}+ )?(?:days?|nights?|weeks?|weekends?|months?|summer|winter|holidays?|semester|term)|until|on (?:holiday|vacation|business)|temporarily|meanwhile|this week(?:end)?|left (?:early|late)|at \d|this morning|tonight|yesterday)\b/iu;
/** Work in addition to a main job. */
const ASIDE =
  /\b(?:also|too|as well|another|second|third|both|side|part[- ]time|temporary|extra|freelance|volunteer(?:s|ing)?|unpaid|as a hobby|sometimes|occasionally|(?:at|on) (?:the )?(?:night|weekends?|weekdays)|on \p{L}+days?|for (?:the|a) (?:day|week|month|summer|while))\b/iu;
const ASIDE_OR_STUDIES = new RegExp(`${ASIDE.source}|(?:University|College|School|Academy|Institute)`, 'iu');
/** Absent for some hours, not permanently. */
const FOR_NOW =
  /\b(?:early|late|for (?:the|a|an|this|his|her|their) (?:\p{L}+ )?(?:day|night|evening|week|weekend|lunch|break|trip|meeting|holidays?|vacation|while|appointment)|for lunch|at (?:\d|noon|midnight|lunch)|this (?:morning|afternoon|evening)|tonight)\b/iu;

/** Another value beside the one before. */
const MORE = /\b(?:also|too|as well|another|both|either|sometimes|or|one of)\b/i;
/** A noun with what describes it, up to the verb. */
const NOUN = "[\\p{L}\\p{N}][\\p{L}\\p{N}\\p{M}'’./ -]{0,60}?";
const CHANGED =
  '(?:changed|moved|updated|set|renamed|upgraded|switched|rescheduled|postponed|delayed|extended|pushed|shifted|brought|raised|increased|reduced|lowered|cut)';
const WAY = '(?:(?:back|forward|up|down|over) )?';

/** By family: the words that find its facts, and its patterns, where the first match applies. English. */
export const FAMILY_TABLE: Readonly<
  Record<Family, { readonly cues: string; readonly patterns: readonly ClaimPattern[] }>
> = {
  /** Home: one place at a time. */
  home: {
    cues: 'live move home settle relocate reside house flat apartment',
    patterns: [
      {
        phase: 'holds',
        says: /^(?:lives|resides|is (?:living|based|settled)|has (?:lived|been living)) (?:back |again |alone |together |mostly )*(?:in|at|near|on) (?<value>.+)$/,
        value: 'home',
        isOnly: true,
        unless: PASSING,
      },
      {
        phase: 'begins',
        says: /^(?:has (?:just )?)?(?:(?:moved(?: house)?|relocated|emigrated|immigrated) (?:back |home |out |away |over |down |up |again )*(?:from .{1,40}? )?to|settled(?: down)? in) (?<value>(?:the |\S+['’]s (?:home ?town|birthplace|native (?:town|village|country)|home country) )?\p{Lu}.+)$/u,
        value: 'movedTo',
        isOnly: true,
        isChange: true,
      },
      {
        // A flat may lie in the part of a town that was the home before.
        phase: 'holds',
        says: /^(?:has (?:just )?)?(?:moved|relocated) (?:back |over )*(?:in)?to (?<value>(?:an?|the) (?:[\p{Ll}-]+ ){0,3}(?:flat|apartment|house|place|room|farm|cottage|village|suburb|town) (?:in|near) \p{Lu}.+)$/u,
        value: 'home',
        isOnly: true,
        isChange: false,
      },
      {
        phase: 'holds',
        says: /^'s (?:new )?home is (?:now )?in (?<value>\p{Lu}.+)$/u,
        value: 'home',
        isOnly: true,
        isChange: true,
      },
      {
        phase: 'denies',
        says: /^(?:moved (?:out of|away from)|does not live(?: any ?more)? in|no longer lives in) (?<value>.+)$/,
        value: 'names',
        unless: PASSING,
      },
    ],
  },
  /** The main job: one at a time; side jobs and voluntary work are compatible with it. */
  job: {
    cues: 'work job quit start hire position role fire retire employ career',
    patterns: [
      {
        phase: 'denies',
        says: /^(?:is (?:unemployed|jobless|out of work|between jobs)|has no job|does not have a job)\b/,
      },
      {
        phase: 'ends',
        says: /^(?:(?:has )?(?:quit|left|lost|resigned from|retired from)|(?:was|got) (?:fired|laid off) from) (?:(?:the|an?|\S+'s) )?(?:(?:old|day|full[- ]time|current) )*(?:jobs?|position|post)\b(?<value>.*)$/,
        value: 'workplace',
      },
      {
        phase: 'ends',
        says: /^(?:was|got) (?:fired|laid off|let go)\b(?! (?:up|by))/,
      },
      {
        phase: 'ends',
        says: /^(?:(?:has )?(?:quit|left|resigned from|retired from)|no longer works (?:at|for)|does not work (?:at|for)) (?<value>.+)$/,
        value: 'names',
        unless: FOR_NOW,
      },
      {
        phase: 'holds',
        // "As a guide at a museum" may be one of two jobs.
        says: /^(?:works|is (?:working|employed)|has (?:worked|been working)) (?:full[- ]time )?(?!as .* (?:at|in|for|on) (?:the |an? )?\p{Ll})(?<value>(?:at|for|as|by) .+)$/u,
        value: 'work',
        isOnly: true,
        unless: ASIDE,
      },
      {
        phase: 'begins',
        says: /^(?:(?:has )?(?:joined|signed on|switched|changed|moved|started|took|taken|accepted|landed|got|found|began)|(?:is|was|got|has been) (?:with|at|hired|employed|recruited)|'s (?:new |current |present )?(?:employer|company) is)\b.*$/,
        value: 'employer',
        isOnly: true,
        isChange: true,
        unless: ASIDE,
        also: true,
      },
      {
        phase: 'begins',
        says: /^(?:has )?(?:started|got|landed|accepted|took|found|began|gotten) (?:an? |the |\S+'s )?(?:new |first |dream |full[- ]time |great |better )*(?:job|position|role|working)(?<value>(?:$|,| (?:at|as|with|in|by|last|this|next|now|recently|yesterday|today|again|for (?!(?:his|her|their|\S+['’]s?)\b))).*)$/,
        value: 'newWork',
        isOnly: true,
        isChange: true,
        unless: ASIDE,
      },
      {
        phase: 'begins',
        says: /^(?:has )?(?:just )?(?:started|begun|began) (?<value>(?:at|with) (?:the )?\p{Lu}.+)$/u,
        value: 'newWork',
        isOnly: true,
        isChange: true,
        unless: ASIDE_OR_STUDIES,
      },
    ],
  },
  /** The partner: one at a time, in one stage of the relationship. */
  partner: {
    cues: 'date marry married engage engaged boyfriend girlfriend husband wife break split divorce single relationship together',
    patterns: [
      {
        phase: 'denies',
        says: /^is (?:single|not (?:seeing|dating) (?:anyone|anybody))(?:$|,| (?:again|now|these|since|at))/,
      },
      {
        phase: 'ends',
        says: /^(?:(?:has |have )?(?:broke|broken|split) up|(?:has |have )?separated|(?:got |is getting )?divorced|called off (?:the|\S+'s) (?:engagement|wedding)|(?:is|are) (?:no longer|not) (?:together|dating|engaged|married))\b(?<value>.*)$/,
        value: 'partner',
      },
      {
        phase: 'holds',
        says: /^(?:is (?:dating|seeing|going out with|in a relationship with|together with)|(?:has )?(?:started|begun|been) (?:dating|seeing)|(?:is|got) (?:back )?together with|'s (?:new )?(?:boyfriend|girlfriend|partner) is)\b(?<value>.*)$/,
        value: 'partner',
        kind: 'dating',
        isOnly: true,
        isChange: true,
      },
      {
        phase: 'holds',
        says: /^(?:is|got|became|has been) engaged\b(?! in)(?<value>.*)$/,
        value: 'partner',
        kind: 'engaged',
        isOnly: true,
        isChange: true,
      },
      {
        phase: 'holds',
        says: /^(?:(?:is|got|has been) (?:happily )?married|married|'s (?:husband|wife|spouse) is)\b(?<value>.*)$/,
        value: 'partner',
        kind: 'married',
        isOnly: true,
        isChange: true,
      },
    ],
  },
  age: {
    cues: 'year old turn birthday age',
    patterns: [
      {
        phase: 'holds',
        says: /^(?:is|turned|just turned|has turned|'s age is) (?<value>\d{1,3})(?: years old| years of age)?(?=$|,| (?:now|and|last|this|today|yesterday|on|in)\b)/,
        value: 'number',
        isOnly: true,
      },
    ],
  },
  /** Likes and dislikes of one thing; those of other things are independent. */
  attitude: {
    cues: 'love like enjoy hate dislike prefer stand fan',
    patterns: [
      {
        phase: 'holds',
        says: /^prefers (?<value>.+?) (?:to|over) .+$/,
        value: 'whole',
        slot: 'preference',
        also: true,
      },
      {
        phase: 'denies',
        says: /^prefers .+? (?:to|over) (?<value>.+)$/,
        value: 'whole',
        slot: 'preference',
      },
      {
        phase: 'denies',
        says: /^(?:hates?|dislikes?|detests?|cannot stand|does not (?:like|love|enjoy|care for)|no longer (?:likes|loves|enjoys|cares for)|is (?:no longer|not) (?:into|fond of|a (?:big |huge )?fan of)|is (?:tired|sick|bored) of) (?<value>.+)$/,
        value: 'whole',
      },
      {
        phase: 'holds',
        says: /^(?:loves?|likes?|enjoys?|adores?|started to (?:like|love|enjoy)|is (?:into|fond of|a (?:big |huge )?fan of|crazy about)|fell in love with) (?<value>.+)$/,
        value: 'whole',
      },
    ],
  },
  /** States of a person, current or past. */
  state: {
    cues: 'become vegetarian vegan meat fish student member',
    patterns: [
      {
        phase: 'denies',
        says: /^(?:is (?:not|no longer)|stopped being) (?:an? |the )?(?<value>.+)$/,
        value: 'state',
      },
      {
        phase: 'holds',
        says: /^(?:is|became|has become) (?!not\b|no\b|been\b)(?:an? |the )?(?<value>.+)$/,
        value: 'state',
      },
    ],
  },
  /** Repeated activities; a person may have several. */
  habit: {
    cues: 'start stop quit give up hobby',
    patterns: [
      {
        phase: 'denies',
        says: /^(?:(?:has |had to )?(?:stopped|quit|quits|gave up|given up)|is done) (?:with )?(?!on\b)(?<value>.+)$/,
        value: 'activity',
      },
      {
        phase: 'denies',
        says: /^(?:no longer|does not) (?<verb>[\p{L}-]+) (?<value>.+?)(?: any ?more| any longer)?$/u,
        value: 'doing',
      },
      {
        phase: 'holds',
        says: /^(?:(?:has )?(?:started|took up|taken up|began|begun|picked up|resumed)|is learning|'s (?:main |favou?rite )?(?:hobby|sport|pastime) is) (?<value>.+)$/,
        value: 'activity',
      },
      {
        phase: 'holds',
        says: /^(?!.*\b(?:not|never)\b)(?:is |has been |keeps )?(?<verb>[\p{L}-]+(?:s|ing))\b(?<value>.*)$/u,
        value: 'doing',
      },
    ],
  },
  /** Possessions; a person may have several of a kind. */
  possession: {
    cues: 'have own drive car buy sell dog cat adopt get rid give away',
    patterns: [
      {
        phase: 'ends',
        says: /^(?:has |had to )?(?:sold|sell|gave away|given away|got rid of|gotten rid of|donated|totall?ed|traded(?: in)?|swapped|exchanged|replaced|returned|scrapped) (?<value>.+)$/,
        value: 'ownThing',
        also: true,
      },
      {
        phase: 'holds',
        says: /^(?:has )?(?:(?:traded(?: in)?|swapped|exchanged) .{1,60}? for|replaced .{1,60}? (?:with|by)) (?<value>(?:an?|the|\S+['’]s|one|two|three|some) .+)$/,
        value: 'thing',
      },
      {
        phase: 'denies',
        says: /^(?:does not (?:have|own|drive)|no longer (?:has|owns|drives)) (?<value>.+)$/,
        value: 'thing',
        unless: /^(?!.*(?:any ?more|no longer))/,
      },
      {
        phase: 'holds',
        says: /^(?:has(?: got)?|owns|drives|rides|uses|is using|(?:has )?(?:bought|got|gotten|adopted|purchased)) (?<value>(?:an?|the|\S+['’]s|one|two|three|some) .+)$/,
        value: 'thing',
      },
      {
        phase: 'holds',
        says: new RegExp(`^'s ${NOUN} is (?<value>an? (?=.*[\\p{Lu}\\d]).+)$`, 'u'),
        value: 'thing',
      },
    ],
  },
  /**
   * What has one value at a time: attributes of persons and things ("'s email is …"), which one a thing is ("is a
   * Synology NAS"), and how many or how much of something.
   */
  attribute: {
    cues: 'favorite favourite new number address name',
    patterns: [
      {
        phase: 'denies',
        says: new RegExp(
          `^'s (?<slot>${NOUN}) (?:is|are) (?:not|no longer) (?<value>.+?)(?: any ?more| any longer)?$`,
          'u',
        ),
        value: 'attribute',
        also: true,
      },
      {
        phase: 'holds',
        says: new RegExp(`^'s (?<slot>${NOUN}) (?:is|are) (?!no longer\\b)(?<value>.+)$`, 'u'),
        value: 'attribute',
        isOnly: true,
        unless: MORE,
        also: true,
      },
      {
        phase: 'begins',
        says: new RegExp(
          `^'s (?<slot>${NOUN}) (?:(?:was|were|is|are|has been|have been|got|is being) ${CHANGED}|went up|went down|rose|increased|decreased|dropped|fell|grew|shrank|changed|moved|switched|has changed|became) ?${WAY}(?:from .{1,40}? )?(?:to |by )?(?<value>.+)$`,
          'u',
        ),
        value: 'attribute',
        isOnly: true,
        isChange: true,
        also: true,
      },
      {
        phase: 'begins',
        says: new RegExp(
          `^(?:has |had )?${CHANGED} (?<slot>(?:\\S+['’]s|the|his|her|their) ${NOUN}) ${WAY}(?:from .{1,40}? )?to (?<value>.+)$`,
          'u',
        ),
        value: 'ownAttribute',
        isOnly: true,
        isChange: true,
        also: true,
      },
      {
        phase: 'holds',
        says: new RegExp(
          `^(?:uses|is using|switched to) (?<value>.+?) as (?<slot>(?:\\S+['’]s|the|his|her|their) ${NOUN})$`,
          'u',
        ),
        value: 'ownAttribute',
        isOnly: true,
        unless: MORE,
        also: true,
      },
      {
        phase: 'holds',
        says: /^prefers (?!.* (?:to|over|when|while|for|in|at|on|with) )(?<value>.+)$/,
        value: 'preferred',
        isOnly: true,
        unless: MORE,
        also: true,
      },
      {
        phase: 'holds',
        says: /^(?:drives|is driving) (?<value>an? .*\p{Lu}.*)$/u,
        value: 'car',
        isOnly: true,
        unless: MORE,
        also: true,
      },
      {
        phase: 'holds',
        says: new RegExp(
          `^(?:'s (?<slot>${NOUN}) )?(?<verb>runs on|runs|is written in|is hosted (?:on|at|by)|is (?:owned|led|managed|run) by|belongs to|reports to|(?:starts|begins|opens|closes|ends|leaves|departs|arrives|takes place)(?= (?:at|on|in)\\b)|goes by|is called|is named) (?<value>.+)$`,
          'u',
        ),
        value: 'doneBy',
        isOnly: true,
        unless: MORE,
        also: true,
      },
      {
        phase: 'holds',
        says: new RegExp(
          `^(?:'s (?<slot>${NOUN}) )?(?:is |are )?(?<verb>(?!was |does |is |as )\\p{Ll}+s|got|had|are|paid)(?: in total)? (?<value>.+)$`,
          'u',
        ),
        value: 'quantity',
        isOnly: true,
        unless: MORE,
        also: true,
      },
      {
        phase: 'holds',
        says: /^is (?<value>.+)$/,
        value: 'kind',
        isOnly: true,
        unless: MORE,
      },
    ],
  },
  /** Plans, until they are carried out, cancelled or moved to another time. */
  plan: {
    cues: 'plan go visit cancel decide trip call off',
    patterns: [
      {
        phase: 'denies',
        says: /^(?:is not (?:going|planning) to|will not|(?:is )?no longer (?:going to|planning to|wants to|plans to)|does not (?:want|plan) to|(?:has )?decided not to|is not) (?<verb>[\p{L}-]+) (?<value>.+)$/u,
        value: 'plan',
      },
      {
        phase: 'ends',
        // Who "missed Mara" called nothing off; who "missed Mara's party" did.
        says: /^(?:has |had to )?(?:cancell?ed|cancel|called off|call off|backed out of|dropped out of|pulled out of|missed(?! \p{Lu}[\p{L}-]*(?:[\s.!,]|$))|skipped) (?<value>.+)$/u,
        value: 'calledOff',
        kind: 'off',
      },
      {
        phase: 'ends',
        says: /^'s (?<value>.+?) (?:was|got|is|has been|were|had to be) (?:cancell?ed|called off)\b/,
        value: 'calledOff',
        kind: 'off',
      },
      {
        phase: 'holds',
        says: /^is (?<verb>go)ing to (?<value>(?:an?|the|\S+['’]s) .+|\p{Lu}.+)$/u,
        value: 'plan',
      },
      {
        phase: 'holds',
        says: /^(?:(?:is |has been |was )?(?:planning|hoping|going|intending|preparing) (?:on |to )|(?:plans|wants|hopes|intends|will|decided to|is about to|is thinking (?:of|about)|is considering|is looking forward to|cannot wait to|would like to) ?(?:to |on )?)(?<verb>[\p{L}-]+) (?<value>.+)$/u,
        value: 'plan',
      },
      {
        phase: 'ends',
        says: /^(?:(?:has|have) )?(?<verb>[\p{L}-]+ed|went|got|took|made|saw|met|ran|bought|did|flew|drove|swam|won|wrote|sang|gave|built|began|found|ate|sold|held|taught|rode|spent|came|read|gone|taken|seen|written|given|been to) (?<value>.+)$/u,
        value: 'plan',
      },
    ],
  },
};
