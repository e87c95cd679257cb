import { BE_FORMS, GRADING, MODALS, NEGATIONS, OPENERS, VAGUE_NOUNS, VAGUE_VERBS } from '../local/words.ts';

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/).filter(Boolean));
}

const GREETINGS = words(`
  hiya yo goodbye goodnight greetings soon later morning evening long chatting chatted caught catching been happened
  hola adios salut bonjour hallo ciao danke gracias merci grazie obrigado obrigada`);

const THANKS = words(`
  thx ty appreciated appreciation kudos bravo kindness encouragement kind blessed honored honoured worry worries
  supporting supportive supports supported encouraged`);

const ASSENT = words(`
  yup alright true indeed agreed certainly course obviously precisely yay woah whoa woohoo um uh er mhm doubt
  mmm aww omg lmao hehe hahaha xoxo same too`);

const PRAISE = words(`
  admirable brilliant outstanding marvelous remarkable superb neat rad dope lit encouraging uplifting
  motivating fulfilling worthwhile worth delighted pleased thrilled stoked pumped lucky fortunate amazed amaze
  impressed adorable determination dedication commitment effort efforts hard potential works worked working
  succeed succeeded successful nailed nailing crushed crushing killed killing slayed earned pays paid paying`);

const CHEER = words(`
  keep kept keeping going gone hang hanging stay staying push pushing pull through motivated motivate determined
  enjoy enjoying rooting cheering believing trust trusting chase chasing follow following pursue pursuing
  trying almost anytime whenever always never ever forever forward ahead together along towards
  deserves deserved count counting safe travels dreaming wishes wishing hugs`);

/** What holds a sentence together and says nothing of its own. */
const GLUE = words(`
  yourself himself herself themselves ourselves myself itself mine yours ours theirs us
  away back up out off down again once twice whole else quite rather truly super almost enough though
  only than own few being got gotten getting gets gave given gives giving came comes coming went
  made makes making took taken takes taking doing done does did put having has had
  knows knew known knowing thinks thinking said says saying told tells telling asked asking
  wants wanted wanting likes liked loved loves loving needed needs hoped hopes hoping wondered wondering
  imagining understood understanding meant means meaning mean seeing saw seen looked looking felt feels sounded seems
  hearing heard listening listened sharing shared shares talking talked speaking speak spoken believes
  helped helps helping supports grows miss missed bring brings bringing brought
  things questions update updates posted post news million hopefully
  everybody friend friends pal mate bro sweetie honey dear`);

const FILLERS: ReadonlySet<string> = new Set(
  [
    GREETINGS,
    THANKS,
    ASSENT,
    PRAISE,
    CHEER,
    GLUE,
    OPENERS,
    GRADING,
    VAGUE_NOUNS,
    VAGUE_VERBS,
    MODALS,
    NEGATIONS,
    BE_FORMS,
  ].flatMap((filler) => [...filler]),
);

/** Said of oneself, these are news: "I got the job", "I made a friend", "I had a bad day". */
const PERSONAL = words(
  'job age name plan plans death struggle struggles trouble pressure success failure friend friends bad worse worst wrong',
);

/**
 * Whether a word, in lower case, is courtesy, applause or filling: it tells nothing of anybody's world by itself.
 * Words of other languages never are, a few greetings aside, so that their turns are kept.
 */
export function isFiller(word: string, isOwn: boolean): boolean {
  return !(isOwn && PERSONAL.has(word)) && FILLERS.has(word);
}
