export function WhyPanel({ message }: { readonly message: string }) {
  return <p>WhyPanel {message}</p>;
}
