/** The edited text with what the reply shows of it, or why nothing was edited. */
export type Edit = { readonly text: string; readonly changedAt: number } | { readonly refusal: string };

/** Each line of a text, numbered from `first` as Anthropic's memory tool numbers them. */
export function numbered(lines: readonly string[], first = 1): string {
  return lines.map((line, at) => `${String(first + at).padStart(6)}\t${line}`).join('\n');
}

/** Replaces the only occurrence of a text. */
export function replaceOnly(
  content: string,
  {
    path,
    old_str: old,
    new_str: text,
  }: { readonly path: string; readonly old_str: string; readonly new_str: string },
): Edit {
  const places: number[] = [];
  for (let at = content.indexOf(old); old !== '' && at >= 0; at = content.indexOf(old, at + old.length))
    places.push(at);
  const [place] = places;
  if (place === undefined)
    return {
      refusal: `No replacement was performed, old_str \`${old}\` did not appear verbatim in ${path}.`,
    };
  const lineAt = (at: number) => content.slice(0, at).split('\n').length;
  if (places.length > 1)
    return {
      refusal: `No replacement was performed. Multiple occurrences of old_str \`${old}\` in lines: ${[...new Set(places.map(lineAt))].join(', ')}. Please ensure it is unique`,
    };
  return {
    text: content.slice(0, place) + text + content.slice(place + old.length),
    changedAt: lineAt(place),
  };
}

/** Inserts lines after the line with that number; 0 is the beginning. */
export function insertAfter(
  content: string,
  { insert_line: line, insert_text: text }: { readonly insert_line: number; readonly insert_text: string },
): Edit {
  const lines = content.split('\n');
  if (line < 0 || line > lines.length)
    return {
      refusal: `Error: Invalid \`insert_line\` parameter: ${line}. It should be within the range of lines of the file: [0, ${lines.length}]`,
    };
  return { text: lines.toSpliced(line, 0, text.replace(/\n$/, '')).join('\n'), changedAt: line + 1 };
}

/** The lines around a change, numbered. */
export function snippetAround(text: string, line: number): string {
  const first = Math.max(1, line - 2);
  return numbered(text.split('\n').slice(first - 1, line + 2), first);
}
