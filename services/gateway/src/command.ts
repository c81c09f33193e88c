import type { InboundEnvelope } from '@signalbox/shared/contracts/envelope';
import type { Role } from '@signalbox/shared/contracts/roles';
import { readLaneStatus, stopLane } from '@signalbox/shared/db/inbox';
import type { Queryable } from '@signalbox/shared/db/pool';
import * as words from './words.ts';

/** Commands that are answered at admission, without waiting for a turn. `owner` is the welcome of a new admin. */
export type Answered = 'start' | 'help' | 'status' | 'stop' | 'whoami' | 'owner';

export interface Command {
  readonly name: Exclude<Answered, 'owner'> | 'new';
  /** What follows the command. */
  readonly rest: string;
}

const KNOWN = new Set(['start', 'help', 'status', 'stop', 'whoami', 'new']);

/** Reads a command that is ours. Null for anything else: unknown commands are text for the agent. */
export function parseCommand(text: string): Command | null {
  const match = /^\/([a-z_]+)(?:@\w+)?(?:\s+([\s\S]*))?$/i.exec(text.trim());
  const name = match?.[1]?.toLowerCase() ?? '';
  if (!KNOWN.has(name)) return null;
  return { name: name as Command['name'], rest: match?.[2]?.trim() ?? '' }; // KNOWN holds exactly these names
}

export interface Answer {
  readonly text: string;
  /** Set by a stop that had something to stop: the lane must hear of it. */
  readonly stops: boolean;
}

/** Carries out a command in the transaction that admitted it, and says what happened. */
export async function answerCommand(
  db: Queryable,
  command: Answered,
  asked: {
    readonly inboxId: number;
    readonly role: Role;
    readonly envelope: InboundEnvelope & { readonly name: string };
  },
): Promise<Answer> {
  const { userKey, chatKey, name } = asked.envelope;
  const say = (text: string): Answer => ({ text, stops: false });
  switch (command) {
    case 'owner':
      return say(words.owner(name));
    case 'start':
      return say(words.welcome(name));
    case 'help':
      return say(words.help(asked.role));
    case 'whoami':
      return say(words.whoami({ name, userKey, role: asked.role }));
    case 'status':
      return say(words.status(await readLaneStatus(db, userKey, chatKey)));
    case 'stop': {
      const stops = await stopLane(db, userKey, asked.inboxId);
      return { text: stops ? words.STOPPING : words.NOTHING_RUNS, stops };
    }
  }
}
