import { createContext } from 'preact';

/** Lets other components write into the message field. */
export interface FieldControl {
  /** Replaces the text of the field and focuses it. */
  readonly fill: (text: string) => void;
  readonly focus: () => void;
}

export const FieldControlContext = createContext<FieldControl | null>(null);
