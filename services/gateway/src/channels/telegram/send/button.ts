import type { Button } from '@signalbox/contracts/conversation/envelope';

export interface ButtonRef {
  readonly outboxId: string;
  readonly index: number;
}

/** Short labels share a row; phones would cut longer ones. */
const MAX_ROW_LENGTH = 30;
const MAX_ROW_BUTTONS = 3;

type Row = { text: string; callback_data: string }[];

/** Builds the keyboard under a message. Telegram allows 64 bytes per button, so each holds a reference instead of its value. */
export function createKeyboard(buttons: readonly Button[], outboxId: number): Row[] {
  const rows: Row[] = [];
  buttons.forEach((button, index) => {
    const last = rows.at(-1);
    const used = last?.reduce((sum, one) => sum + one.text.length, 0) ?? 0;
    const next = { text: button.label, callback_data: `b:${outboxId}:${index}` };
    if (last && last.length < MAX_ROW_BUTTONS && used + button.label.length <= MAX_ROW_LENGTH) last.push(next);
    else rows.push([next]);
  });
  return rows;
}

/** Parses the data of a pressed button; null for other text. */
export function parseButton(data: string): ButtonRef | null {
  const match = /^b:(\d{1,15}):(\d{1,2})$/.exec(data);
  return match ? { outboxId: match[1] ?? '', index: Number(match[2]) } : null;
}
