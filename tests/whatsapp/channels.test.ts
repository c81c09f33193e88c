import { describeChannel } from '../contracts/channels.ts';
import whatsapp from '../contracts/channels/benches/whatsapp.ts';

describeChannel(whatsapp.channel, whatsapp.open, whatsapp.lacks);
