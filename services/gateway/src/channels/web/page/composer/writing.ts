import { createContext } from 'preact';

/** The message field, as the rest of the page uses it. */
export interface Writing {
  /** Puts a text into the field, in place of what is there, and goes there. */
  readonly fill: (text: string) => void;
  readonly focus: () => void;
}

export const WritingContext = createContext<Writing | null>(null);
