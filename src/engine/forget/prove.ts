import type { RemovedTexts } from '../../ingest/forget/texts-of.ts';
import type { IngestContext } from '../../ingest/ingest-context.ts';
import { analyze, clearAnalyzerCache } from '../../search/analyzer.ts';
import { type HoldersContext, memoryTextHolders } from '../text-holders/memory-text-holders.ts';
import { type ProofFinding, proofScan } from '../text-holders/proof-scan.ts';
import type { TextHolder } from '../text-holders/text-holder.ts';
import type { ForgetFinding, ForgetProof } from './forget-event.ts';
import { type StayingRows, textsElsewhere } from './texts-elsewhere.ts';

/** A scan for more would take longer than the forgetting. */
export const MOST_TEXTS = 50_000;
/** These keep texts as they are; the others keep words or hashes, which other texts may share. */
const WORD_FOR_WORD = ['graph', 'row cache', 'items'];

export interface ProofOptions extends StayingRows {
  readonly holders: HoldersContext;
}

/**
 * Looks for forgotten texts in everything in memory that holds text of the scope, and in what the caller keeps beside it. What a turn that stays says as well is
 * no remnant, nor a sentence that was also read from such a turn; nor, where only words are kept, is what has the words of one row that stays.
 */
export async function proveForgotten(
  context: IngestContext,
  texts: RemovedTexts,
  { holders, ...staying }: ProofOptions,
): Promise<ForgetProof> {
  const every = new Set([...texts.said, ...texts.told]);
  const all = [...every].slice(0, MOST_TEXTS);
  const { memory, beside } = memoryTextHolders(holders);
  const named = (names: readonly string[]) => memory.filter(({ name }) => names.includes(name));
  const others = memory
    .map(({ name }) => name)
    .filter((name) => ![...WORD_FOR_WORD, 'word cache'].includes(name));
  const ask = async (asked: readonly TextHolder[], wanted: readonly string[]) =>
    byText((await proofScan(asked, wanted)).findings, wanted);
  try {
    // First of all: whatever reads the texts for their words puts those into the cache.
    const cached = await ask(named(['word cache']), all);
    const elsewhere = await textsElsewhere(context, all, staying);
    const isElsewhere = (text: string) =>
      elsewhere.said.has(text) || (!texts.said.has(text) && elsewhere.told.has(text));
    const unsaid = all.filter((text) => !isElsewhere(text));
    const unworded = unsaid.filter((text) => isTelling(text) && !elsewhere.inWords.has(text));
    const isOpen = new Set(unworded);
    const found = [
      ...(await ask([...named(WORD_FOR_WORD), ...beside], unsaid)),
      ...(await ask(named(others), unworded)),
      ...cached.filter(({ text }) => isOpen.has(text)),
    ];
    return {
      clean: found.length === 0,
      searched: unsaid.length,
      alsoElsewhere: all.length - unsaid.length,
      notSearched: every.size - all.length,
      findings: byPlace(found),
    };
  } finally {
    clearAnalyzerCache();
  }
}

/** An index keeps words: of "A" or "of the" it can tell nothing. */
function isTelling(text: string): boolean {
  return analyze(text).some((word) => word.length > 2);
}

interface Found {
  readonly holder: string;
  readonly where: string;
  readonly text: string;
}

function byText(findings: readonly ProofFinding[], texts: readonly string[]): Found[] {
  return findings.map(({ holder, where, text }) => ({ holder, where, text: texts[text]! }));
}

function byPlace(found: readonly Found[]): ForgetFinding[] {
  const places = new Map<string, { holder: string; where: string; texts: number }>();
  for (const { holder, where } of found) {
    const key = `${holder} ${where}`;
    const place = places.get(key) ?? { holder, where, texts: 0 };
    place.texts++;
    places.set(key, place);
  }
  return [...places.values()];
}
