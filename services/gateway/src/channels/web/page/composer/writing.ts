import { createContext } from 'preact';

/** The message field, for the rest of the page. */
export interface Writing {
  /** Replaces the text of the field and focuses it. */
  readonly fill: (text: string) => void;
  readonly focus: () => void;
}

export const WritingContext = createContext<Writing | null>(null);
