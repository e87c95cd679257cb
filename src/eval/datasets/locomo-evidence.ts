const TURN_ID = /^\(?D:?(\d+):(\d+)\)?$/i;

/**
 * The turns that written evidence means (DESIGN §8.7): several ids in one text are split, "D:11:26" is D11:26,
 * and ids that no turn has ("D", "D10:19" of a session with 16) are dropped.
 *
 * `known` holds source ids, "conv-26/D3:5"; so does the answer.
 */
export function evidenceSourceIds(
  written: readonly string[],
  sample: string,
  known: ReadonlySet<string>,
): string[] {
  const ids = written
    .flatMap((text) => text.split(/[\s;,]+/))
    .flatMap(
      (token) => [token, tidy(token)].map((id) => `${sample}/${id}`).find((id) => known.has(id)) ?? [],
    );
  return [...new Set(ids)];
}

function tidy(token: string): string {
  const match = TURN_ID.exec(token);
  return match === null ? token : `D${Number(match[1])}:${Number(match[2])}`;
}
