/** On macOS the system checks the spelling; on Linux and Windows Chromium fetches a dictionary of its maker, once. */
export const CHECKS_SPELLING = process.platform === 'darwin';

interface SpellingSession {
  setSpellCheckerEnabled(isOn: boolean): void;
  readonly availableSpellCheckerLanguages: readonly string[];
  setSpellCheckerLanguages(languages: string[]): void;
}

/** Turns the check of spelling on or off, in the first of the system's languages that it knows, and in English. */
export function checkSpelling(
  session: SpellingSession,
  isOn: boolean,
  systemLanguages: readonly string[],
): void {
  session.setSpellCheckerEnabled(isOn);
  if (!isOn || process.platform === 'darwin') return; // macOS chooses itself
  const known = session.availableSpellCheckerLanguages;
  const wanted = systemLanguages.flatMap((language) => {
    const found = [language, language.split('-')[0]!].find((each) => known.includes(each));
    return found === undefined ? [] : [found];
  });
  const languages = [...new Set([...wanted.slice(0, 1), 'en-US'])].filter((each) => known.includes(each));
  if (languages.length > 0) session.setSpellCheckerLanguages(languages);
}
