export function ImportScreen() {
  return <p>ImportScreen </p>;
}
