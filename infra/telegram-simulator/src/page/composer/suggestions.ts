import type { Command } from '../../store/event.ts';

/** Something that fits what is typed. */
export interface Suggestion {
  readonly label: string;
  readonly detail: string;
  /** Whether only the person and the bot see the command. */
  readonly isWhispered: boolean;
  /** Whether it is a whole message, which is sent when it is chosen. */
  readonly isCommand: boolean;
  /** The part of the text that it takes the place of. */
  readonly start: number;
  readonly end: number;
}
interface Offered {
  readonly commands: readonly Command[];
  /** Whom one can mention. */
  readonly names: readonly { readonly name: string; readonly title: string }[];
}

/** What fits what is typed before the caret: commands while it is the beginning of one, and names after an @. */
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
