export function WelcomeScreen() {
  return <p>WelcomeScreen </p>;
}
