import { describeChannel } from '../contracts/channels.ts';
import telegram from '../contracts/channels/benches/telegram.ts';

describeChannel(telegram.channel, telegram.open, telegram.lacks);
