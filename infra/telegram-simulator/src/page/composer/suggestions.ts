import type { Command } from '../../store/event.ts';

/** A completion of the typed text. */
export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** True for an ephemeral command, which only the person and the bot see. */
  readonly isWhispered: boolean;
  /** True when choosing it sends a whole message. */
  readonly isCommand: boolean;
  /** Start of the replaced text. */
  readonly start: number;
  readonly end: number;
}
interface Offered {
  readonly commands: readonly Command[];
  /** People who can be mentioned. */
  readonly names: readonly { readonly name: string; readonly title: string }[];
}

/** Finds suggestions for the text before the caret: commands at the start, names after @. */
export function findSuggestions(text: string, caret: number, { commands, names }: Offered): readonly Suggestion[] {
  const command = /^\/(\w*)$/.exec(text)?.[1]?.toLowerCase();
  if (command !== undefined) {
    const fitting = commands.filter((one) => one.command.startsWith(command));
    return fitting.map(({ command: name, description: detail, is_ephemeral: isWhispered = false }) => {
      return { label: `/${name}`, detail, isWhispered, isCommand: true, start: 0, end: text.length };
    });
  }
  const name = /(?:^|\s)@(\w*)$/.exec(text.slice(0, caret))?.[1]?.toLowerCase();
  if (name === undefined) return [];
  const fitting = names.filter((one) => [one.name, one.title].some((word) => word.toLowerCase().startsWith(name)));
  const place = { isWhispered: false, isCommand: false, start: caret - name.length - 1, end: caret };
  return fitting.map((one) => ({ label: `@${one.name}`, detail: one.title, ...place }));
}
