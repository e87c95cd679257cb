/** Grades, blood types and stars, names such as "C++", "C#" and ".NET", and numbers below zero. */
const SIGNED =
  /(?<![\p{L}\p{N}+#*.−-])(?:\p{L}{1,2}(?:\+{1,2}|#)|\p{Lu}{1,2}[-−]|\d(?:[.,]\d)?(?:[+*]|[-−](?=[\s,;:!?)]|\.?$))|[-−]\d[\d.,]*(?<=\d)|\.\p{Lu}{2,})(?![\p{L}\p{N}+#*−-])/gu;

/** The words of a text that a sign tells from other words, in lower case: "o-", "a+", "c++", "4*", "-5", ".net". */
export function signedWords(text: string): string[] {
  return Array.from(text.matchAll(SIGNED), ([word]) => word.toLowerCase().replace('−', '-'));
}
