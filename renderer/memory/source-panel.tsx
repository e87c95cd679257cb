export function SourcePanel({ episode }: { readonly scope: string; readonly episode: string }) {
  return <p>SourcePanel {episode}</p>;
}
