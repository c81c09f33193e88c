import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Chat } from './chat.ts';

export const ChatContext = createContext<Chat | null>(null);

export function useChat(): Chat {
  const chat = useContext(ChatContext);
  if (chat === null) throw new Error('A component of a conversation stands outside of ChatContext.');
  return chat;
}
