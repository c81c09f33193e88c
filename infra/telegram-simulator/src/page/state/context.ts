import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Page } from './page.ts';
import type { ShownChat } from './shown-chat.ts';

export const PageContext = createContext<Page | null>(null);

/** Returns the page of the current component. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === null) throw new Error('A component of the page stands outside of PageContext.');
  return page;
}

/** Returns the shown chat. Components render only after the chats are loaded. */
export function useShownChat(): ShownChat {
  const { shown } = usePage();
  if (shown === null) throw new Error('A component of a chat is drawn before the chats were loaded.');
  return shown;
}
