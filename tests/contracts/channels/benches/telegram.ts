import type { BenchKind } from '../bench.ts';
import { openTelegram } from './telegram-platform.ts';

/** Telegram that is polled. */
export default {
  channel: 'telegram',
  lacks: { repeats: 'what a poll has confirmed never comes again; telegram-webhook.ts shows it' },
  open: () => openTelegram(async () => null),
} satisfies BenchKind;
