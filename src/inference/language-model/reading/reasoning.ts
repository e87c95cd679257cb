const NAMES =
  'think(?:ing)?|antthinking|thoughts?|(?:thought|thinking|reasoning)[_-]?process|reasoning|reflection|scratch_?pad|analysis|(?:inner|internal)_?(?:monologue|thoughts?|reasoning)|chain_of_thought|cot|cot_budget_reflect';
/**
 * Marks around reasoning. `<think>`, `</seed:think>`, `<|begin_of_thought|>`, `◁think▷`, `&lt;think&gt;`; `[THINK]`; the
 * channels of gpt-oss, `<|channel|>analysis<|message|>` to `<|end|>`, and of Gemma; a folded part of a page.
 */
const MARK = new RegExp(
  [
    String.raw`(?:<|&lt;|◁|＜)[|｜]?\s{0,3}(?<slash>/?)\s{0,3}(?:[a-z]{1,20}:)?(?:(?<part>begin|start|end)[_▁ ](?:of[_▁ ])?)?(?<name>${NAMES})(?:\s[^<>]{0,120})?[|｜]?(?:>|&gt;|▷|＞)`,
    String.raw`\[(?<bracketSlash>/?)(?<bracket>THINK)\]`,
    String.raw`(?:<\|start\|>\s{0,3}\w{0,20}\s{0,3})?(?:<\|channel\|>\s{0,3}|^\s{0,9})(?<channel>analysis|commentary|final)\b[^<]{0,80}(?:<\|constrain\|>\w{0,20})?<\|message\|>`,
    String.raw`<\|channel>\s{0,3}(?<opened>thought)(?![\p{L}\p{N}])`,
    String.raw`(?<closed><channel\|>)`,
    String.raw`(?<ended><\|end\|>)`,
    String.raw`<details\b[^<>]{0,200}(?<folded>reasoning)[^<>]{0,200}>`,
    '(?<unfolded></details>)',
  ].join('|'),
  'giu',
);
/** What a server leaves before and after a reply. */
const BEFORE = /^(?:\s*(?:<\|[a-z_]{2,30}\|>(?:assistant\b)?|<s>))+/iu;
const AFTER = /(?:<\|[a-z_]{2,30}\|>|<\/s>)$/iu;
const LONGEST_MARK = 40;
/** Some models wrap the answer, too. */
const WRAPPED =
  /^\s*<\|?(?:(?:begin|start)_(?:of_)?)?(answer|final_answer|response|output|solution|conclusion|box)\|?>([\s\S]*?)(?:<(?:\/|\|?end_(?:of_)?)\1\|?>\s*)?$/iu;

/** A head that announces reasoning; with `process`, no answer begins with it. */
const ANNOUNCED =
  /^[\s*#_]*(?:(?:here(?:['’]s| is) )?(?:my |the |a |internal )*(?:thinking|thought|reasoning) (?<process>process)|chain[- ]of[- ]thought|thinking|thoughts?|reasoning)[*_]*\s*:/iu;
/** The line that then begins the answer. */
const ANSWER_LINE =
  /^[\s*#_]{0,12}(?:(?:the |my )?(?:final )?(?:answer|response|output)|here(?:['’]s| is) (?:my|the) (?:final )?(?:answer|response))[*_]*\s*:[*_]*\s*/gimu;
/** Channels whose marks a server removed: "analysisThe user asks…assistantfinalOslo". */
const BARE_CHANNEL = /^\s*analysis(?=\p{Lu}\p{Ll}|\s)/u;
const BARE_FINAL = 'assistantfinal';

/** Characters that no text has: control characters and halves of a character. */
const UNREADABLE = /(?![\t\n\r])[\p{Surrogate}\p{Control}]/gu;

interface Mark {
  readonly kind: 'opens' | 'closes' | 'ends' | 'answers';
  readonly name: string;
}

function markOf({ groups = {} }: RegExpMatchArray): Mark {
  const { slash, part, name, bracket, bracketSlash, channel, opened, closed, folded, unfolded } = groups;
  if (name !== undefined)
    return { kind: slash !== '' || part?.toLowerCase() === 'end' ? 'closes' : 'opens', name };
  if (bracket !== undefined) return { kind: bracketSlash === '' ? 'opens' : 'closes', name: bracket };
  if (channel !== undefined)
    return { kind: channel.toLowerCase() === 'final' ? 'answers' : 'opens', name: 'channel' };
  if (opened !== undefined) return { kind: 'opens', name: 'thought' };
  if (closed !== undefined) return { kind: 'closes', name: 'thought' };
  if (folded !== undefined) return { kind: 'opens', name: 'details' };
  return { kind: 'ends', name: unfolded === undefined ? 'channel' : 'details' };
}

/** Follows the marks of a reply. Reasoning may contain reasoning. */
class Depth {
  #open: string[] = [];

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Whether a mark that closes a part would close the outermost one too, by its name. */
  isOutermost(name: string): boolean {
    return this.#open[0]?.toLowerCase() === name.toLowerCase();
  }

  /** Returns whether the mark counts; the end of a part that is not open is text or no part of reasoning. */
  follow({ kind, name }: Mark): boolean {
    if (kind === 'answers') this.#open = [];
    // A channel ends the one before it.
    else if (kind === 'opens' && name === 'channel') this.#open = [name];
    else if (kind === 'opens') this.#open.push(name);
    else if (kind === 'closes') this.#open.pop();
    else if (this.isOutermost(name)) this.#open = [];
    else return name === 'channel';
    return true;
  }
}

interface Stripped {
  readonly text: string;
  /** Reasoning was closed that nothing had opened: the server's template did. */
  readonly opensUnseen: boolean;
}

/**
 * A reply without the model's reasoning and without unreadable characters. Some chat templates omit the opening mark, so
 * that all text before a lone closing mark is reasoning; reasoning that never closes extends to the end.
 */
export function stripReasoning(text: string): string {
  return strip(text).text;
}

/** Whether the reply closes reasoning that nothing in it opened. */
export function opensUnseen(text: string): boolean {
  return strip(text).opensUnseen;
}

function strip(reply: string): Stripped {
  const text = afterHead(reply.replace(UNREADABLE, ''));
  const depth = new Depth();
  let [answer, from, isUnseen] = ['', 0, false];
  /** Where the answer begins if what is still open is only mentioned in reasoning that has closed. */
  let closedAt: number | null = null;
  for (const match of text.matchAll(MARK)) {
    const mark = markOf(match);
    const wasOpen = depth.isOpen;
    const end = match.index + match[0].length;
    if (wasOpen && mark.kind === 'closes' && depth.isOutermost(mark.name)) closedAt = end;
    if (!depth.follow(mark)) continue;
    if (!wasOpen) {
      isUnseen ||= mark.kind === 'closes';
      answer =
        mark.kind === 'closes' || mark.kind === 'answers' ? '' : answer + text.slice(from, match.index);
    }
    if (mark.kind === 'answers') answer = '';
    if (!depth.isOpen) closedAt = null;
    from = end;
  }
  const rest = depth.isOpen ? (closedAt === null ? '' : text.slice(closedAt)) : text.slice(from);
  let whole = `${answer}${rest}`.replace(BEFORE, '').trim();
  while (AFTER.test(whole.slice(-LONGEST_MARK))) whole = whole.replace(AFTER, '').trimEnd();
  return { text: (WRAPPED.exec(whole)?.[2] ?? whole).trim(), opensUnseen: isUnseen };
}

/** Without reasoning that a head announces in place of marks, where it is plain where the answer begins. */
function afterHead(text: string): string {
  const announced = ANNOUNCED.exec(text);
  if (announced !== null) {
    const answer = [...text.matchAll(ANSWER_LINE)].at(-1);
    if (answer !== undefined) return text.slice(answer.index + answer[0].length);
    return announced.groups!.process === undefined || text.search(MARK) >= 0 ? text : '';
  }
  if (!BARE_CHANNEL.test(text)) return text;
  const final = text.lastIndexOf(BARE_FINAL);
  if (final >= 0) return text.slice(final + BARE_FINAL.length);
  return /^\s*analysis\p{Lu}/u.test(text) ? '' : text;
}

/** A tail that may become a mark, that may be left out at the end, or that is half a character. */
const UNFINISHED =
  /(?:\s|<\|start\|>\w{0,20}|<\|(?!message)[a-z_]{2,30}\|>|<\/s>)*(?:(?:<|&lt;|◁|＜)[^<>▷＞]{0,160}|&[lt]{0,2}|\[\/?[a-z]{0,5}|<\|channel\|?>(?:[^<]|<(?!\|message\|>)){0,160}|[\ud800-\udbff])?$/iu;
const LONGEST_UNFINISHED = 400;
/** With these a reply begins that is held until its end: reasoning, perhaps, without a mark before it. */
const THINKS_ALOUD =
  'okay|ok,|alright|hmm|wait|let me|let’s|let us|the user|we need|we have to|we are|i need to|i should|first, |thinking|thought|reasoning|chain of thought|chain-of-thought|here is my|here’s my|my thought|my reasoning|analysis|commentary|final<'.split(
    '|',
  );
const WRAPS = 'answer|final_answer|response|output|solution|conclusion|box|begin_of_|start_response'.split(
  '|',
);

/**
 * Removes reasoning from a reply while it is written. What it has returned is the beginning of what `stripReasoning`
 * makes of the whole, unless reasoning closes that nothing had opened and that began like an answer.
 */
export class ReasoningFilter {
  readonly #depth = new Depth();
  #whole = '';
  #rest = '';
  /** Text outside of reasoning that is not shown while it is open how the answer begins. */
  #begun = '';
  #shown = '';
  #start: 'unknown' | 'answer' | 'held';

  /** @param mayBeUnseen The model closes reasoning that nothing opens, as seen before: all is held to the end. */
  constructor(mayBeUnseen = false) {
    this.#start = mayBeUnseen ? 'held' : 'unknown';
  }

  /** The part of the answer in this piece and in pieces that were held back. */
  add(piece: string): string {
    this.#whole += piece;
    if (this.#start === 'held') return '';
    this.#rest += piece;
    const before = Math.max(0, this.#rest.length - LONGEST_UNFINISHED);
    const end = before + UNFINISHED.exec(this.#rest.slice(before))!.index;
    let from = 0;
    for (const match of this.#rest.slice(0, end).matchAll(MARK)) {
      const wasOpen = this.#depth.isOpen;
      const mark = markOf(match);
      // Nothing opened this reasoning, so that it began where the reply did.
      if (!wasOpen && mark.kind === 'closes') {
        this.#start = 'held';
        return '';
      }
      if (!this.#depth.follow(mark)) continue;
      if (!wasOpen) this.#begun += this.#rest.slice(from, match.index);
      from = match.index + match[0].length;
    }
    if (!this.#depth.isOpen) this.#begun += this.#rest.slice(from, end);
    this.#rest = this.#rest.slice(end);
    return this.#next();
  }

  /** What is left at the end of the reply. */
  end(): string {
    const answer = stripReasoning(this.#whole);
    return answer.startsWith(this.#shown) ? answer.slice(this.#shown.length) : '';
  }

  #next(): string {
    const text = this.#begun.replace(UNREADABLE, '');
    if (this.#start === 'unknown') this.#start = startOf(text);
    if (this.#start !== 'answer') return '';
    // Space between an answer and reasoning is left out at the end.
    const whole = text.trimEnd();
    this.#begun = text.slice(whole.length);
    const shown = this.#shown === '' ? whole.trimStart() : whole;
    this.#shown += shown;
    return shown;
  }
}

/** How the answer begins, as far as the beginning of a reply shows. */
function startOf(text: string): 'unknown' | 'answer' | 'held' {
  const [, wrap, start] = /^[\s*#_]*(<\|?)?([\s\S]*)$/u.exec(text)!;
  if (start === '') return 'unknown';
  const heads = wrap === undefined ? THINKS_ALOUD : WRAPS;
  const said = start!.slice(0, 40).replaceAll("'", '’').toLowerCase();
  if (heads.some((head) => said.startsWith(head))) return 'held';
  return heads.some((head) => head.startsWith(said)) ? 'unknown' : 'answer';
}
