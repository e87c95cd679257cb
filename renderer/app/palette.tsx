export function Palette() {
  return <p>Palette </p>;
}
