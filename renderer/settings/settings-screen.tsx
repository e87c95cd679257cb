export function SettingsScreen({ section }: { readonly section: string | undefined }) {
  return <p>SettingsScreen {section}</p>;
}
