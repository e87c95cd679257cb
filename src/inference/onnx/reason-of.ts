const LONGEST = 300;
/** The runtime puts source positions and its failed condition before the reason. */
const BEFORE_REASON = /^.* was false\. /;

/** A native error's first line, short enough for a message; it speaks of graphs and drivers, never of texts. */
export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  const line = message.split('\n', 1)[0]!.replace(BEFORE_REASON, '');
  return line.slice(0, LONGEST) || 'no reason given';
}
