import { createContext } from 'preact';

/** Lets other components write into the message field. */
export interface Writing {
  /** Replaces the text of the field and focuses it. */
  readonly fill: (text: string) => void;
  readonly focus: () => void;
}

export const WritingContext = createContext<Writing | null>(null);
