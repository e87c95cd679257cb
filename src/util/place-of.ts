/** What a foreign error is and where it came from, for a log: its message may hold anybody's text. */
export function placeOf(error: unknown): string {
  if (!(error instanceof Error)) return `something of the type ${typeof error} was thrown`;
  const { name, message, stack = '' } = error;
  // The stack begins with the message, whose own lines may look like a place.
  const told = stack.indexOf(message);
  const [frame = ''] = told < 0 ? [] : (/^ {4}at .*$/m.exec(stack.slice(told + message.length)) ?? []);
  return [name, frame.trim()].filter((part) => part !== '').join(' ');
}
