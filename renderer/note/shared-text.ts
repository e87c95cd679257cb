/** As `share_target` of `app.webmanifest` names them. */
const PARAMETERS = ['title', 'text', 'url'] as const;

/** What another app shared, in lines; empty where it shared nothing. */
export function sharedText(search: string): string {
  const parameters = new URLSearchParams(search);
  const lines = PARAMETERS.map((name) => parameters.get(name)?.trim() ?? '');
  return [...new Set(lines)].filter((line) => line !== '').join('\n');
}
