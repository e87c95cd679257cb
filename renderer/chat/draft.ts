import { useEffect, useMemo } from 'react';
import type { Conversation, MemoryClient } from '../../main/contract.ts';
import { LISTED } from '../parts/conversation/conversation-place.ts';
import { changeReply, useClient } from '../state/connection.tsx';

/** Milliseconds without a key after which the draft is saved. */
const REST = 500;

/** The session that a conversation continues. */
export interface Continued {
  readonly scope: string;
  readonly session: string;
}

/** Keeps what is typed and not sent, in the conversation. */
export function useDraft(conversation: string, saved: string, continues: Continued | undefined) {
  const client = useClient();
  const keeper = useMemo(() => new KeptDraft(client, conversation), [client, conversation]);
  keeper.continues = continues;
  useEffect(() => {
    keeper.saved ??= saved;
    const leave = () => keeper.saveNow();
    window.addEventListener('pagehide', leave);
    return () => {
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [keeper, saved]);
  return keeper;
}

class KeptDraft {
  continues: Continued | undefined;
  saved: string | null = null;
  #words: string | null = null;
  #timer = 0;
  readonly #client: MemoryClient;
  readonly #conversation: string;

  constructor(client: MemoryClient, conversation: string) {
    this.#client = client;
    this.#conversation = conversation;
  }

  keep(words: string): void {
    this.#words = words;
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.saveNow(), REST);
  }

  saveNow(): void {
    window.clearTimeout(this.#timer);
    const draft = this.#words;
    if (draft === null || draft === this.saved) return;
    this.saved = draft;
    noteDraft(this.#conversation, draft, this.continues); // who comes back before the reply finds it
    this.#client.saveConversation({ conversation: this.#conversation, ...this.continues, draft }).then(
      (saved) => {
        noteDraft(saved.id, saved.draft, this.continues); // a reply that was read before may have come between
        if (saved.session === null) listDraft(saved);
      },
      () => {
        this.saved = null; // saved with the next change
      },
    );
  }

  /** After the message was sent: the draft that was saved goes. */
  drop(): void {
    window.clearTimeout(this.#timer);
    this.#words = '';
    this.saveNow();
  }
}

/** A draft changes no reply by itself, so that typing asks for nothing; the known replies get it here. */
function noteDraft(conversation: string, draft: string, continues: Continued | undefined): void {
  for (const named of [{ conversation }, ...(continues === undefined ? [] : [continues])])
    changeReply('conversation', named, (earlier) =>
      earlier === undefined ? undefined : { ...earlier, conversation: { ...earlier.conversation, draft } },
    );
  changeReply('conversations', { limit: LISTED }, (earlier) =>
    earlier === undefined
      ? undefined
      : {
          ...earlier,
          items: earlier.items.map((each) => (each.id === conversation ? { ...each, draft } : each)),
        },
  );
}

/** Adds a conversation that began with its draft to the known list. */
function listDraft(saved: Conversation): void {
  changeReply('conversations', { limit: LISTED }, (earlier) =>
    earlier === undefined || earlier.items.some(({ id }) => id === saved.id)
      ? earlier
      : { ...earlier, items: [...earlier.items, saved] },
  );
}
