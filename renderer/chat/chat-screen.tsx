export function ChatScreen({ conversation }: { readonly conversation: string | null }) {
  return <p>ChatScreen {conversation}</p>;
}
