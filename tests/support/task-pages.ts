import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getCheckoutPath } from '@signalbox/local/checkout';

/** The pages of docs/tasks/, in the order in which a newcomer reads them. */
export const PAGES = [
  'first-hour',
  'own-project',
  'team',
  'secrets',
  'alarms',
  'gate-ci',
  'model',
  'backup-upgrade',
  'troubleshooting',
  'vps',
  'kubernetes',
  'compared',
] as const;

/** A fenced block of a page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  /** Why the block cannot be run in a test; null when it can. */
  readonly reason: string | null;
  readonly isInSecondTerminal: boolean;
  /** What the output has to contain: the lines of a block of text right after this one. */
  readonly prints: readonly string[];
}

/** Reads the blocks of a page, in order. What a command prints belongs to the command. */
export function readPage(name: string): readonly Block[] {
  const page = readFileSync(join(getCheckoutPath(), `docs/tasks/${name}.md`), 'utf8');
  const fences = [...page.matchAll(/^```(\w+)(?: (.*))?\n([^]*?)^```$/gm)];
  return fences.flatMap(([, language = '', marker = '', text = ''], place) => {
    if (language === 'text') return [];
    const [, next, , printed = ''] = fences[place + 1] ?? [];
    return {
      language,
      text,
      reason: /^not run: (.+)$/.exec(marker)?.[1] ?? null,
      isInSecondTerminal: marker === 'in a second terminal',
      prints: next === 'text' ? printed.trim().split('\n') : [],
    };
  });
}
