export function LearnedPanel({
  message,
}: {
  readonly scope: string;
  readonly message: string;
  readonly turns: readonly string[];
}) {
  return <p>LearnedPanel {message}</p>;
}
