export function PortraitScreen({ scope }: { readonly scope: string | undefined }) {
  return <p>PortraitScreen {scope}</p>;
}
