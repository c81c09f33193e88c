import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Page } from './page.ts';
import type { Place } from './place.ts';

export const PageContext = createContext<Page | null>(null);

/** The page that a component is a part of. */
export function usePage(): Page {
  const page = useContext(PageContext);
  if (page === null) throw new Error('A component of the page stands outside of PageContext.');
  return page;
}

/** Where the page is. Components that need it are drawn only after everything was loaded. */
export function usePlace(): Place {
  const { place } = usePage();
  if (place === null) throw new Error('A component of a chat is drawn before the chats were loaded.');
  return place;
}
