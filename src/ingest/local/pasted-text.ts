/** What a chat never says, but logs, traces, code, tables and mark-up do. */
const MACHINE_LINES: readonly RegExp[] = [
  // Stack traces.
  /^\s*at\s[\w.$<>[\] ]{1,200}\(.{0,300}\)?\s*$/,
  /^\s*at\s(?:async\s)?(?:file:|\/|[\w.$]+[./])\S{0,300}$/,
  /^\s*File ".{1,300}", line \d+/,
  /^\s*Traceback \(most recent/,
  /^\s*(?:Caused by:|Exception in thread|Process finished|Segmentation fault|panic:|goroutine \d)/,
  /^\s*(?:[a-z_$][\w$]*\.)*[A-Z]\w*(?:Error|Exception|Warning)\b(?::|\s*$|\s\[)/,
  /^\s*(?:Error|Exception): \S/,
  /^\s*\.{3} \d+ more\s*$/,
  /^\s+\/?\S{1,200}\.\w{1,5}:\d+\b/,
  /^\s*[\w$.]+\([^)\s]{0,200}\)\s*;?\s*$/,
  // Logs: a level, or a time with what no sentence has.
  /^\W{0,3}(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL|NOTICE)\b[\s\]:|-]/,
  /^\W{0,2}\d{4}[-/]\d\d[-/]\d\d[T ]\d\d:\d\d.{0,60}?(?:\b(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL|NOTICE)\b|\w=\S|\[[\w.:/-]+\])/,
  /^[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \S+ \S+/,
  /^\W?\d\d:\d\d:\d\d[.,]?\d{0,6}\W{1,3}(?:\[|[A-Z]{4,}\b|\w+[.:/]\w)/,
  /^\d{1,3}(?:\.\d{1,3}){3} .{0,200}"(?:GET|POST|PUT|HEAD|DELETE|PATCH) /,
  // Code and shells.
  /^\s*(?:import|export|const|let|var|function|class|def|return|public|private|static|async|await|for|while|if|else|try|catch|elif|except|package|using|namespace)\b.{0,300}[{};=()[\]<>:]\s*$/,
  /^\s*(?:#include|from\s\S{1,80}\simport\b|@\w+\(|\$ \S|>>> |[\w-]+@[\w.-]+:\S*[$#] )/,
  /^\s*(?:SELECT .{1,200} FROM |INSERT INTO |UPDATE \w+ SET |CREATE TABLE |DELETE FROM )/i,
  /^\s*(?:npm (?:ERR|WARN|error|warn)|error TS\d+|error\[E\d+)/,
  // Data and mark-up.
  /^\s*"[^"]{1,80}"\s*:\s*(?:["{[\d-]|true\b|false\b|null\b)/,
  /^\s*[{}[\]()]{1,3}[,;]?\s*$/,
  /^\s*[[{]\s*["{[].{0,2000}[\]}]?,?\s*$/,
  /^\s*<[/!?]?[a-z][\w:-]*(?:\s[^>]{0,300})?\/?>.{0,300}<\/[a-z][\w:-]*>\s*$/i,
  /^\s*<[/!?]?[a-z][\w:-]*(?:\s[^>]{0,300})?\/?>\s*$/i,
  /^\s*\|.{0,500}\|\s*$/,
  /^\s*(?:diff --git |@@ -\d|[+-]{3} [ab]\/)/,
  /^\s*\S{48,}\s*$/,
];
const CODE_MARKS = /[{}[\]<>=;\\|$@^~]|\w[_.]\w|\w\(|::/g;
/** Below this a line is too short to be judged by its marks. */
const SHORTEST_JUDGED = 12;
/** A longer line is judged by its beginning. */
const LONGEST_JUDGED = 2_000;
const MARKS_OF_CODE = 0.13;
const OBJECT = /[{[]\s*"[^"\n]{1,80}"\s*[:,][^\n]{0,1000}[}\]]/g;
const SEPARATED = /\S([,;\t])(?=\S)/g;
const FEWEST_COLUMNS = 3;

/** One line without any of these was typed. */
const MAY_BE_PASTED =
  /[{}[\]<>=|\t\\\n_;]|:\d\d[ .,:]|:\d+\)|[A-Z]{4}|(?:Error|Exception|Warning)\b|[a-z]\.[a-z]+\(|^\$ |^(?:import|export|const|SELECT) |^\S{48}/;

/**
 * A text's lines without those that a machine wrote: logs, stack traces, code, JSON, mark-up, rows of tables.
 * They become empty, so that what stands around them stays apart.
 */
export function withoutPasted(content: string): string {
  if (!MAY_BE_PASTED.test(content)) return content;
  const lines = content.replace(OBJECT, ' ').split('\n');
  const pasted = lines.map(isMachineLine);
  for (const [at, columns] of lines.map(columnsOf).entries()) {
    const beside = [lines[at - 1], lines[at + 1]].some(
      (line) => line !== undefined && columnsOf(line) === columns,
    );
    if (columns >= FEWEST_COLUMNS && beside) pasted[at] = true;
  }
  const isInside = (at: number): boolean =>
    /^(?: {2,}|\t)/.test(lines[at]!) && (pasted[at - 1] === true || pasted[at + 1] === true);
  for (const at of lines.keys()) if (isInside(at)) pasted[at] = true;
  return lines.map((line, at) => (pasted[at] ? '' : line)).join('\n');
}

function isMachineLine(line: string): boolean {
  if (line.trim() === '') return false;
  return MACHINE_LINES.some((pattern) => pattern.test(line)) || isMostlyMarks(line);
}

function isMostlyMarks(line: string): boolean {
  const text = line
    .slice(0, LONGEST_JUDGED)
    .replace(/https?:\/\/\S+|\S+@\S+/g, '')
    .trim();
  if (text.length < SHORTEST_JUDGED) return false;
  return (text.match(CODE_MARKS)?.length ?? 0) / text.length > MARKS_OF_CODE;
}

/** How many values a row of a table has; a sentence puts a space after its commas. */
function columnsOf(line: string): number {
  const tight = line.match(SEPARATED)?.length ?? 0;
  const spaced = line.match(/[,;] /g)?.length ?? 0;
  return tight > spaced ? tight + 1 : 0;
}
