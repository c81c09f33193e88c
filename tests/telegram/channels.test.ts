import { describeChannel } from '../contracts/channels.ts';
import telegramByWebhook from '../contracts/channels/benches/telegram-webhook.ts';
import telegram from '../contracts/channels/benches/telegram.ts';

describeChannel(telegram.channel, telegram.open, telegram.lacks);
describeChannel('telegram by webhook', telegramByWebhook.open, telegramByWebhook.lacks);
